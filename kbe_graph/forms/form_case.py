"""Question to be given another form, its wrong options, and why an option may not stand next to the right one."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

from kbe_graph.checks.chain import Chain, chain, first_sense
from kbe_graph.english.inflect import is_plural, lemmas, singular
from kbe_graph.english.noun import is_noun
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import kinds_of
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import RAW, Alternative, Question, Sample, SampleGraph


@dataclass(frozen=True)
class FormCase:
    """Question with its sample, the sample's graph (None: only loaded) and the facts to check it against.

    ``alternatives`` are other things that the image could have shown, each with the answer that it leads to.
    """

    sample: Sample
    question: Question
    graph: SampleGraph | None
    walk: Walk
    alternatives: tuple[Alternative, ...] = ()

    @property
    def row(self) -> str:
        """The group to balance within: raw questions, re-selected ones, or those of one hop."""
        return f"{self.question.kind} {self.question.hop}"

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """The names of the things in the image, from the visual graph."""
        visual = self.graph.visual if self.graph else ()
        return tuple(dict.fromkeys(triplet.object.name.lower() for triplet in visual if triplet.object.noun))

    @property
    def concept(self) -> str:
        """The concept of the answer; empty if unknown."""
        return self.question.concept or (self.question.end.concept if self.question.key else "")

    @property
    def is_noun(self) -> bool:
        """Whether the answer is a noun."""
        question = self.question
        return question.end.noun if question.key else is_noun(question.text, question.answer).keep

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All accepted answers as written, the question's own first."""
        people = self.sample.answers if self.question.run == RAW else ()
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))

    @cached_property
    def right(self) -> frozenset[str]:
        """The folded names of everything right: accepted answers, and other ends of the chain's facts."""
        ends = frozenset[str]().union(*map(self.walk.names, (self.concept, *self.ends) if self.concept else self.ends))
        return frozenset(map(fold, (*self.names, *map(singular, self.names)))) | ends

    @cached_property
    def chain(self) -> Chain:
        """The explored end of the key; only the answer if nothing was explored."""
        return chain(self.question)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The concepts that the chain leads to from its first answer and from each human answer."""
        if not self.question.explored:
            return ()
        starts = dict.fromkeys((self.chain.concepts[0], *map(first_sense, self.sample.answers)))
        ends = (end for start in starts if start for end in self.walk.follow(start, self.chain.relations))
        return tuple(dict.fromkeys(ends))


SENSES = 3  # senses to consider for a name without a known concept
STEM = 5  # length of a common prefix that suggests two names for one thing


class AnswerOption(NamedTuple):
    """Possible answer to offer, with its name and concept; ``weight`` is how often it is an answer."""

    name: str
    concept: str = ""
    weight: int = 0


def why_unsound(option: AnswerOption, case: FormCase, *, but: Collection[str] = ()) -> str:
    """Explain why an option may be right, or is obviously wrong, next to a question's answer; empty if it is sound.

    The checks named in ``but`` are skipped.
    """
    return next((reason for reason, check in CHECKS.items() if reason not in but and check(option, case)), "")


def _is_accepted(option: AnswerOption, case: FormCase) -> bool:
    names = {fold(option.name)} | (case.walk.names(option.concept) if option.concept else frozenset())
    return bool(names & case.right)


def _is_like_an_answer(option: AnswerOption, case: FormCase) -> bool:
    return any(is_alike(option.name, name) for name in case.names)


def _is_above_or_below(option: AnswerOption, case: FormCase) -> bool:
    """Return True if an option and an answer are kinds of each other in common senses.

    All senses are tried because a name does not show its sense: a catamaran is a raft, and a boat.
    """
    concepts = (case.concept, *[""] * len(case.names))
    senses = {sense for named in zip(case.names, concepts, strict=False) for sense in _senses(*named)}
    return any(_above(*pair) for pair in product(_senses(option.name, option.concept), senses))


def _is_named(option: AnswerOption, case: FormCase) -> bool:
    given = (case.question.text, *(triplet.subject.name for triplet in case.question.explored))
    return bool(_words(option.name) & frozenset[str]().union(*map(_words, given)))


def _differs_in_number(option: AnswerOption, case: FormCase) -> bool:
    return is_plural(option.name) != is_plural(case.question.answer)


def _words(name: str) -> frozenset[str]:
    return frozenset(lemmas(name))


def is_alike(name: str, other: str) -> bool:
    """Return True if one name contains all words of the other (tree, pine tree), ends with it, or begins like it."""
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
    if not option.concept or not case.concept:
        return False
    subject = case.chain.concepts[-2] if case.question.explored else ""
    near = {*case.walk.distances(option.concept, 1), *case.walk.distances(case.concept, 1)}
    if {option.concept, case.concept} & near:
        return True
    return bool(subject) and option.concept in case.walk.distances(subject, 2)


def _is_seen(option: AnswerOption, case: FormCase) -> bool:
    concept = option.concept or first_sense(option.name)
    names = {fold(option.name), *lemmas(option.name)}
    return any(
        fold(name) in names or (concept and (seen := first_sense(name)) and _above(concept, seen)) for name in case.seen
    )


CHECKS: Mapping[str, Callable[[AnswerOption, FormCase], bool]] = {
    "accepted": _is_accepted,
    "alike": _is_like_an_answer,
    "number": _differs_in_number,
    "named": _is_named,
    "kind": _is_above_or_below,
    "linked": _is_linked,
    "seen": _is_seen,
}
"""Checks that reject an option, by reason, cheapest first."""
