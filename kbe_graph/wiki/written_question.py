"""Checks of questions that a model wrote from statements, the same as for rule-based questions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.statement_filters import protected_words
from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.question import read
from kbe_graph.steps.asker import ReplyOrigin
from kbe_graph.steps.tasks import StatementLine, WrittenQuestion
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.answer_value import wrong_options
from kbe_graph.wiki.distractor_pool import AskedValue, DistractorPool
from kbe_graph.wiki.item_name import NO_KIND, Called, called, reference
from kbe_graph.wiki.rule_question import (
    CHOICE_ONLY,
    PROTECTED,
    Described,
    Drafted,
    asking_of,
    check_fact,
    check_words,
    only_value,
)
from kbe_graph.wiki.wiki_sample import MadeQuestion

NO_STATEMENT, OTHER_VALUE = "names no statement", "not the statement's value"
NOT_POINTING = "does not speak of the picture"
POINTING = ("image", "picture", "photo", "photograph", "shown", "depicted", "pictured", "seen", "this", "here")
MOST_STATEMENTS = 60


def offered(described: Described, pool: DistractorPool) -> tuple[WikiStatement, ...]:
    """Select the statements offered to a model, in order of their numbers: those whose property is worth asking.

    Empty if no kind of the item is visible, or if the picture may not show the item.
    """
    kinds = called(described.item)
    statements = (each for each in described.statements if each.kept and each.text)
    return tuple(each for each in statements if any(_is_asked(described, each, kind, pool) for kind in kinds))[
        :MOST_STATEMENTS
    ]


def _is_asked(described: Described, statement: WikiStatement, kind: Called, pool: DistractorPool) -> bool:
    try:
        reference(described.picture, described.item, kind)
        asking_of(statement, kind, pool)
    except NoCandidate:
        return False
    return True


def statement_lines(statements: Iterable[WikiStatement]) -> tuple[StatementLine, ...]:
    """Convert statements to the lines of a prompt."""
    return tuple(StatementLine(each.relation, each.text) for each in statements)


def written_drafts(
    written: Sequence[WrittenQuestion],
    described: Described,
    pool: DistractorPool,
    origin: ReplyOrigin,
    refused: Counter[str],
    *,
    latest: int,
) -> list[Drafted]:
    """Return the drafts of a reply that pass the checks, and count the others in ``refused`` by reason.

    ``draw_questions`` selects their options: the model's own if all are sound, otherwise those of the pool.
    """
    drafts = dict[str, Drafted]()
    for each in written:
        try:
            draft = written_draft(each, described, pool, latest=latest)
        except NoCandidate as none:
            refused[none.reason] += 1
        else:
            made = replace(draft.made, maker=origin.model, prompt=origin.prompt, calls=(origin.call,))
            drafts.setdefault(made.statement.property_id, draft._replace(made=made))
    return list(drafts.values())


def written_draft(written: WrittenQuestion, described: Described, pool: DistractorPool, *, latest: int) -> Drafted:
    """Check a model's question and return its draft; raises NoCandidate with the reason if refused.

    The checks are those of rule-based questions: the property is worth asking and has a single value, which is the
    answer, and neither the words nor the kind nor the item's name gives it away. The text must also refer to the
    picture.
    """
    picture, item, statements = described
    kind = _kind_of(written.text, item)
    reference(picture, item, kind)
    statement = _statement_of(written, described, pool)
    is_choice = asking_of(statement, kind, pool).mark == CHOICE_ONLY
    statement, words = only_value(described, statement.property_id, pool)
    if not words.says(written.answer):
        raise NoCandidate(OTHER_VALUE, f"{written.answer!r}, not {words.answer!r}")
    check_fact(statement, words, item, pool)
    check_words(written.text, words, item, kind)
    if not read(written.text).vocabulary & set(POINTING):
        raise NoCandidate(NOT_POINTING, written.text)
    if any(map(protected_words, (written.text, written.answer, *written.wrong))):
        raise NoCandidate(PROTECTED, ", ".join(written.wrong))
    made = MadeQuestion(picture.id, item.id, written.text, words.answer, statement, kind.noun, words.aliases)
    asked = AskedValue(statement, item, statements, written.text)
    return Drafted(made, _wrong(written, made, asked, pool, latest), is_choice)


def _wrong(
    written: WrittenQuestion, made: MadeQuestion, asked: AskedValue, pool: DistractorPool, latest: int
) -> list[AnswerOption]:
    ids = pool.ends.get(made.statement.property_id, {})
    own = [AnswerOption(name, ids.get(fold(name), "")) for name in written.wrong]
    are_sound = all(is_written_alike(each.name, made, latest) and not pool.why_unsound(each, asked) for each in own)
    if own and are_sound and len({fold(option.name) for option in own}) == len(own):
        return own
    return wrong_options(asked, made.answer, pool, latest=latest, seed=made.seed)


def is_written_alike(name: str, made: MadeQuestion, latest: int) -> bool:
    """Return True if an option has the answer's format: a past year, an amount in its unit, or a name.

    A name must contain digits if and only if the answer does.
    """
    if made.statement.kind == "time":
        return bool(re.fullmatch(r"[1-9]\d{3}", name)) and int(name) <= latest
    if made.statement.kind == "quantity":
        return re.sub(r"[\d.]+", "", name) == re.sub(r"[\d.]+", "", made.answer) and name[:1].isdigit()
    return any(map(str.isdigit, name)) == any(map(str.isdigit, made.answer))


def _statement_of(written: WrittenQuestion, described: Described, pool: DistractorPool) -> WikiStatement:
    lines = offered(described, pool)
    if 1 <= written.number <= len(lines):
        return lines[written.number - 1]
    fit = [each for each in lines if fold(each.text) == fold(written.answer)]
    if written.number or len(fit) != 1:
        raise NoCandidate(NO_STATEMENT, f"{written.number or written.answer!r}")
    return fit[0]


def _kind_of(text: str, item: WikiItem) -> Called:
    kinds = called(item)
    if not kinds:
        raise NoCandidate(NO_KIND, ", ".join(item.kind_labels))
    words = read(text).vocabulary
    return next((kind for kind in kinds if kind.noun in words), kinds[0])
