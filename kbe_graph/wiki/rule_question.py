"""Questions from statements about a picture's item: what is asked, in which words, and with which options."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.rules import ANY, Askable, protected, relation_of, table
from kbe_graph.forms.form_case import AnswerOption, is_alike
from kbe_graph.forms.multiple_choice import TOO_FEW, WRONG, Balance, in_order
from kbe_graph.question import read
from kbe_graph.seeds import seed_of
from kbe_graph.steps.reply_text import mentions
from kbe_graph.text import fold
from kbe_graph.types import PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.answer_value import ValueWords, value_words, wrong_options
from kbe_graph.wiki.distractor_pool import AskedValue, DistractorPool, values
from kbe_graph.wiki.item_name import NO_KIND, Called, called, names_of, reference, tells
from kbe_graph.wiki.wiki_sample import MadeQuestion
from kbe_graph.wording.phrases import fill, question_of, sentence
from kbe_graph.wording.reference import Phrase

CHOICE_ONLY, PROTECTED = "choice only", "protected"
NO_WORDS, OTHER_KIND = "no words for the property", "not asked of this kind"
MAY_CHANGE, NOT_SINGLE = "a quantity that may change", "not known to have one value"
SEVERAL, HARDLY_KNOWN = "several may be right", "hardly known"
TOLD_BY_WORDS, NAMES_ITEM = "the words tell the answer", "the words name the item"
TOLD_BY_NAME, TOLD_BY_KIND = "the item's name tells the answer", "the kind tells the answer"
OF_KIND = frozenset([OTHER_KIND, TOLD_BY_WORDS, NAMES_ITEM])
"""Reasons for which the question is tried with the item's next kind."""
KNOWN_PERSON, KNOWN_THING = 20, 5
"""Minimum articles, over all languages, for a person or a thing to count as known."""
HAVING, SINGLE = 20, 0.95  # minimum items with a property that is not in the table, and minimum share with one value
MOST_SEVERAL = 0.5  # share of items with several values that overrides the table


class Described(NamedTuple):
    """A picture with its item and all statements about it, including refused ones."""

    picture: PagePicture
    item: WikiItem
    statements: Sequence[WikiStatement]


class Drafted(NamedTuple):
    """A question without its options, and the sound wrong options for it."""

    made: MadeQuestion
    wrong: Sequence[AnswerOption] = ()
    choice_only: bool = False


def rule_drafts(described: Described, pool: DistractorPool, refused: Counter[str], *, latest: int) -> Iterator[Drafted]:
    """Yield a draft for each property of a picture's item that can be asked, and count the others by reason.

    ``latest`` is the last year allowed as an option.
    """
    for property_id in dict.fromkeys(statement.property_id for statement in described.statements if statement.kept):
        try:
            yield draft_question(described, property_id, pool, latest=latest)
        except NoCandidate as none:
            refused[none.reason] += 1


def draft_question(described: Described, property_id: str, pool: DistractorPool, *, latest: int) -> Drafted:
    """Draft the question for a property of a picture's item; raises NoCandidate with the reason if impossible."""
    item = described.item
    kinds = called(item)
    if not kinds:
        raise NoCandidate(NO_KIND, ", ".join(item.kind_labels))
    if 0 < item.sitelinks < (KNOWN_PERSON if item.human else KNOWN_THING):
        raise NoCandidate(HARDLY_KNOWN, f"{item.sitelinks} articles")
    for kind in kinds[:-1]:
        try:
            return _draft(described, property_id, kind, pool, latest)
        except NoCandidate as none:
            if none.reason not in OF_KIND:
                raise
    return _draft(described, property_id, kinds[-1], pool, latest)


def _draft(described: Described, property_id: str, kind: Called, pool: DistractorPool, latest: int) -> Drafted:
    picture, item, statements = described
    statement = next(each for each in statements if each.property_id == property_id and each.kept)
    asking = asking_of(statement, kind, pool)
    statement, words = only_value(described, property_id, pool)
    check_fact(statement, words, item, pool)
    wording = asking.questions[seed_of("wording", picture.id, property_id) % len(asking.questions)]
    text = sentence(wording.format(reference(picture, item, kind)))
    check_words(text, words, item, kind)
    made = MadeQuestion(picture.id, item.id, text, words.answer, statement, kind.noun, words.aliases)
    asked = AskedValue(statement, item, statements, text)
    wrong = wrong_options(asked, words.answer, pool, latest=latest, seed=made.seed)
    if asking.mark == CHOICE_ONLY and len(wrong) < WRONG:
        raise NoCandidate(TOO_FEW, text)
    return Drafted(made, wrong, asking.mark == CHOICE_ONLY)


