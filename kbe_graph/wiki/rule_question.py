"""Rule-based questions from statements about a picture's item, without calling a model."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.errors import NoCandidate
from kbe_graph.forms.form_case import AnswerOption, is_alike
from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.question import read
from kbe_graph.seeds import seed_of
from kbe_graph.steps.reply_text import mentions
from kbe_graph.types import PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.askable import CHOICE_ONLY, OTHER_KIND, PROTECTED, SEVERAL, asking_of
from kbe_graph.wiki.distractor_pool import ChoiceDraft, DistractorPool, balanced_choices, values
from kbe_graph.wiki.item_name import NO_KIND, Called, called, names_of, reference, tells
from kbe_graph.wiki.made_question import MadeQuestion
from kbe_graph.wiki.statement_value import ItemFacts, ValueWords, value_words, wrong_options
from kbe_graph.wording.phrases import sentence

TOLD_BY_WORDS = "the words tell the answer"
TOLD_BY_NAME = "the item's name tells the answer"
TOLD_BY_KIND = "the kind tells the answer"
NAMES_ITEM = "the words name the item"
TOO_FEW = "fewer than three sound options"
TOO_OFTEN = "its answer is right too often"

BEYOND = "more than are wanted of a picture"
OF_KIND = frozenset([OTHER_KIND, TOLD_BY_WORDS, NAMES_ITEM])
"""Reasons for which the question is tried with the item's next kind."""
HARDLY_KNOWN = "hardly known"
KNOWN_PERSON, KNOWN_THING = 20, 5
"""Minimum articles, over all languages, for a person or a thing to count as known."""
MOST = 3


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


class MadeQuestions(NamedTuple):
    """The questions of a run, with counts by reason of those refused and those left open (without options)."""

    questions: tuple[MadeQuestion, ...]
    refused: Mapping[str, int]
    open: Mapping[str, int]


def rule_questions(
    described: Iterable[Described], pool: DistractorPool, *, latest: int, most: int = MOST, seed: int = 0
) -> MadeQuestions:
    """Generate at most ``most`` questions per picture by rule, counting the refused ones by reason.

    Properties, kinds and answers are varied over the run. ``latest`` is the last year allowed as an option. The result
    depends on the pictures and the seed, not on the order of pictures.
    """
    refused = Counter[str]()
    drafts: dict[str, list[Drafted]] = {}
    for each in described:
        drafts[each.picture.id] = list(_drafts(each, pool, latest, refused))
    chosen = draw_varied(drafts, most=most, seed=seed)
    refused[BEYOND] += sum(map(len, drafts.values())) - len(chosen)
    return with_choices(chosen, refused, seed=seed)


def _drafts(each: Described, pool: DistractorPool, latest: int, refused: Counter[str]) -> Iterable[Drafted]:
    for property_id in dict.fromkeys(statement.property_id for statement in each.statements if statement.kept):
        try:
            yield draft_question(each, property_id, pool, latest=latest)
        except NoCandidate as none:
            refused[none.reason] += 1


def draft_question(each: Described, property_id: str, pool: DistractorPool, *, latest: int) -> Drafted:
    """Draft the question for a property of a picture's item; raises NoCandidate with the reason if impossible."""
    kinds = called(each.item)
    if not kinds:
        raise NoCandidate(NO_KIND, ", ".join(each.item.kind_labels))
    if 0 < each.item.sitelinks < (KNOWN_PERSON if each.item.human else KNOWN_THING):
        raise NoCandidate(HARDLY_KNOWN, f"{each.item.sitelinks} articles")
    *others, last = kinds
    for kind in others:
        try:
            return _draft(each, property_id, kind, pool, latest)
        except NoCandidate as none:
            if none.reason not in OF_KIND:
                raise
    return _draft(each, property_id, last, pool, latest)


def _draft(each: Described, property_id: str, kind: Called, pool: DistractorPool, latest: int) -> Drafted:
    statement = next(other for other in each.statements if other.property_id == property_id and other.kept)
    asking = asking_of(statement, kind, pool)
    statement, words = only_value(each, property_id, pool)
    check_fact(statement, words, each.item, pool)
    wording = asking.questions[seed_of("wording", each.picture.id, property_id) % len(asking.questions)]
    text = sentence(wording.format(reference(each.picture, each.item, kind)))
    check_words(text, words, each.item, kind)
    made = MadeQuestion(each.picture.id, each.item.id, text, words.answer, statement, kind.noun, words.aliases)
    facts = ItemFacts(each.item, each.statements)
    wrong = wrong_options(statement, words.answer, facts, pool, text, latest=latest, seed=made.seed)
    if asking.mark == CHOICE_ONLY and len(wrong) < WRONG:
        raise NoCandidate(TOO_FEW, text)
    return Drafted(made, wrong, asking.mark == CHOICE_ONLY)


