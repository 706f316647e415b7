"""Questions of a model, checked as those by rule: what passes, and each reason why not."""

from collections import Counter

import pytest
from wiki_cases import bridge, bridges, dated, described, person, pool_of, says

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.asker import ReplyOrigin
from kbe_graph.steps.tasks import WrittenQuestion
from kbe_graph.wiki.page_questions import offered, statement_lines, with_choices, written_draft, written_drafts
from kbe_graph.wiki.wiki_sample import MadeQuestion

FORTH = bridge(90, "Forth Bridge")
STATEMENTS = [
    says(FORTH, "P84", "Kim Orr"),
    dated(FORTH, "P1619", "4 March 1890", "+1890-03-04T00:00:00Z"),
    says(FORTH, "P186", "steel"),
]
CASE = described(FORTH, STATEMENTS)
POOL = pool_of([*bridges(), CASE])
WHO = "Which architect drew the plans of the bridge in this image?"
OWN = ("Nat Berg", "Pia Lund", "Rex Thorn")


def draft(number: int, text: str, answer: str, wrong: tuple[str, ...] = OWN) -> MadeQuestion:
    """Return the draft of a model's question about the bridge."""
    return written_draft(WrittenQuestion(number, text, answer, wrong), CASE, POOL)


def test_a_model_is_given_those_statements_that_are_worth_a_question() -> None:
    lines = (("architect", "Kim Orr"), ("date of official opening", "4 March 1890"))
    assert statement_lines(offered(CASE)) == lines
    theory = bridge(97, "Relativity", kinds=("Q17737",), kind_labels=("scientific theory",))
    assert offered(described(theory, [says(theory, "P84", "Kim Orr")])) == ()
    human = person(91, "Ada Lovelace")
    case = described(
        human, [says(human, "P140", "Anglicanism"), says(human, "P19", "London"), says(human, "P184", "Babbage")]
    )
    assert [each.property_id for each in offered(case)] == ["P184"]
    other = described(FORTH, STATEMENTS, is_main=False, caption="A train in Fife")
    assert offered(other) == ()
    with pytest.raises(NoCandidate, match="may not show"):
        written_draft(WrittenQuestion(1, WHO, "Kim Orr"), other, POOL)


def test_a_sound_question_keeps_its_words_and_others_are_counted_and_a_statement_is_asked_once() -> None:
    written = [
        WrittenQuestion(1, WHO, "kim orr", OWN),
        WrittenQuestion(1, "Who designed the bridge in this image?", "Kim Orr", OWN),
        WrittenQuestion(1, WHO, "Ada Lind", OWN),
    ]
    refused: Counter[str] = Counter()
    drafts = written_drafts(written, CASE, POOL, ReplyOrigin("writer", "call", "wiki_questions:0"), refused)
    (made,) = with_choices(drafts, refused)
    assert (made.text, made.answer, made.statement.property_id) == (WHO, "Kim Orr", "P84")
    assert set(made.choices) == {"Kim Orr", *OWN}
    assert (made.maker, made.prompt, made.calls) == ("writer", "wiki_questions:0", ("call",))
    assert refused == {"not the statement's value": 1}
    assert draft(0, WHO, "Kim Orr").statement == STATEMENTS[0]  # the only one with this value


def test_a_question_that_a_check_refuses_is_none() -> None:
    for number, text, answer, reason in (
        (1, WHO, "Ada Lind", "not the statement's value"),
        (2, WHO, "Kim Orr", "not the statement's value"),
        (9, WHO, "Kim Orr", "names no statement"),
        (0, WHO, "steel", "names no statement"),
        (1, "Who was the architect of the Forth Bridge in this image?", "Kim Orr", "the words name the item"),
        (1, "Who designed the Forth crossing in this image?", "Kim Orr", "the words name the item"),
        (1, "Was it Mr Orr who designed the bridge in this image?", "Kim Orr", "the words tell the answer"),
        (1, "Who designed a bridge in Scotland?", "Kim Orr", "does not speak of the picture"),
        (1, "What is the religion of the architect of the bridge in this image?", "Kim Orr", "protected"),
        (1, "Which architect, a follower of Hinduism, drew the bridge in this image?", "Kim Orr", "protected"),
    ):
        with pytest.raises(NoCandidate) as refused:
            draft(number, text, answer)
        assert refused.value.reason == reason, text
    with pytest.raises(NoCandidate, match="Hinduism"):
        draft(1, WHO, "Kim Orr", ("Nat Berg", "Pia Lund", "Hinduism"))
