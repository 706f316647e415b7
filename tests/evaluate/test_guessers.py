"""How well each guesser does, on questions whose outcome can be reckoned by hand."""

from dataclasses import astuple

from kbe_graph.figures.guess import (
    PARTS,
    BlindQuestion,
    blind_question_of,
    commonest_other,
    cross_fitted,
    guess,
    guess_options,
    majority,
    nearest,
)
from kbe_graph.types import IMAGE, Entity, Question, QuestionForm, Sample, Triplet


def blind_question(
    number: int, text: str, answer: str, *chain: str, picture: str = "", row: str = "hop 1"
) -> BlindQuestion:
    return BlindQuestion(f"q{number}", row, text, answer, frozenset({answer}), chain, picture or f"picture {number}")


def test_words_give_answers_away_and_nothing_is_learnt_from_the_same_picture() -> None:
    texts = (("What colour is the sea?", "blue"), ("Who drives the train there?", "engineer"))
    alike = [blind_question(number, *texts[number % 2]) for number in range(40)]
    assert cross_fitted(nearest, alike) == [each.answer for each in alike]
    wordless = [blind_question(number, "? !", "dog") for number in range(10)]
    assert cross_fitted(nearest, wordless) == ["dog"] * 10
    mostly = [blind_question(number, "What?", "dog" if number % 4 else "cat") for number in range(40)]
    assert cross_fitted(majority, mostly) == ["dog"] * 40
    same = [blind_question(number, "What is it?", "dog", picture="one") for number in range(9)]
    other = blind_question(9, "What is it?", "cat", picture="another")
    for learn in [majority, nearest]:
        assert cross_fitted(learn, same) == [""] * 9, learn
        assert cross_fitted(learn, [*same, other])[:9] == ["cat"] * 9, learn


def test_guesses_do_not_depend_on_the_order_of_the_questions_and_rows_are_in_theirs() -> None:
    rows = ("hop 2", "re-selected", "raw", "hop 1")
    blind_questions = [
        blind_question(number, f"What is number {number % 7}?", str(number % 5), row=rows[number % 4])
        for number in range(60)
    ]
    guesses = guess(blind_questions)
    assert guesses == guess(blind_questions[::-1])
    assert [row.row for row in guesses.rows] == ["raw", "re-selected", "hop 1", "hop 2"]


def test_relations_and_chains_are_guessed_by_their_other_questions() -> None:
    wheels = [blind_question(number, "?", answer, "wheels") for number, answer in enumerate(("four", "four", "two"))]
    assert commonest_other(PARTS["relation"], wheels) == ["four", "four", "four"]
    assert commonest_other(PARTS["relation"], wheels[1:]) == ["two", "four"]
    capitals = [
        *(blind_question(number, "?", "paris", "country", "capital") for number in (1, 2)),
        *(blind_question(number, "?", "rome", "state", "capital") for number in (3, 4, 5)),
    ]
    assert commonest_other(PARTS["chain"], capitals)[:2] == ["paris", "paris"]
    assert commonest_other(PARTS["relation"], capitals)[:2] == ["rome", "rome"]


def test_a_model_is_measured_on_the_questions_that_it_was_heard_on() -> None:
    sample = Sample("b/s/1", "b", "s", "What?", "japan", image="7.jpg", image_id="7")
    key = (Triplet(IMAGE, "depicts", Entity("FLAG")), Triplet(Entity("FLAG"), "of", Entity("JAPAN")))
    question = Question("b/s/1@r/1", sample.id, "r", 1, "explored", "What is it?", "Japan", key, ("Nippon",))
    heard = blind_question_of(sample, question)
    assert (heard.row, heard.picture, heard.chain, heard.answer) == ("hop 1", "7", ("of",), "japan")
    (row,) = guess([heard, blind_question(2, "When?", "now")], replies={"What is it?": "The Nippon."}).rows
    assert astuple(row.guessers["model"])[:3] == (1, 1, 1.0)


def test_guesses_at_options_look_at_other_answers_at_length_and_place() -> None:
    choice = [
        QuestionForm(f"s{number}@raw/0", "choice", "Which animal is here?", ("dog", "an animal", answer), (answer,))
        for number, answer in enumerate(("cat", "cat", "elephant"))
    ]
    several = [
        QuestionForm(f"s{number}@raw/0", "several", "Which are big?", ("whale", "elephant", "ant", bug), ("whale", big))
        for number, (bug, big) in enumerate((("bee", "elephant"), ("fly", "elephant"), ("rhino", "rhino")))
    ]
    one, many = guess_options([*choice, *several])
    assert (one.maker, one.questions, one.chance, many.chance) == ("rule", 3, 0.3333, 0.5)
    rights = [{name: figure.right for name, figure in row.guessers.items()} for row in (one, many)]
    assert rights[0] == {"commonest": 2.33, "longest": 0, "position": 3}
    assert rights[1] == {"commonest": 2.5, "longest": 2, "position": 3}
