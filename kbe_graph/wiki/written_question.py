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
from kbe_graph.steps.wiki_questions import StatementLine, WrittenQuestion
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.askable import CHOICE_ONLY, PROTECTED, asking_of
from kbe_graph.wiki.distractor_pool import DistractorPool
from kbe_graph.wiki.item_name import NO_KIND, Called, called, reference
from kbe_graph.wiki.made_question import MadeQuestion
from kbe_graph.wiki.rule_question import Described, Drafted, check_fact, check_words, only_value
from kbe_graph.wiki.statement_value import ItemFacts, ValueWords, wrong_options

NO_STATEMENT = "names no statement"
OTHER_VALUE = "not the statement's value"
MOST_STATEMENTS = 60
POINTING = ("image", "picture", "photo", "photograph", "shown", "depicted", "pictured", "seen", "this", "here")
NOT_POINTING = "does not speak of the picture"


def offered(described: Described, pool: DistractorPool) -> tuple[WikiStatement, ...]:
    """Select the statements offered to a model, in order of their numbers: those whose property is worth asking.

    Empty if no kind of the item is visible, or if the picture may not show the item.
    """
    kinds = [kind for kind in called(described.item) if _may_show(described, kind)]
    return tuple(
        each
        for each in described.statements
        if each.kept and each.text and any(_is_asked(each, kind, pool) for kind in kinds)
    )[:MOST_STATEMENTS]


def _may_show(described: Described, kind: Called) -> bool:
    try:
        reference(described.picture, described.item, kind)
    except NoCandidate:
        return False
    return True


def _is_asked(statement: WikiStatement, kind: Called, pool: DistractorPool) -> bool:
    try:
        asking_of(statement, kind, pool)
    except NoCandidate:
        return False
    return True


def statement_lines(statements: Iterable[WikiStatement]) -> tuple[StatementLine, ...]:
    """Convert statements to the lines of a prompt."""
    return tuple(StatementLine(each.relation, each.text) for each in statements)


def written_drafts(
    written: Sequence[WrittenQuestion], described: Described, pool: DistractorPool, origin: ReplyOrigin, *, latest: int
) -> tuple[list[Drafted], Counter[str]]:
    """Return the drafts of a reply that pass the checks, and the number of refused ones by reason.

    ``with_choices`` selects their options: the model's own if all are sound, otherwise those of the pool.
    """
    drafts, refused = dict[str, Drafted](), Counter[str]()
    for each in written:
        try:
            draft = written_draft(each, described, pool, latest=latest)
        except NoCandidate as none:
            refused[none.reason] += 1
        else:
            made = replace(draft.made, maker=origin.model, prompt=origin.prompt, calls=(origin.call,))
            drafts.setdefault(made.statement.property_id, draft._replace(made=made))
    return list(drafts.values()), refused


def written_draft(written: WrittenQuestion, described: Described, pool: DistractorPool, *, latest: int) -> Drafted:
    """Check a model's question and return its draft; raises NoCandidate with the reason if refused.

    The checks are those of rule-based questions: the property is worth asking and has a single value, which is the
    answer, and neither the words nor the kind nor the item's name gives it away. The text must also refer to the
    picture.
    """
    kind = _kind_of(written.text, described.item)
    reference(described.picture, described.item, kind)
    statement = _statement_of(written, described, pool)
    is_choice = asking_of(statement, kind, pool).mark == CHOICE_ONLY
    statement, words = only_value(described, statement.property_id, pool)
    if not is_value(written.answer, words):
        raise NoCandidate(OTHER_VALUE, f"{written.answer!r}, not {words.answer!r}")
    check_fact(statement, words, described.item, pool)
    check_words(written.text, words, described.item, kind)
    if not read(written.text).vocabulary & set(POINTING):
        raise NoCandidate(NOT_POINTING, written.text)
    if any(map(protected_words, (written.text, written.answer, *written.wrong))):
        raise NoCandidate(PROTECTED, ", ".join(written.wrong))
    made = MadeQuestion(
        described.picture.id, described.item.id, written.text, words.answer, statement, kind.noun, words.aliases
    )
    return Drafted(made, _wrong(written, made, described, pool, latest), is_choice)


def _wrong(
    written: WrittenQuestion, made: MadeQuestion, described: Described, pool: DistractorPool, latest: int
) -> list[AnswerOption]:
    named = pool.ends(made.statement.property_id)
    own = [AnswerOption(name, named.get(fold(name), "")) for name in written.wrong]
    facts = ItemFacts(described.item, described.statements)
    sound = [
        option
        for option in own
        if not pool.why_unsound(option, made.statement, facts.item, facts.statements, made.text)
        and is_written_alike(option.name, made, latest)
    ]
    if own and len(sound) == len(own) and len({fold(option.name) for option in own}) == len(own):
        return own
    return wrong_options(made.statement, made.answer, facts, pool, made.text, latest=latest, seed=made.seed)


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


def is_value(answer: str, words: ValueWords) -> bool:
    """Return True if an answer is a value or another name of it."""
    return fold(answer) in {fold(name) for name in (words.answer, *words.aliases)}


def _kind_of(text: str, item: WikiItem) -> Called:
    """Return the kind by which a question calls the item, by default the plainest.

    Raises NoCandidate if the item has none.
    """
    kinds = called(item)
    if not kinds:
        raise NoCandidate(NO_KIND, ", ".join(item.kind_labels))
    words = read(text).vocabulary
    return next((kind for kind in kinds if kind.noun in words), kinds[0])
