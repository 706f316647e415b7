"""Single hop for a batch of questions: facts, checks, wordings, checks, draw.

Each step handles all questions together, so that graph and model are queried in bulk; the checks of a single question
run as soon as its facts arrive, while others are pending.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.checks.reasons import KNOWN
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import MOST_DRAFTS, BlindLook, BlindTest, Draft
from kbe_graph.evolve.exploration import Considered, Exploration, Group, decide_left, explore
from kbe_graph.evolve.plan import first_questions, graph_with_root, revised_roots, with_root
from kbe_graph.evolve.recipe import Evolution, Opinion, Recipe, Refuse
from kbe_graph.models.loop import gather_all
from kbe_graph.question import parse_questions
from kbe_graph.review.consequences import newest
from kbe_graph.types import KEEP, Candidate, Decision, Question, Sample, SampleGraph


class _Before(NamedTuple):
    """Questions before a hop, sorted by sample, with their samples and graphs by ID.

    ``guessed`` holds the ID and text of questions that are not explored because their answer was guessed without the
    image.
    """

    parents: Sequence[Question]
    samples: Mapping[str, Sample]
    graphs: Mapping[str, SampleGraph]
    guessed: frozenset[tuple[str, str]]


class Proposed(NamedTuple):
    """Question before a hop with a source's facts about its answer, or ``none``, the reason for having no facts."""

    parent: Question
    group: Group
    none: str
    picture: str