def asking_of(statement: WikiStatement, kind: Called, pool: DistractorPool) -> Askable:
    """Choose the row of the table for a statement about an item called by ``kind``.

    A property missing from the table is asked by its label if no word of the label is refused by the table, its value
    is an item or a time, and nearly all of many items have a single value. Raises NoCandidate with the reason if the
    property is protected, worth no question, often has several values, or is not asked of the kind.
    """
    if statement.property_id in protected():
        raise NoCandidate(PROTECTED, statement.relation)
    having, single = pool.holders(statement.property_id)
    rows_of = table().get(statement.property_id, ())
    if not rows_of:
        return _by_label(statement, having, single)
    row = next((row for row in rows_of if kind.is_of(row.subject)), None)
    if row is None or not row.questions:
        raise NoCandidate(row.mark if row else OTHER_KIND, statement.relation)
    if having >= HAVING and single < (1 - MOST_SEVERAL) * having:
        raise NoCandidate(SEVERAL, statement.relation)
    return row


def _by_label(statement: WikiStatement, having: int, single: int) -> Askable:
    label = statement.relation
    words = set(re.findall(r"[a-z]+", fold(label)))
    refused = next((row.mark for row in table()[ANY] if fold(row.label) in words), "")
    if refused:
        raise NoCandidate(refused, label)
    datatype = {"wikibase-item": "WikibaseItem", "time": "Time"}.get(statement.datatype)
    if datatype is None:
        raise NoCandidate(MAY_CHANGE if statement.datatype == "quantity" else NO_WORDS, label)
    if having < HAVING or single < SINGLE * having:
        raise NoCandidate(NOT_SINGLE, label)
    relation = relation_of(statement.property_id, label, datatype)
    phrases = relation.phrases if relation else ()
    question = question_of(relation, fill(phrases[0], Phrase("{}"))) if relation and phrases else ""
    if not question:
        raise NoCandidate(NO_WORDS, label)
    return Askable(statement.property_id, label, (), (question,), "")


def only_value(described: Described, property_id: str, pool: DistractorPool) -> tuple[WikiStatement, ValueWords]:
    """Return the only current value of a property and its words; raises NoCandidate if there is not exactly one.

    A value of lower rank counts as another value unless it is deprecated or has ended.
    """
    kept = next((statement for statement in values(described.statements, property_id) if statement.kept), None)
    if kept is None:
        raise NoCandidate("no value that holds now", property_id)
    words = value_words(kept, pool)
    for other in described.statements:
        if other.property_id != property_id or other.rank == "deprecated" or not other.current or other.kind == "none":
            continue
        if (other.target or other.text) == (kept.target or kept.text) or "repeated value" in other.reasons:
            continue
        if not _says(other, words, pool):
            raise NoCandidate(SEVERAL, f"{kept.relation}: {kept.text!r}, {other.text!r}")
    return kept, words


def _says(statement: WikiStatement, words: ValueWords, pool: DistractorPool) -> bool:
    try:
        return value_words(statement, pool).answer == words.answer
    except NoCandidate:
        return False


def check_fact(statement: WikiStatement, words: ValueWords, item: WikiItem, pool: DistractorPool) -> None:
    """Raise NoCandidate for a fact that the item's name or kind gives away, or that is about a protected attribute."""
    if any(is_alike(words.answer, name) or tells(_own_words(name, item), words.answer) for name in names_of(item)):
        raise NoCandidate(TOLD_BY_NAME, words.answer)
    if item.human and is_of_kind(first_sense(words.answer), "protected attribute"):
        raise NoCandidate(PROTECTED, words.answer)
    if pool.is_told_by_kind(statement, item):
        raise NoCandidate(TOLD_BY_KIND, words.answer)


def _own_words(name: str, item: WikiItem) -> str:
    kinds = {word for label in item.kind_labels for word in lemmas(label)}
    return " ".join(word for word in name.split() if kinds.isdisjoint(lemmas(word)))


