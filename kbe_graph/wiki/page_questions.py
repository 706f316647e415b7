"""Questions about a picture's item, worded by rules or a model: what is asked, the checks, and the options."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from kbe_graph.english.inflect import lemmas
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.rules import Askable, protected, table
from kbe_graph.facts.wikidata.statement_filters import protected_words
from kbe_graph.forms.form_case import is_alike
from kbe_graph.forms.multiple_choice import TOO_FEW, WRONG, Balance, in_order
from kbe_graph.steps.asker import ReplyOrigin
from kbe_graph.steps.reply_text import mentions
from kbe_graph.steps.tasks import StatementLine, WrittenQuestion
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement, seed_of
from kbe_graph.wiki.item_name import Called, called, names_of, reference, tells
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion
from kbe_graph.wiki.wrong_options import DistractorPool, value_names, values, written_options, wrong_options

CHOICE_ONLY, PROTECTED = "choice only", "protected"
NOT_LISTED, OTHER_KIND = "not in the table of questions", "not asked of this kind"
SEVERAL, HARDLY_KNOWN = "several may be right", "hardly known"
TOLD_BY_WORDS, NAMES_ITEM = "the words tell the answer", "the words name the item"
TOLD_BY_NAME, TOLD_BY_KIND = "the item's name tells the answer", "the kind tells the answer"
OF_KIND = frozenset([OTHER_KIND, TOLD_BY_WORDS, NAMES_ITEM])
"""Reasons for which the question is tried with the item's next kind."""
KNOWN_PERSON, KNOWN_THING = 20, 5
"""Minimum articles, over all languages, for a person or a thing to count as known."""


def rule_drafts(described: Described, pool: DistractorPool, refused: Counter[str]) -> Iterator[MadeQuestion]:
    """Yield a draft for each property of a picture's item that can be asked, and count the others by reason."""
    for property_id in dict.fromkeys(statement.property_id for statement in described.statements if statement.kept):
        try:
            yield draft_question(described, property_id, pool)
        except NoCandidate as none:
            refused[none.reason] += 1


def draft_question(described: Described, property_id: str, pool: DistractorPool) -> MadeQuestion:
    """Draft the question for a property of a picture's item; raises NoCandidate with the reason if impossible."""
    item = described.item
    kinds = called(item)
    if 0 < item.sitelinks < (KNOWN_PERSON if item.human else KNOWN_THING):
        raise NoCandidate(HARDLY_KNOWN, f"{item.sitelinks} articles")
    for kind in kinds[:-1]:
        try:
            return _draft(described, property_id, kind, pool)
        except NoCandidate as none:
            if none.reason not in OF_KIND:
                raise
    return _draft(described, property_id, kinds[-1], pool)


def _draft(described: Described, property_id: str, kind: Called, pool: DistractorPool) -> MadeQuestion:
    picture, item, statements = described
    statement = next(each for each in statements if each.property_id == property_id and each.kept)
    asking = asking_of(statement, kind)
    wording = asking.questions[seed_of("wording", picture.id, property_id) % len(asking.questions)]
    text = wording.format(reference(picture, item, kind))
    made = checked_question(text, described, property_id, kind, pool, choice_only=asking.mark == CHOICE_ONLY)
    if made.choice_only and len(made.wrong) < WRONG:
        raise NoCandidate(TOO_FEW, text)
    return made


def asking_of(statement: WikiStatement, kind: Called) -> Askable:
    """Choose the row of the table for a statement about an item called by ``kind``.

    Raises NoCandidate with the reason if the property is protected, worth no question, or not asked of the kind.
    """
    if statement.property_id in protected():
        raise NoCandidate(PROTECTED, statement.relation)
    rows = table().get(statement.property_id, ())
    row = next((row for row in rows if kind.is_of(row.subject)), None)
    if row is None or not row.questions:
        raise NoCandidate(row.mark if row else OTHER_KIND if rows else NOT_LISTED, statement.relation)
    return row


