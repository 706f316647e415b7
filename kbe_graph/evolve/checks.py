"""Checks of a finished question: it has one answer, and every hop of it, and its image, are needed.

They ask all facts, not the one that was drawn. What can answer a question with something taken away is a ``Solver``: the pack
here, a model elsewhere.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kbe_graph.filters.chain import Chain, chain, named
from kbe_graph.filters.implied import Implications
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.knowledge.pack import Pack
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Question

SEVERAL_ANSWERS = "several answers"
HOP_NOT_NEEDED = "hop not needed"
IMAGE_NOT_NEEDED = "image not needed"

Check = Callable[[Candidate, Question], Decision]


@dataclass(frozen=True, slots=True)
class Known:
    """What a solver may use of a question.

    ``text`` says whether it may read its words, ``given`` are places on the chain (0 is the first answer) whose objects are
    given away, ``last_fact`` says whether it may use the last hop's fact. The image is never shown: what it shows is given.
    """

    text: bool = True
    given: tuple[int, ...] = ()
    last_fact: bool = True


WITHOUT_IMAGE = Known()


class Solver(Protocol):
    """Something that answers questions."""

    def answers(self, question: Question, known: Known) -> frozenset[str]:
        """Return the folded names of the answers that follow from what is known; several where it cannot tell."""


class PackSolver:
    """Answers by the facts of a pack: from what is given and what the words name, along any end of the question's relations.

    What a kind named in the words implies (``filters.blind``) is an answer too; and what is given may lead to the answer by any
    facts that are fewer than the chain's own.
    """

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._walk = walk
        self._settings = settings
        self._implications = Implications(walk, settings)

    def answers(self, question: Question, known: Known) -> frozenset[str]:
        """Return the names of what the facts lead to."""
        links = chain(question)
        ends = {end for place in known.given for end in self._from_given(links, place, last_fact=known.last_fact)}
        if known.text and known.last_fact:
            ends.update(self._from_words(question.text, links))
        return frozenset(name for end in ends for name in self._walk.names(end))

    def _from_given(self, links: Chain, place: int, *, last_fact: bool) -> Iterable[str]:
        here, left = links.concepts[place], len(links.relations) - place
        last = (links.concepts[-2], links.relations[-1], links.concepts[-1])
        for start in range(place, len(links.relations)):
            yield from self._walk.follow(here, links.relations[start:], without=None if last_fact else last)
        if not last_fact:
            yield from self._walk.pack.reachable(here, left - 1)

    def _from_words(self, text: str, links: Chain) -> Iterable[str]:
        for senses in named(text):
            for start in range(len(links.relations)):
                yield from self._walk.follow(senses[0], links.relations[start:])
        found = self._implications.strongest(text, links.concepts, links.relations)
        if found is not None and found.share >= self._settings.blind_share:
            yield links.concepts[-1]


def several_answers(question: Question, walk: Walk, *, also: Sequence[str] = ()) -> Decision:
    """Return whether the key path, run again over all facts, leads to the answer and its other names alone.

    ``also`` are concepts that the first answer may be as well: where the benchmark's own people disagree (pigeon, dove) and the
    facts part their ways, the question has several answers.
    """
    concepts, relations, _ = chain(question)
    right = {fold(question.answer), *map(fold, question.aliases), *walk.names(concepts[-1])}
    ends = walk.follow(concepts[0], relations)
    others = [one for start in also for one in walk.follow(start, relations)]
    wrong = [walk.label(end) for end in (*ends, *others) if not right & walk.names(end)]
    if wrong or not ends:
        found = ", ".join(dict.fromkeys(wrong)) or "nothing"
        return Decision(keep=False, reason=SEVERAL_ANSWERS, detail=f"the facts lead to {found}")
    return KEEP


def hop_needed(question: Question, solver: Solver) -> Decision:
    """Return whether image and last hop are needed: the answer must not follow without the one or the other.

    Asked are the words alone; then, without the last fact, each earlier object given away.
    """
    right = {fold(question.answer), *map(fold, question.aliases)}
    if right & solver.answers(question, WITHOUT_IMAGE):
        return Decision(keep=False, reason=IMAGE_NOT_NEEDED, detail="the words alone lead to the answer")
    for place, triplet in enumerate(question.key[len(question.key) - question.hop :]):
        if right & solver.answers(question, Known(text=False, given=(place,), last_fact=False)):
            detail = f"{triplet.subject.label} leads to the answer without the last fact"
            return Decision(keep=False, reason=HOP_NOT_NEEDED, detail=detail)
    return KEEP


class Checks:
    """The checks of a run over one pack; ``decide`` is what the driver calls for each worded question."""

    def __init__(self, pack: Pack, settings: FilterSettings | None = None, *, solver: Solver | None = None) -> None:
        self._walk = Walk(pack)
        self._solver = solver or PackSolver(self._walk, settings or FilterSettings())

    def decide(self, candidate: Candidate, question: Question) -> Decision:
        """Return the first refusal of a worded question, or KEEP."""
        decision = several_answers(question, self._walk, also=_other_answers(candidate.question))
        return self.needed(candidate, question) if decision.keep else decision

    def needed(self, candidate: Candidate, question: Question) -> Decision:  # noqa: ARG002 - a check
        """Return whether image and last hop are needed: of an answer that the pack need not know this alone can be told."""
        return hop_needed(question, self._solver)

    def faulty(self, candidate: Candidate) -> bool:
        """Return whether the question that a candidate would become fails a check, whatever the filters say of it."""
        return not self.decide(candidate, would_be(candidate)).keep


def would_be(candidate: Candidate) -> Question:
    """Return the question that a candidate would become: its key one triplet longer, in the words that there are so far."""
    parent, fact = candidate.question, candidate.fact
    return replace(
        parent,
        hop=parent.hop + 1,
        kind="explored",
        text=candidate.text or parent.text,
        answer=fact.object,
        aliases=fact.aliases,
        concept=fact.object_id,
        key=(*parent.key, fact.triplet(parent.key[-1].object)),
    )


def _other_answers(parent: Question) -> tuple[str, ...]:
    """Return the concepts of the other answers that the benchmark accepts to its own question."""
    names = parent.aliases if parent.kind == "raw" else ()
    found = (wordnet().lookup(name).synsets for name in names)
    return tuple(synsets[0].id for synsets in found if synsets)
