"""Single hop for a batch of questions: facts, checks, wordings, checks, draw.

Each step handles all questions together, so that graph and model are queried in bulk; the checks of a single question
run as soon as its facts arrive, while others are pending.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.checks.reasons import KNOWN
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import MOST_DRAFTS, BlindDraft, BlindLook, BlindTest
from kbe_graph.evolve.evolution import Evolution, Refuse
from kbe_graph.evolve.exploration import Considered, Exploration, Group, decide_left, explore
from kbe_graph.evolve.plan import first_questions
from kbe_graph.models.loop import gather_all
from kbe_graph.question import parse_questions
from kbe_graph.review.consequences import newest, newest_versions
from kbe_graph.types import KEEP, RAW, Candidate, Decision, Question, Sample, SampleGraph


class _Before(NamedTuple):
    """Question before a hop, with its sample and graph.

    ``guessed`` says that it is not explored, because its answer was guessed without the image.
    """

    sample: Sample
    graph: SampleGraph
    question: Question
    guessed: bool


class _Proposed(NamedTuple):
    """Question before a hop with a source's facts about its answer, or ``none``, the reason for having no facts."""

    sample: Sample
    parent: Question
    group: Group
    none: str = ""


async def explore_batch(evolution: Evolution, ids: Sequence[str], *, hop: int, refuse: Refuse) -> list[Exploration]:
    """Find the possible next questions of samples, in order; raises ReplyAwaited.

    ``refuse`` returns a second model's decision on a question.
    """
    parents = await asyncio.to_thread(_read, evolution, ids, hop)
    if not (evolution.plan.proposes and evolution.plan.words):  # then rules and their checks read questions
        own = (each for each in parents if each.question.starts_from(each.graph.key))
        parse_questions(each.sample.question for each in own)
    proposed = await gather_all(_propose(evolution, each) for each in parents)
    groups = await _decide(evolution, [each.group for each in proposed])
    test, most = evolution.blind_test, evolution.plan.max_options
    explorations = await gather_all(
        explore(
            evolution,
            each.sample,
            each.parent,
            group,
            none=each.none,
            most=min(most, MOST_DRAFTS) if test else most,
            refuse=refuse,
        )
        for each, group in zip(proposed, groups, strict=True)
    )
    return await sift(test, explorations) if test else explorations


def _read(evolution: Evolution, ids: Sequence[str], hop: int) -> list[_Before]:
    store, run = evolution.store, evolution.run
    if hop == 1:
        parents = first_questions(store, run, ids)
    else:
        parents = newest(store, store.questions(run=run, hop=hop - 1, samples=ids))
    samples, graphs = {sample.id: sample for sample in store.samples(ids=ids)}, store.graphs(ids)
    revised = {raw.sample: raw for raw in newest_versions(store, RAW, [each.sample for each in parents]).values()}
    guessed = _guessed_questions(evolution, ids) if hop == 1 else ()
    before = []
    for parent in sorted(parents, key=lambda question: question.sample):
        sample, graph, root = samples[parent.sample], graphs[parent.sample], revised.get(parent.sample)
        if root and parent.starts_from(root.key):
            sample = replace(sample, question=root.text, answer=root.answer)
            graph = _graph_with_root(graph, root)
        before.append(_Before(sample, graph, parent, (parent.id, parent.text) in guessed))
    return before


def _guessed_questions(evolution: Evolution, ids: Sequence[str]) -> Collection[tuple[str, str]]:
    test = evolution.blind_test
    if test is None or not test.skips:
        return ()
    guesses = evolution.store.guesses(run=evolution.run, hop=0, samples=ids)
    return {(guess.question, guess.text) for guess in guesses if guess.right}


def _graph_with_root(graph: SampleGraph, root: Question) -> SampleGraph:
    """Apply the key of a revised raw question to its sample's graph."""
    present = {(triplet.id, triplet.graph) for triplet in (*graph.visual, *graph.textual)}
    new = [triplet for triplet in root.key if (triplet.id, triplet.graph) not in present]
    visual, textual = ([triplet for triplet in new if triplet.graph == kind] for kind in ("visual", "textual"))
    return replace(graph, visual=(*graph.visual, *visual), textual=(*graph.textual, *textual), key=root.key)


async def _propose(evolution: Evolution, before: _Before) -> _Proposed:
    sample, graph, parent, guessed = before
    if guessed:
        return _Proposed(sample, parent, (), KNOWN)
    if not parent.concept:
        parent = with_concept(parent, evolution.concept_of(sample, graph, parent))
    try:
        facts = await evolution.source.candidates(sample, parent)
    except NoCandidate as error:
        return _Proposed(sample, parent, (), error.reason)
    candidates = [Candidate(sample, graph, parent, fact) for fact in facts]
    group = tuple(Considered(each, evolution.checks.decide("fact", each)) for each in candidates)
    return _Proposed(sample, parent, group)


def with_concept(question: Question, concept: str) -> Question:
    """Link the question's answer to a concept, including at the end of its key path."""
    *path, last = question.key
    return replace(question, concept=concept, key=(*path, replace(last, object=replace(last.object, concept=concept))))


async def _decide(evolution: Evolution, groups: list[Group]) -> list[Group]:
    """Decide on all candidates by the check of cycles in the graph, and by the opinions of models."""
    cycle, opinion, second = evolution.checks.cycle, evolution.opinion, evolution.second_opinion
    if cycle:

        async def without_cycles(candidates: Sequence[Candidate]) -> Sequence[Decision]:
            return await asyncio.to_thread(cycle.decide_in_graph, candidates, evolution.store.cycles)

        groups = await decide_left(groups, without_cycles)
    if opinion:
        groups = [group for (group,) in await gather_all(decide_left([group], opinion) for group in groups)]
    return await decide_left(groups, second) if second else groups


async def sift(test: BlindTest, explorations: Sequence[Exploration]) -> list[Exploration]:
    """Reduce each exploration to the first of its leading options that needs the image.

    An option is tested only if those before it fail.
    """
    looked: list[list[BlindLook]] = [[] for _ in explorations]
    for turn in range(MOST_DRAFTS):
        failed = [
            place
            for place, each in enumerate(explorations)
            if len(looked[place]) == turn < len(each.options) and not any(look.decision.keep for look in looked[place])
        ]
        asked = [explorations[place] for place in failed]
        drafts = [BlindDraft(each.options[turn].question, each.sample.picture_key) for each in asked]
        for place, look in zip(failed, await test.look(drafts), strict=True):
            looked[place].append(look)
    return [_sifted(each, looks) for each, looks in zip(explorations, looked, strict=True)]


def _sifted(exploration: Exploration, looks: Sequence[BlindLook]) -> Exploration:
    looked = list(zip(exploration.options, looks, strict=False))
    kept = [replace(option, alternatives=look.alternatives) for option, look in looked if look.decision.keep]
    refusals = {option.place: look.decision for option, look in looked if not look.decision.keep}
    rows = (
        replace(row, status="dropped", reason=refusals[n].reason, detail=refusals[n].detail) if n in refusals else row
        for n, row in enumerate(exploration.rows)
    )
    last = next(reversed(refusals.values()), KEEP)
    return replace(
        exploration,
        rows=tuple(rows),
        options=tuple(kept),
        unworded=last.reason or exploration.unworded,
        guesses=tuple(look.guess for look in looks if look.guess),
    )