def only_value(each: Described, property_id: str, pool: DistractorPool) -> tuple[WikiStatement, ValueWords]:
    """Return the only current value of a property and its words; raises NoCandidate if there is not exactly one.

    A value of lower rank counts as another value unless it is deprecated or has ended.
    """
    best = values(each.statements, property_id)
    kept = next((statement for statement in best if statement.kept), None)
    if kept is None:
        raise NoCandidate("no value that holds now", property_id)
    words = value_words(kept, pool)
    others = (
        statement
        for statement in each.statements
        if statement.property_id == property_id and statement.rank != "deprecated" and statement.current
    )
    for other in others:
        if other.kind == "none" or (other.target or other.text) == (kept.target or kept.text):
            continue
        if not _says(other, words, pool) and "repeated value" not in other.reasons:
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
    if names_item(text, item, kind):
        raise NoCandidate(NAMES_ITEM, text)


def names_item(text: str, item: WikiItem, kind: Called) -> bool:
    """Return True if a text contains a name of the item, or a capitalised word of one, apart from its kind."""
    rest = text[:1].lower() + text[1:]
    for name in names_of(item):
        if len(name) > 1 and mentions(rest, name) and name.lower() != kind.noun:
            return True
        if any(word[:1].isupper() and len(word) > 3 and word in rest.split() for word in name.split()):
            return True
    return False


def draw_varied(drafts: Mapping[str, Sequence[Drafted]], *, most: int = MOST, seed: int = 0) -> list[Drafted]:
    """Choose at most ``most`` questions per picture, spreading properties, kinds and answers.

    In each round, every picture contributes the question whose property, kind and property, and answer have been used
    least. No property of an item is asked twice.
    """
    waiting = {picture: list(each) for picture, each in drafts.items()}
    order = sorted(waiting, key=lambda picture: seed_of("picture", seed, picture))
    used, chosen = Counter[tuple[str, ...]](), list[Drafted]()
    for _ in range(most):
        for picture in order:
            free = [draft for draft in waiting[picture] if not used[_fact(draft)]]
            if free:
                draft = min(free, key=lambda draft: (_wear(draft, used), seed_of("draw", seed, draft.made.seed)))
                waiting[picture].remove(draft)
                used.update((_fact(draft), *_traits(draft)))
                chosen.append(draft)
    return chosen


def _fact(draft: Drafted) -> tuple[str, ...]:
    return ("fact", draft.made.item, draft.made.statement.property_id)


def _traits(draft: Drafted) -> tuple[tuple[str, ...], ...]:
    made = draft.made
    name = made.statement.property_id
    return (("property", name), ("class", made.called, name), ("answer", made.answer))


def _wear(draft: Drafted, used: Counter[tuple[str, ...]]) -> int:
    return sum(used[trait] for trait in _traits(draft))


def with_choices(drafts: Sequence[Drafted], refused: Mapping[str, int], *, seed: int = 0) -> MadeQuestions:
    """Turn drafts into questions with four options if possible; drafts whose answer is guessable are dropped."""
    seeds = [f"{seed}|{draft.made.seed}" for draft in drafts]
    choices = balanced_choices(
        ChoiceDraft(name, draft.made.answer, draft.wrong) for name, draft in zip(seeds, drafts, strict=True)
    )
    questions, opened, dropped = list[MadeQuestion](), Counter[str](), Counter(refused)
    for name, draft in zip(seeds, drafts, strict=True):
        options = choices.get(name, ())
        reason = "" if options else TOO_FEW if len(draft.wrong) < WRONG else TOO_OFTEN
        if reason == TOO_OFTEN or (reason and draft.choice_only):
            dropped[reason] += 1
            continue
        opened.update([reason] if reason else [])
        questions.append(replace(draft.made, choices=options, open=reason))
    questions.sort(key=lambda made: (made.picture, made.statement.property_id))
    return MadeQuestions(tuple(questions), +dropped, opened)