def check_words(text: str, words: ValueWords, item: WikiItem, kind: Called) -> None:
    """Raise NoCandidate if the words give the answer away, name the item, or ask about a protected attribute."""
    if read(text).protected:
        raise NoCandidate(PROTECTED, text)
    if any(tells(text, answer, read(text).head) for answer in (words.answer, *words.aliases)):
        raise NoCandidate(TOLD_BY_WORDS, text)
    if _names_item(text, item, kind):
        raise NoCandidate(NAMES_ITEM, text)


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
    drafts: Mapping[str, Sequence[Drafted]], refused: Counter[str], *, most: int, seed: int = 0
) -> list[MadeQuestion]:
    """Choose at most ``most`` questions per picture, spreading properties, kinds and answers, and give them options.

    In each round, every picture contributes the question whose property, kind and property, and answer have been used
    least. No property of an item is asked twice. What is left out is counted in ``refused`` by reason. The result
    depends on the pictures and the seed, not on the order of pictures.
    """
    waiting = {picture: list(each) for picture, each in drafts.items()}
    order = sorted(waiting, key=lambda picture: seed_of("picture", seed, picture))
    used, chosen = Counter[tuple[str, ...]](), list[Drafted]()
    for _ in range(most):
        for picture in order:
            free = [draft for draft in waiting[picture] if not used[_fact(draft.made)]]
            if free:
                draft = min(free, key=lambda draft: (_wear(draft.made, used), seed_of("draw", seed, draft.made.seed)))
                waiting[picture].remove(draft)
                used.update((_fact(draft.made), *_traits(draft.made)))
                chosen.append(draft)
    refused[BEYOND] += sum(map(len, waiting.values()))
    return with_choices(chosen, refused, seed=seed)


def _fact(made: MadeQuestion) -> tuple[str, ...]:
    return ("fact", made.item, made.statement.property_id)


def _traits(made: MadeQuestion) -> tuple[tuple[str, ...], ...]:
    name = made.statement.property_id
    return (("property", name), ("class", made.called, name), ("answer", made.answer))


def _wear(made: MadeQuestion, used: Counter[tuple[str, ...]]) -> int:
    return sum(used[trait] for trait in _traits(made))


def with_choices(drafts: Sequence[Drafted], refused: Counter[str], *, seed: int = 0) -> list[MadeQuestion]:
    """Turn drafts into questions with four options if possible; drafts whose answer is guessable are dropped."""
    by_seed = {f"{seed}|{draft.made.seed}": draft for draft in drafts}
    choices = balanced_choices(ChoiceDraft(name, draft.made.answer, draft.wrong) for name, draft in by_seed.items())
    questions: list[MadeQuestion] = []
    for name, draft in by_seed.items():
        options = choices.get(name, ())
        reason = "" if options else TOO_FEW if len(draft.wrong) < WRONG else TOO_OFTEN
        if reason == TOO_OFTEN or (reason and draft.choice_only):
            refused[reason] += 1
        else:
            questions.append(replace(draft.made, choices=options, open=reason))
    return sorted(questions, key=lambda made: (made.picture, made.statement.property_id))


class ChoiceDraft(NamedTuple):
    """A question before its options are chosen: a seed, its answer, and the sound wrong options."""

    seed: str
    answer: str
    wrong: Sequence[AnswerOption]


def balanced_choices(drafts: Iterable[ChoiceDraft]) -> dict[str, tuple[str, ...]]:
    """Choose four options for each question, by its seed, in seeded order.

    Wrong options that are right elsewhere more often than they are wrong are preferred. Questions with fewer than three
    sound options, or whose answer is right so often that guessing it pays, are left out.
    """
    ready = sorted((each for each in drafts if len(each.wrong) >= WRONG), key=lambda each: seed_of("choice", each.seed))
    balance = Balance(each.answer for each in ready)
    drawn = {each.seed: [option.name for option in balance.draw(each.wrong, each.seed)] for each in ready}
    return {
        each.seed: in_order([each.answer], drawn[each.seed], [seed_of("place", each.seed) % (WRONG + 1)], each.seed)
        for each in _without_guessable(ready, drawn)
    }


def _without_guessable(ready: Sequence[ChoiceDraft], drawn: Mapping[str, Sequence[str]]) -> list[ChoiceDraft]:
    right = Counter(fold(each.answer) for each in ready)
    wrong = Counter(fold(name) for names in drawn.values() for name in names)
    kept: list[ChoiceDraft] = []
    for each in reversed(ready):
        name = fold(each.answer)
        if right[name] >= OFTEN and right[name] > MOST_RIGHT * (right[name] + wrong[name]):
            right[name] -= 1
            wrong.subtract(map(fold, drawn[each.seed]))
        else:
            kept.append(each)
    return kept
