"""How well each guesser does, on questions whose outcome can be reckoned by hand."""

from collections.abc import Sequence
from dataclasses import astuple

from kbe_graph.evaluate.guess import (
    PARTS,
    BlindQuestion,
    OptionRow,
    blind_question_of,
    by_row,
    commonest_other,
    cross_fitted,
    guess,
    guess_options,
    linear,
    majority,
    nearest,
)
from kbe_graph.export.selection import top_shares
from kbe_graph.types import IMAGE, Entity, Question, QuestionForm, Sample, Triplet


def blind_question(
    number: int, text: str, answer: str, *chain: str, picture: str = "", row: str = "hop 1"
) -> BlindQuestion:
    return BlindQuestion(f"q{number}", row, text, answer, frozenset({answer}), chain, picture or f"picture {number}")


def alike(count: int) -> list[BlindQuestion]:
    """Questions whose words give their answers away."""
    texts = (("What colour is the sea?", "blue"), ("Who drives the train there?", "engineer"))
    return [
        blind_question(number, *texts[number % 2], "colour" if number % 2 == 0 else "driver") for number in range(count)
    ]


def sure(names: Sequence[str], blind_questions: Sequence[BlindQuestion]) -> float:
    return sum(name in each.right for name, each in zip(names, blind_questions, strict=True)) / len(blind_questions)


def test_words_give_answers_away_and_nothing_is_learnt_from_the_same_picture() -> None:
    for learn in [nearest, linear]:
        assert sure(cross_fitted(learn, alike(40)), alike(40)) == 1, learn
        wordless = [blind_question(number, "? !", "dog") for number in range(10)]
        assert cross_fitted(learn, wordless) == ["dog"] * 10, learn
    mostly = [blind_question(number, "What?", "dog" if number % 4 else "cat") for number in range(40)]
    assert cross_fitted(majority, mostly) == ["dog"] * 40
    same = [blind_question(number, "What is it?", "dog", picture="one") for number in range(9)]
    for learn in [majority, nearest, linear]:
        assert cross_fitted(learn, same) == [""] * 9, learn
        other = blind_question(9, "What is it?", "cat", picture="another")
        assert cross_fitted(learn, [*same, other])[:9] == ["cat"] * 9, learn


def test_guesses_do_not_depend_on_the_order_of_the_questions() -> None:
    blind_questions = [blind_question(number, f"What is number {number % 7}?", str(number % 5)) for number in range(60)]
    assert guess(blind_questions) == guess(blind_questions[::-1])


def test_relations_and_chains_are_guessed_by_their_other_questions() -> None:
    wheels = [blind_question(number, "?", answer, "wheels") for number, answer in enumerate(("four", "four", "two"))]
    assert commonest_other(PARTS["relation"], wheels) == ["four", "four", "four"]
    assert commonest_other(PARTS["relation"], wheels[1:]) == ["two", "four"]
    assert commonest_other(PARTS["relation"], wheels[2:]) == [""]
    capitals = [
        *(blind_question(number, "?", "paris", "country", "capital") for number in (1, 2)),
        *(blind_question(number, "?", "rome", "state", "capital") for number in (3, 4, 5)),
    ]
    assert commonest_other(PARTS["chain"], capitals)[:2] == ["paris", "paris"]
    assert commonest_other(PARTS["relation"], capitals)[:2] == ["rome", "rome"]


def test_rows_are_raw_then_re_selected_then_hop_by_hop() -> None:
    rows = ("hop 10", "hop 2", "re-selected", "raw", "hop 1")
    blind_questions = [blind_question(number, "?", "a", row=row) for number, row in enumerate(rows)]
    assert list(by_row(blind_questions)) == ["raw", "re-selected", "hop 1", "hop 2", "hop 10"]


def test_a_model_is_measured_on_the_questions_that_it_was_heard_on() -> None:
    blind_questions = [
        blind_question(number, "What is it?", "bow")._replace(right=frozenset({"bow", "horse"})) for number in range(2)
    ]
    (row,) = guess(blind_questions, replies={"What is it?": "The Horse."}, guessers=()).rows
    assert astuple(row.guessers["model"]) == (2, 2, 1.0, 0.3424, 1.0)
    blind_questions = [blind_question(1, "Where?", "here"), blind_question(2, "When?", "now")]
    (row,) = guess(blind_questions, replies={"Where?": "there"}, guessers=()).rows
    assert astuple(row.guessers["model"])[:3] == (0, 1, 0.0)


def question(sample: str, answer: str, *relations: str, status: str = "kept", run: str = "r") -> Question:
    nodes = [IMAGE, Entity("THING"), *(Entity(f"{relation} of".upper()) for relation in relations)]
    names = ("depicts", *relations)
    key = tuple(map(Triplet, nodes, names, nodes[1:]))
    id_ = f"{sample}@{run}/{len(relations)}"
    return Question(id_, sample, run, len(relations), "explored", "What?", answer, key, status=status)  # type: ignore[arg-type]


def test_the_share_of_the_top_answer_is_told_by_run_and_hop_of_what_was_kept() -> None:
    questions = [
        question("a", "Four", "wheels"),
        question("b", "four", "wheels"),
        question("c", "two", "wheels"),
        question("d", "two", "wheels", status="dropped"),
        question("e", "two", "wheels", run="other"),
        question("f", "two", "car", "wheels"),
        question("g", "four", "bus", "wheels"),
    ]
    shares = top_shares(questions)
    assert shares["a@r/1"] == shares["c@r/1"] == (0.6667, 0.6667)
    assert shares["e@other/1"] == (1.0, 1.0)
    assert shares["f@r/2"] == (0.5, 1.0)
    assert "d@r/1" not in shares


def test_an_item_knows_its_row_its_picture_and_its_right_answers() -> None:
    sample = Sample("b/s/1", "b", "s", "What?", "japan", image="7.jpg", image_id="7")
    made = blind_question_of(sample, question("b/s/1", "Tokyo", "flag", "capital"))
    assert (made.row, made.picture, made.chain, made.answer) == ("hop 2", "7", ("flag", "capital"), "tokyo")


def right(row: OptionRow) -> dict[str, float]:
    """Return how many each guesser at options gets right."""
    return {name: figure.right for name, figure in row.guessers.items()}


def test_guesses_at_options_look_at_other_answers_at_length_place_and_words() -> None:
    forms = [
        QuestionForm(f"s{number}@raw/0", "choice", "Which animal is here?", ("dog", "an animal", answer), (answer,))
        for number, answer in enumerate(("cat", "cat", "elephant"))
    ]
    (row,) = guess_options(forms)
    assert (row.maker, row.questions, row.chance) == ("rule", 3, 0.3333)
    assert right(row) == {"commonest": 2.33, "longest": 0, "position": 3}


def test_where_several_are_right_a_guess_at_one_of_them_is_told() -> None:
    forms = [
        QuestionForm(
            f"s{number}@raw/0", "several", "Which are big?", ("whale", "elephant", "ant", bug), ("whale", right)
        )
        for number, (bug, right) in enumerate((("bee", "elephant"), ("fly", "elephant"), ("rhino", "rhino")))
    ]
    (row,) = guess_options(forms)
    assert (row.form, row.questions, row.chance) == ("several", 3, 0.5)
    assert right(row) == {"commonest": 2.5, "longest": 2, "position": 3}
