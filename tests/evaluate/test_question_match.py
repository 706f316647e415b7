"""Predictions find their questions by id, and what does not fit is told by id."""

from dataclasses import replace
from pathlib import Path

import pytest

from kbe_graph import InputError, Workspace
from kbe_graph.scoring.prediction_files import Matching, match_predictions
from kbe_graph.types import IMAGE, Entity, Prediction, Question, Triplet, question_id

KEY = (Triplet(IMAGE, "shows", Entity("DOG"), "visual"),)


def question(sample: str, run: str = "raw", hop: int = 0) -> Question:
    kind = "explored" if hop else "raw"
    return Question(question_id(sample, run, hop), sample, run, hop, kind, "What?", "dog", KEY)  # type: ignore[arg-type]


RAW, OTHER, HOP = question("okvqa/val/1"), question("okvqa/val/2"), question("okvqa/val/1", "seed-0", 1)
ALL = (RAW, OTHER, HOP)


def answer(id_: str, model: str = "m", text: str = "dog") -> Prediction:
    return Prediction(model, id_, text)


def ids(matching: Matching) -> list[str]:
    return [prediction.question for prediction in matching.predictions]


def test_a_questions_own_id_and_that_of_its_benchmark_are_matched() -> None:
    matching = match_predictions([answer(HOP.id), answer(RAW.id), answer(OTHER.id)], ALL)
    assert ids(matching) == [HOP.id, RAW.id, OTHER.id]
    assert matching[1:] == ((), (), ())
    assert ids(match_predictions([answer("1"), answer("okvqa/val/2")], ALL)) == [RAW.id, OTHER.id]


PAIR = (question("mme/test/code/20.png"), question("mme/test/code/20.png-2"), question("mme/test/code/9.png"))


def test_an_id_of_several_questions_is_not_guessed() -> None:
    assert match_predictions([answer("1")], (RAW, question("aokvqa/val/1"))).unknown == ("1",)
    for rows in (["code/20.png"], ["code/20.png", "code/20.png"]):
        matching = match_predictions([answer(id_) for id_ in (*rows, "code/9.png")], PAIR)
        assert (ids(matching), matching.unknown, matching.twice) == ([PAIR[2].id], ("code/20.png",), ())
    matching = match_predictions([answer("code/20.png"), answer("code/20.png-2")], PAIR)
    assert ids(matching) == [PAIR[0].id, PAIR[1].id]


def test_what_is_unknown_twice_or_missing_is_told_by_id() -> None:
    matching = match_predictions([answer("9"), answer("9"), answer("1"), answer(RAW.id), answer(HOP.id)], ALL)
    assert (ids(matching), matching[1:]) == ([HOP.id], (("9",), (RAW.id,), (OTHER.id,)))
    rows = [answer(each.id, model) for each in ALL for model in ("a", "b")][:-1]
    assert match_predictions(rows, ALL).missing == (HOP.id,)


ROWS = [{"question": f"Which animal is number {n}?", "answer": f"animal {n}"} for n in range(1, 9)]


def test_the_text_of_a_line_counts_more_than_its_number_of_a_row(tmp_path: Path) -> None:
    work = Workspace(tmp_path / "W")
    work.load(ROWS, name="mine")
    gold = [(row["question"], row["answer"]) for row in ROWS]
    for name, numbered in (
        ("from 0", list(enumerate(gold))),
        ("from 1", list(enumerate(gold, 1))),
        ("reversed", list(enumerate(reversed(gold), 1))),
        ("floats", [(f"{n}.0", pair) for n, pair in enumerate(gold)]),
    ):
        for field in ("id", "index"):
            lines = [{field: n, "question": text, "prediction": said} for n, (text, said) in numbered]
            taken = work.answers.take(lines, model=f"{name} {field}")
            assert (taken.judgement.right, taken.judgement.wrong, taken.unknown) == (8, 0, ()), (name, field)


def worded(number: int, text: str, run: str = "raw", hop: int = 0) -> Question:
    return replace(question(f"mine/all/{number}", run, hop), text=text)


SET = (
    *(worded(n, f"Raw {n}?") for n in range(1, 4)),
    worded(1, "Hop 1?", "seed-0", 1),
    worded(2, "Hop 2?", "seed-0", 1),
)


def test_a_line_about_another_question_than_its_ids_is_matched_by_its_text_or_refused() -> None:
    hop = replace(answer("1"), asked="hop 1")
    assert ids(match_predictions([hop], SET)) == [SET[3].id]
    prompted = [replace(answer(name), asked="Look. Raw 2? Answer shortly.") for name in ("2", SET[1].id)]
    assert match_predictions(prompted, SET).twice == (SET[1].id,)
    again = (*SET, worded(9, "Raw 3?"))
    for line, shown in (
        (replace(answer("1"), asked="Raw 3?"), "2 questions"),
        (replace(answer("1"), asked="Who?"), "no"),
    ):
        with pytest.raises(InputError, match=rf"^x: '1' is the id of 'Raw 1\?', but its line asks .*, which {shown}"):
            match_predictions([line], again, file="x")
    shifted = [replace(answer("1"), asked="Raw 2?"), replace(answer("3"), asked="Raw 3?")]  # '3' is doubtful too
    with pytest.raises(InputError, match="'1' is the id of"):
        match_predictions(shifted, again)


def test_numbers_of_rows_that_are_not_those_of_the_loaded_rows_are_refused() -> None:
    for given in (range(3), range(1, 6), range(5), (0, 2), range(1, 3)):
        with pytest.raises(
            InputError, match=r"numbers of rows, but .* the ids 1 to 3, and the run has 2 more; add the"
        ):
            match_predictions([answer(str(n)) for n in given], SET)
    for given in (("1", "2", "3"), ("1", "3"), ("1", "70"), ("1", "x")):
        assert ids(match_predictions([answer(n) for n in given], SET))[0] == SET[0].id