@dataclass(frozen=True)
class Explore:
    """Stage that explores the questions before a hop, by sample ID.

    ``refuse`` returns a second model's decision on a question.
    """

    evolution: Evolution
    hop: int
    refuse: Refuse = lambda _: KEEP

    @property
    def name(self) -> str:
        """The hop's name in progress reports."""
        return f"hop {self.hop}"

    @property
    def _recipe(self) -> Recipe:
        return self.evolution.recipe

    async def begin(self, batch: Sequence[str]) -> list[Proposed]:
        """Collect facts about the samples' answers, in order; raises ReplyAwaited."""
        before = await asyncio.to_thread(self._read, batch)
        if self._recipe.parses:
            first = (parent for parent in before.parents if parent.starts_from(before.graphs[parent.sample].key))
            parse_questions(before.samples[parent.sample].question for parent in first)
        return await gather_all(
            self._proposal(
                before.samples[parent.sample],
                before.graphs[parent.sample],
                parent,
                is_guessed=(parent.id, parent.text) in before.guessed,
            )
            for parent in before.parents
        )

    async def finish(self, begun: list[Proposed]) -> list[Exploration]:
        """Find the possible next questions, in the order of their parents; raises ReplyAwaited."""
        groups = await decide_left([each.group for each in begun], self._without_cycles)
        groups = await self._with_opinions(groups)
        most = self.evolution.plan.options
        if self._recipe.blind_test:
            most = min(most, MOST_DRAFTS)
        explorations = await gather_all(
            explore(self.evolution, each.parent, group, none=each.none, most=most, refuse=self.refuse)
            for each, group in zip(begun, groups, strict=True)
        )
        if test := self._recipe.blind_test:
            explorations = await sift(test, explorations, {each.parent.sample: each.picture for each in begun})
        return explorations

    def _read(self, ids: Sequence[str]) -> _Before:
        store, parents = self.evolution.store, self._parents(ids)
        roots = revised_roots(store, parents)
        samples = {sample.id: with_root(sample, roots.get(sample.id)) for sample in store.samples(ids=ids)}
        graphs = store.graphs(ids)
        revised = {id_: graph_with_root(graphs[id_], root) for id_, root in roots.items()}
        return _Before(parents, samples, {**graphs, **revised}, self._guessed_questions(ids))

    def _guessed_questions(self, ids: Sequence[str]) -> frozenset[tuple[str, str]]:
        test = self._recipe.blind_test
        if test is None or not test.skips or self.hop > 1:
            return frozenset()
        guesses = self.evolution.store.guesses(run=self.evolution.run, hop=0, samples=ids)
        return frozenset((guess.question, guess.text) for guess in guesses if guess.right)

    def _parents(self, ids: Sequence[str]) -> list[Question]:
        store, run = self.evolution.store, self.evolution.run
        if self.hop == 1:
            parents = first_questions(store, run, ids)
        else:
            parents = newest(store, store.questions(run=run, hop=self.hop - 1, samples=ids))
        return sorted(parents, key=lambda question: question.sample)

    async def _proposal(self, sample: Sample, graph: SampleGraph, parent: Question, *, is_guessed: bool) -> Proposed:
        picture = sample.picture_key
        if is_guessed:
            return Proposed(parent, (), KNOWN, picture)
        if not parent.concept:
            parent = with_concept(parent, self._recipe.concept_of(sample, graph, parent))
        try:
            facts, none = await self._recipe.knowledge.candidates(sample, parent), ""
        except NoCandidate as error:
            facts, none = (), error.reason
        candidates = [Candidate(sample, graph, parent, fact) for fact in facts]
        group = tuple(Considered(each, self._recipe.checks.decide("fact", each)) for each in candidates)
        return Proposed(parent, group, none, picture)

    async def _without_cycles(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        cycle = self._recipe.checks.cycle
        if cycle is None:
            return [KEEP] * len(candidates)
        return await asyncio.to_thread(cycle.decide_in_graph, candidates, self.evolution.store.cycles)

    async def _with_opinions(self, groups: list[Group]) -> list[Group]:
        opinion, second = self._recipe.opinion, self._recipe.second_opinion
        if opinion:
            groups = await gather_all(_ask(group, opinion) for group in groups)
        return await decide_left(groups, second) if second else groups


async def _ask(group: Group, opinion: Opinion) -> Group:
    (group,) = await decide_left([group], opinion)
    return group


def with_concept(question: Question, concept: str) -> Question:
    """Link the question's answer to a concept, including at the end of its key path."""
    *path, last = question.key
    return replace(question, concept=concept, key=(*path, replace(last, object=replace(last.object, concept=concept))))


async def sift(test: BlindTest, explorations: Sequence[Exploration], pictures: Mapping[str, str]) -> list[Exploration]:
    """Reduce each exploration to the first of its leading options that needs the image.

    An option is tested only if those before it fail; ``pictures`` maps sample IDs to images.
    """
    looked: list[list[BlindLook]] = [[] for _ in explorations]
    for turn in range(MOST_DRAFTS):
        failed = [
            place
            for place, each in enumerate(explorations)
            if len(looked[place]) == turn < len(each.options) and not any(map(_passes, looked[place]))
        ]
        drafts = [
            Draft(explorations[place].options[turn].question, pictures[explorations[place].parent.sample])
            for place in failed
        ]
        for place, look in zip(failed, await test.look(drafts), strict=True):
            looked[place].append(look)
    return [_sifted(each, looks) for each, looks in zip(explorations, looked, strict=True)]


def _passes(look: BlindLook) -> bool:
    return look.decision.keep


def _sifted(exploration: Exploration, looks: Sequence[BlindLook]) -> Exploration:
    looked = list(zip(exploration.options, looks, strict=False))
    kept = [replace(option, alternatives=look.alternatives) for option, look in looked if _passes(look)]
    refusals = {option.place: look.decision for option, look in looked if not _passes(look)}
    decided = (
        replace(each, decision=refusals.get(place, each.decision)) for place, each in enumerate(exploration.decided)
    )
    last = next(reversed(refusals.values()), KEEP)
    return replace(
        exploration,
        decided=tuple(decided),
        options=tuple(kept),
        unworded=last.reason or exploration.unworded,
        guesses=tuple(look.guess for look in looks if look.guess),
    )