def checked_question(
    text: str,
    described: Described,
    property_id: str,
    kind: Called,
    pool: DistractorPool,
    *,
    choice_only: bool,
    wrong: Sequence[str] = (),
) -> MadeQuestion:
    """Make the question for a property of a picture's item with these words, after the checks that all must pass.

    Its wrong options are ``wrong`` if all of these are sound, otherwise those of the pool. Raises NoCandidate if the
    property does not have exactly one value, if the words, the kind or the item's name give the answer away, if they
    name the item, or if words or answer concern a protected attribute.
    """
    item = described.item
    statement, names = _only_value(described, property_id, pool)
    answer = names[0]
    if any(is_alike(answer, name) or tells(_own_words(name, item), answer) for name in names_of(item)):
        raise NoCandidate(TOLD_BY_NAME, answer)
    if protected_words(text) or (item.human and protected_words(answer)):
        raise NoCandidate(PROTECTED, f"{text} {answer}")
    if pool.is_told_by_kind(statement, item):
        raise NoCandidate(TOLD_BY_KIND, answer)
    if any(tells(text, name) for name in names):
        raise NoCandidate(TOLD_BY_WORDS, text)
    if _names_item(text, item, kind):
        raise NoCandidate(NAMES_ITEM, text)
    made = MadeQuestion(
        described.picture.id, item.id, text, answer, statement, kind.noun, names[1:], choice_only=choice_only
    )
    options = written_options(wrong, made, described, pool) or wrong_options(made, described, pool)
    return replace(made, wrong=tuple(options))


def _only_value(described: Described, property_id: str, pool: DistractorPool) -> tuple[WikiStatement, tuple[str, ...]]:
    """Return the only current value of a property and its names; raises NoCandidate if there is not exactly one.

    A value of lower rank counts as another value unless it is deprecated or has ended.
    """
    kept = next((statement for statement in values(described.statements, property_id) if statement.kept), None)
    if kept is None:
        raise NoCandidate("no value that holds now", property_id)
    names = value_names(kept, pool)
    for other in described.statements:
        if other.property_id != property_id or other.rank == "deprecated" or not other.current or other.kind == "none":
            continue
        if (other.target or other.text) == (kept.target or kept.text) or "repeated value" in other.reasons:
            continue
        if not _is_called(other, names[0], pool):
            raise NoCandidate(SEVERAL, f"{kept.relation}: {kept.text!r}, {other.text!r}")
    return kept, names


def _is_called(statement: WikiStatement, answer: str, pool: DistractorPool) -> bool:
    try:
        return value_names(statement, pool)[0] == answer
    except NoCandidate:
        return False


def _own_words(name: str, item: WikiItem) -> str:
    kinds = {word for label in item.kind_labels for word in lemmas(label)}
    return " ".join(word for word in name.split() if kinds.isdisjoint(lemmas(word)))


def _names_item(text: str, item: WikiItem, kind: Called) -> bool:
    """Return True if a text contains a name of the item, or a capitalised word of one, apart from its kind."""
    rest = text[:1].lower() + text[1:]
    for name in names_of(item):
        if len(name) > 1 and mentions(rest, name) and name.lower() != kind.noun:
            return True
        if any(word[:1].isupper() and len(word) > 3 and word in rest.split() for word in name.split()):
            return True
    return False


TOO_OFTEN = "its answer is right too often"
BEYOND = "more than are wanted of a picture"
OFTEN, MOST_RIGHT = 4, 0.36  # an answer right this often, and in more than this share of its sets, is refused


def draw_questions(
    drafts: Mapping[str, Sequence[MadeQuestion]], refused: Counter[str], *, most: int, seed: int = 0
) -> list[MadeQuestion]:
    """Choose at most ``most`` questions per picture, spreading properties, kinds and answers, and give them options.

    In each round, every picture contributes the question whose property, kind and property, and answer have been used
    least. No property of an item is asked twice. What is left out is counted in ``refused`` by reason. The result
    depends on the pictures and the seed, not on the order of pictures.
    """
    waiting = {picture: list(each) for picture, each in drafts.items()}
    order = sorted(waiting, key=lambda picture: seed_of("picture", seed, picture))
    used, chosen = Counter[tuple[str, ...]](), list[MadeQuestion]()

    def wear(made: MadeQuestion) -> tuple[int, int]:
        return sum(used[trait] for trait in _traits(made)[1:]), seed_of("draw", seed, made.seed)

    for _ in range(most):
        for picture in order:
            made = min((each for each in waiting[picture] if not used[_traits(each)[0]]), key=wear, default=None)
            if made:
                waiting[picture].remove(made)
                used.update(_traits(made))
                chosen.append(made)
    refused[BEYOND] += sum(map(len, waiting.values()))
    return with_choices(chosen, refused, seed=seed)


