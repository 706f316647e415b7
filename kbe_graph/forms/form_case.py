"""A question that is to get another form, its wrong options, and why an option may not stand beside the right one."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

from kbe_graph.checks.chain import Chain, chain, first_sense
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.walk import Walk
from kbe_graph.senses.sense import link
from kbe_graph.text import fold
from kbe_graph.types import RAW, Alternative, Question, Sample, SampleGraph


@dataclass(frozen=True)
class FormCase:
    """A question with its sample, the sample's graph, and the facts by which it is looked at.

    ``alternatives`` are other things that the picture could have shown, each with the answer that it leads to.
    """

    sample: Sample
    question: Question
    graph: SampleGraph
    walk: Walk
    alternatives: tuple[Alternative, ...] = ()

    @property
    def row(self) -> str:
        """The group that it is balanced within: the raw questions, the re-selected ones, or those of a hop."""
        return f"{self.question.kind} {self.question.hop}"

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """The names of the things in the picture, as the visual graph has them."""
        return tuple(dict.fromkeys(triplet.object.name.lower() for triplet in self.graph.visual if triplet.object.noun))

    @cached_property
    def concept(self) -> str:
        """The concept of the answer: the question's own, else as its words and the picture say; empty if none does."""
        question = self.question
        return question.concept or question.end.concept or link(question.text, question.answer, self.seen).concept

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All accepted answers as they are written, the question's own first."""
        people = self.sample.answers if self.question.run == RAW else ()
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))

    @cached_property
    def right(self) -> frozenset[str]:
        """The names of all that is right, folded: accepted answers, and where else the facts of its chain lead."""
        ends = frozenset[str]().union(*map(self.walk.names, (self.concept, *self.ends) if self.concept else self.ends))
        return frozenset(map(fold, (*self.names, *map(singular, self.names)))) | ends

    @cached_property
    def chain(self) -> Chain:
        """The explored end of its key, empty but for the answer where nothing was explored."""
        return chain(self.question)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The concepts that the chain leads to, from its first answer and from each that people gave instead."""
        if not self.question.explored:
            return ()
        starts = dict.fromkeys((self.chain.concepts[0], *map(first_sense, self.sample.answers)))
        ends = (end for start in starts if start for end in self.walk.follow(start, self.chain.relations))
        return tuple(dict.fromkeys(ends))


SENSES = 3  # of a name whose concept is not known
# Kinds whose members are called by each other's names where they are seen: a boat and a yacht, a cow and an ox.
ALIKE = frozenset(["watercraft", "bovine"])
# How plants grow, and no kind of plant: a tree is no option beside lavender.
GROWTHS = frozenset(["tree", "flower", "vine", "shrub", "bush", "herb", "grass", "weed"])
STEM = 5  # letters that two names of one thing share at their beginning


class AnswerOption(NamedTuple):
    """A thing that may be offered as an answer, by its name and concept; ``weight`` how often it is one."""

    name: str
    concept: str = ""
    weight: int = 0


def why_unsound(option: AnswerOption, case: FormCase, *, but: Collection[str] = ()) -> str:
    """Return why an option may be right, or plainly wrong, beside the answer of a question; empty where it is sound.

    The checks named in ``but`` are left out.
    """
    return next((reason for reason, check in CHECKS.items() if reason not in but and check(option, case)), "")


def _is_accepted(option: AnswerOption, case: FormCase) -> bool:
    names = {fold(option.name)} | (case.walk.names(option.concept) if option.concept else frozenset())
    return bool(names & case.right)


def _is_like_an_answer(option: AnswerOption, case: FormCase) -> bool:
    return any(is_alike(option.name, name) for name in case.names)


def _is_above_or_below(option: AnswerOption, case: FormCase) -> bool:
    """Return True if the option is a kind of an answer, or that of it, in any common sense of both, or hardly another.

    A name does not show its sense: a catamaran is a raft, and a boat.
    """
    concepts = (case.concept, *[""] * len(case.names))
    senses = {sense for named in zip(case.names, concepts, strict=False) for sense in _senses(*named)}
    return any(
        _above(*pair) or _is_hardly_another(*pair) for pair in product(_senses(option.name, option.concept), senses)
    )


def _is_hardly_another(first: str, second: str) -> bool:
    shared = {*kinds_of(first)} & {*kinds_of(second)}
    return any(ALIKE & set(synset.lemmas) for synset in map(synset_of, shared) if synset)


def _is_named(option: AnswerOption, case: FormCase) -> bool:
    """Return True if the question, or a thing that its chain goes through, has a word of the option."""
    given = (case.question.text, *(triplet.subject.name for triplet in case.question.explored))
    return bool(_words(option.name) & frozenset[str]().union(*map(_words, given)))


def _differs_in_number(option: AnswerOption, case: FormCase) -> bool:
    return is_plural(option.name) != is_plural(case.question.answer)


def _is_less_exact(option: AnswerOption, case: FormCase) -> bool:
    return bool(_words(option.name) & GROWTHS) and not _words(case.question.answer) & GROWTHS


def _words(name: str) -> frozenset[str]:
    return frozenset(lemmas(name))


def is_alike(name: str, other: str) -> bool:
    """Return True if one name has all words of the other (tree, pine tree), or begins or ends like it."""
    first, second = _words(name), _words(other)
    if not first or not second:
        return fold(name) == fold(other)
    if first <= second or second <= first:
        return True
    short, long = sorted((fold(name), fold(other)), key=len)
    return long.endswith(short) or (" " not in short + long and short[:STEM] == long[:STEM])


def _above(first: str, second: str) -> bool:
    return first in kinds_of(second) or second in kinds_of(first)


def _senses(name: str, concept: str) -> Iterator[str]:
    if concept:
        yield concept
    for synset in wordnet().lookup(name).synsets[:SENSES]:
        yield synset.id


def _is_linked(option: AnswerOption, case: FormCase) -> bool:
    """Return True if a fact joins the option with the answer (a part, a place within it) or with the thing asked of."""
    if not option.concept or not case.concept:
        return False
    subject = case.chain.concepts[-2] if case.question.explored else ""
    near = {*case.walk.distances(option.concept, 1), *case.walk.distances(case.concept, 1)}
    if {option.concept, case.concept} & near:
        return True
    return bool(subject) and option.concept in case.walk.distances(subject, 2)


def _is_seen(option: AnswerOption, case: FormCase) -> bool:
    """Return True if the option, a kind of it, or a kind that it belongs to is in the picture."""
    concept = option.concept or first_sense(option.name)
    names = {fold(option.name), *lemmas(option.name)}
    return any(
        fold(name) in names or (concept and (seen := first_sense(name)) and _above(concept, seen)) for name in case.seen
    )


CHECKS: Mapping[str, Callable[[AnswerOption, FormCase], bool]] = {
    "accepted": _is_accepted,
    "alike": _is_like_an_answer,
    "number": _differs_in_number,
    "less exact": _is_less_exact,
    "named": _is_named,
    "kind": _is_above_or_below,
    "linked": _is_linked,
    "seen": _is_seen,
}
"""Why an option is not sound, the cheapest check first."""
