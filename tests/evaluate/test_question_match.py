"""Predictions find their questions by id, and what does not fit is told by id."""

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