def _traits(made: MadeQuestion) -> tuple[tuple[str, ...], ...]:
    name = made.statement.property_id
    return ("fact", made.item, name), ("property", name), ("class", made.called, name), ("answer", made.answer)


def with_choices(drafts: Sequence[MadeQuestion], refused: Counter[str], *, seed: int = 0) -> list[MadeQuestion]:
    """Give drafts four options each, in seeded order, if possible; those whose answer is guessable are dropped.

    Wrong options that are right elsewhere more often than they are wrong are preferred. Drafts with fewer than three
    sound options are open questions, unless several answers are right without options.
    """
    lots = {f"{seed}|{made.seed}": made for made in drafts}
    ready = sorted((lot for lot in lots if len(lots[lot].wrong) >= WRONG), key=lambda lot: seed_of("choice", lot))
    balance = Balance(lots[lot].answer for lot in ready)
    drawn: dict[str, list[str]] = {}
    for lot in ready:
        drawn[lot] = [option.name for option in balance.foremost(lots[lot].wrong, lot)[:WRONG]]
        balance.move(drawn[lot], -Fraction(1, WRONG + 1))
    guessable = _guessable([(lot, fold(lots[lot].answer)) for lot in ready], drawn)
    questions: list[MadeQuestion] = []
    for lot, made in lots.items():
        if lot in guessable or (lot not in drawn and made.choice_only):
            refused[TOO_OFTEN if lot in guessable else TOO_FEW] += 1
        elif lot in drawn:
            place = seed_of("place", lot) % (WRONG + 1)
            questions.append(replace(made, choices=in_order([made.answer], drawn[lot], [place], lot)))
        else:
            questions.append(made)
    return sorted(questions, key=lambda made: (made.picture, made.statement.property_id))


def _guessable(answers: Sequence[tuple[str, str]], drawn: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the sets of options to drop so that no answer is right so often that guessing it pays."""
    right = Counter(answer for _, answer in answers)
    wrong = Counter(fold(name) for names in drawn.values() for name in names)
    dropped = set[str]()
    for lot, answer in reversed(answers):
        if right[answer] >= OFTEN and right[answer] > MOST_RIGHT * (right[answer] + wrong[answer]):
            right[answer] -= 1
            wrong.subtract(map(fold, drawn[lot]))
            dropped.add(lot)
    return dropped


NO_STATEMENT, OTHER_VALUE = "names no statement", "not the statement's value"
NOT_POINTING = "does not speak of the picture"
POINTING = {"image", "picture", "photo", "photograph", "shown", "depicted", "pictured", "seen", "this", "here"}
MOST_STATEMENTS = 60


def offered(described: Described) -> tuple[WikiStatement, ...]:
    """Select the statements offered to a model, in order of their numbers: those whose property is worth asking.

    Empty if no kind of the item is visible, or if the picture may not show the item.
    """
    statements = (each for each in described.statements if each.kept and each.text)
    return tuple(each for each in statements if _is_asked(described, each))[:MOST_STATEMENTS]


def _is_asked(described: Described, statement: WikiStatement) -> bool:
    with suppress(NoCandidate):
        for kind in called(described.item):
            with suppress(NoCandidate):
                reference(described.picture, described.item, kind)
                asking_of(statement, kind)
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
    kinds, words = called(described.item), set(re.findall(r"[a-z]+", written.text.lower()))
    kind = next((kind for kind in kinds if mentions(written.text, kind.noun)), kinds[0])
    reference(described.picture, described.item, kind)
    statement = _statement_of(written, described)
    mark = asking_of(statement, kind).mark
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
    if any(map(protected_words, (written.answer, *written.wrong))):
        raise NoCandidate(PROTECTED, ", ".join(written.wrong))
    return made


def _statement_of(written: WrittenQuestion, described: Described) -> WikiStatement:
    lines = offered(described)
    if 1 <= written.number <= len(lines):
        return lines[written.number - 1]
    fit = [each for each in lines if fold(each.text) == fold(written.answer)]
    if written.number or len(fit) != 1:
        raise NoCandidate(NO_STATEMENT, f"{written.number or written.answer!r}")
    return fit[0]
