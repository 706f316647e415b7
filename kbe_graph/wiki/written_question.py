"""Checks of questions that a model wrote from statements, the same as for rule-based questions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.statement_filters import protected_words
from kbe_graph.question import read
from kbe_graph.steps.asker import ReplyOrigin
from kbe_graph.steps.tasks import StatementLine, WrittenQuestion
from kbe_graph.text import fold
from kbe_graph.types import WikiStatement
from kbe_graph.wiki.distractor_pool import DistractorPool
from kbe_graph.wiki.item_name import called, reference
from kbe_graph.wiki.rule_question import CHOICE_ONLY, PROTECTED, asking_of, checked_question
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion

NO_STATEMENT, OTHER_VALUE = "names no statement", "not the statement's value"
NOT_POINTING = "does not speak of the picture"
POINTING = {"image", "picture", "photo", "photograph", "shown", "depicted", "pictured", "seen", "this", "here"}
MOST_STATEMENTS = 60


def offered(described: Described, pool: DistractorPool) -> tuple[WikiStatement, ...]:
    """Select the statements offered to a model, in order of their numbers: those whose property is worth asking.

    Empty if no kind of the item is visible, or if the picture may not show the item.
    """
    statements = (each for each in described.statements if each.kept and each.text)
    return tuple(each for each in statements if _is_asked(described, each, pool))[:MOST_STATEMENTS]


def _is_asked(described: Described, statement: WikiStatement, pool: DistractorPool) -> bool:
    with suppress(NoCandidate):
        for kind in called(described.item):
            with suppress(NoCandidate):
                reference(described.picture, described.item, kind)
                asking_of(statement, kind, pool)
                return True
    return False


def statement_lines(statements: Iterable[WikiStatement]) -> tuple[StatementLine, ...]:
    """Convert statements to the lines of a prompt."""
    return tuple(StatementLine(each.relation, each.text) for each in statements)


def written_drafts(
    written: Sequence[WrittenQuestion],
    described: Described,
    pool: DistractorPool,
    origin: ReplyOrigin,
    refused: Counter[str],
) -> list[MadeQuestion]:
    """Return the drafts of a reply that pass the checks, one a property, and count the others by reason."""
    drafts = dict[str, MadeQuestion]()
    for each in written:
        try:
            made = written_draft(each, described, pool)
        except NoCandidate as none:
            refused[none.reason] += 1
        else:
            made = replace(made, maker=origin.model, prompt=origin.prompt, calls=(origin.call,))
            drafts.setdefault(made.statement.property_id, made)
    return list(drafts.values())


def written_draft(written: WrittenQuestion, described: Described, pool: DistractorPool) -> MadeQuestion:
    """Check a model's question and return its draft; raises NoCandidate with the reason if refused.

    Beside the checks of all questions, the property must be worth asking, its value be the answer, and the text refer
    to the picture.
    """
    kinds, words = called(described.item), read(written.text).vocabulary
    kind = next((kind for kind in kinds if kind.noun in words), kinds[0])
    reference(described.picture, described.item, kind)
    statement = _statement_of(written, described, pool)
    mark = asking_of(statement, kind, pool).mark
    made = checked_question(
        written.text,
        described,
        statement.property_id,
        kind,
        pool,
        choice_only=mark == CHOICE_ONLY,
        wrong=written.wrong,
    )
    if fold(written.answer) not in map(fold, (made.answer, *made.aliases)):
        raise NoCandidate(OTHER_VALUE, f"{written.answer!r}, not {made.answer!r}")
    if words.isdisjoint(POINTING):
        raise NoCandidate(NOT_POINTING, written.text)
    if any(map(protected_words, (written.text, written.answer, *written.wrong))):
        raise NoCandidate(PROTECTED, ", ".join(written.wrong))
    return made


def _statement_of(written: WrittenQuestion, described: Described, pool: DistractorPool) -> WikiStatement:
    lines = offered(described, pool)
    if 1 <= written.number <= len(lines):
        return lines[written.number - 1]
    fit = [each for each in lines if fold(each.text) == fold(written.answer)]
    if written.number or len(fit) != 1:
        raise NoCandidate(NO_STATEMENT, f"{written.number or written.answer!r}")
    return fit[0]
