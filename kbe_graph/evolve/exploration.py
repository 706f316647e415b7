"""A hop of many questions: facts, checks, wordings, checks, draw (KBE, section 3.2).

Each step handles all questions together, so that graph and model are queried in bulk; the checks of a single question
run as soon as its facts arrive, while others are pending.
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.checks import Checks
from kbe_graph.checks.question_text import Clumsy, Flaw
from kbe_graph.checks.registry import KNOWN
from kbe_graph.english.inflect import singular
from kbe_graph.english.reading import parse_questions
from kbe_graph.english.reference import NONE, Wording
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import MOST_DRAFTS, BlindDraft, BlindLook, BlindTest
from kbe_graph.evolve.choice import Exploration, Option
from kbe_graph.evolve.evolution import Evolution, Expresser, Form, Refuse
from kbe_graph.evolve.plan import first_questions
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.models.loop import gather_all
from kbe_graph.review.consequences import newest, newest_versions
from kbe_graph.store.funnel import NO_CONCEPT
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.text import fold
from kbe_graph.types import (
    KEEP,
    RAW,
    Candidate,
    Decision,
    Fact,
    Provenance,
    Question,
    Sample,
    SampleGraph,
    question_id,
    seed_of,
)

# Rejections that concern only one way of referring to the first answer, not the question.
_OF_ONE_FORM = {NONE, Flaw.name, Clumsy.name}
_NEAR = 1.5  # words
FACT = "fact"  # the shape of a question by rules about a fact of the answer before
Worded = Question | Decision


async def word_question(candidate: Candidate, checks: Checks, expresser: Expresser, run: str, seed: int) -> Worded:
    """Build the next hop's question, or the rejection of the candidate; ``seed`` draws one of its wordings.

    The wordings come from the first form that has any; another form is tried only if the rejection concerns just the
    form.
    """
    first: Decision | None = None
    for form in expresser.forms(candidate):
        try:
            near = await _by_form(candidate, checks, expresser, form)
        except NoCandidate as none:
            near = Decision(keep=False, reason=none.reason, detail=none.detail)
        if not isinstance(near, Decision):
            wording = random.Random(seed).choice(near)
            decision = checks.decide("question", replace(candidate, text=wording.text))
            return _question(candidate, wording, expresser, run, seed) if decision.keep else decision
        first = first or near
        if near.reason not in _OF_ONE_FORM:
            break
    return first or Decision(keep=False, reason=NONE)


async def _by_form(
    candidate: Candidate, checks: Checks, expresser: Expresser, form: Form
) -> Sequence[Wording] | Decision:
    reference = form(candidate)
    called = replace(candidate, called=tuple(phrase.text for phrase in reference.phrases), pattern=reference.rule)
    decision = checks.decide("reference", called)
    if not decision.keep:
        return decision
    near: list[Wording] = []
    refusal = Decision(keep=False, reason=NONE)
    for wording in await expresser.wordings(candidate, reference):
        if near and wording.off > near[0].off + _NEAR:
            break
        decision = checks.decide("text", replace(called, text=wording.text))
        if decision.keep:
            near.append(wording)
        else:
            refusal = decision
    return near or refusal


def _question(candidate: Candidate, wording: Wording, expresser: Expresser, run: str, seed: int) -> Question:
    parent, fact, hop = candidate.question, candidate.fact, candidate.question.hop + 1
    return Question(
        id=question_id(parent.sample, run, hop),
        sample=parent.sample,
        run=run,
        hop=hop,
        kind="explored",
        text=wording.text,
        answer=fact.object,
        key=(*parent.key, fact.triplet(parent.end)),
        aliases=tuple(_new_names(parent, expresser.aliases(fact))),
        concept=fact.object_id,
        parent=parent.id,
        provenance=_provenance(candidate, wording, seed),
        shape=FACT if wording.maker == "rule" and not isinstance(fact, ProposedFact) else "",
    )


def _new_names(parent: Question, names: Iterable[str]) -> Iterator[str]:
    things = (entity.name for triplet in parent.key for entity in (triplet.subject, triplet.object))
    way = {singular(fold(name)) for name in (parent.answer, *parent.aliases, *things)}
    return (name for name in names if not any(thing.endswith(singular(fold(name))) for thing in way))


def _provenance(candidate: Candidate, wording: Wording, seed: int) -> Provenance:
    fact = candidate.fact
    if not isinstance(fact, ProposedFact):
        return Provenance(wording.maker, seed, wording.pattern, wording.prompt, wording.calls)
    prompt = "+".join(filter(None, (fact.prompt, wording.prompt)))
    calls = tuple(dict.fromkeys((fact.source_ref, *wording.calls)))
    return Provenance(wording.maker, seed, wording.pattern, prompt, calls)


MOST_ASKED = 2  # candidates per question for which calls are made, to word or inspect them


@dataclass(frozen=True, slots=True)
class Considered:
    """Candidate with the decision on it so far."""

    candidate: Candidate
    decision: Decision = KEEP


Group = tuple[Considered, ...]
"""All candidates of one question, in the order of the knowledge source."""


async def decide_left(
    groups: Sequence[Group], decide: Callable[[Sequence[Candidate]], Awaitable[Sequence[Decision]]]
) -> list[Group]:
    """Decide on all remaining candidates in one call, in order, and update their groups."""
    kept = [each.candidate for group in groups for each in group if each.decision.keep]
    decisions = iter(await decide(kept) if kept else ())
    return [
        tuple(Considered(each.candidate, next(decisions)) if each.decision.keep else each for each in group)
        for group in groups
    ]


async def explore(
    evolution: Evolution, sample: Sample, parent: Question, group: Group, *, none: str, most: int, refuse: Refuse
) -> Exploration:
    """Word the remaining candidates of a question until ``most`` pass, and record the decision on each.

    If wording costs a call, at most two are tried, and none once one has passed; one that a second model rejected
    counts as a call, too. The same question and relation get the same wording. ``none`` is the source's reason for
    having no facts.
    """
    plan, checks, expresser = evolution.plan, evolution.checks, evolution.expresser
    kept = {place: each.candidate for place, each in enumerate(group) if each.decision.keep}
    onward = {
        place: evolution.onward(candidate, plan.options.hops - parent.hop - 1) for place, candidate in kept.items()
    }
    if plan.proposes:  # a model names the best facts first
        order = sorted(kept, key=lambda place: -onward[place])
    else:
        order = drawn_order(kept, seed_of(plan.run.seed, parent.sample, parent.hop + 1), onward, evolution.family)
    refusals: dict[int, Decision] = {}
    good: list[Option] = []
    asked, unworded = 0, ""
    for place in sorted(order, key=lambda place: kept[place].fact.unsourced):
        if len(good) == most or asked == MOST_ASKED or (good and plan.words):
            break
        fact = kept[place].fact
        seed = seed_of(plan.run.seed, parent.text, fact.relation)
        worded = await word_question(kept[place], checks, expresser, evolution.run, seed)
        decision = refuse(worded) if isinstance(worded, Question) else worded
        if isinstance(worded, Question) and decision.keep:
            good.append(Option(worded, place, onward[place], fact.unsourced))
            asked += plan.words
            continue
        refusals[place] = decision
        if isinstance(worded, Question) or plan.words:
            asked += 1
            unworded = decision.reason
    rows = (
        _row(each.candidate.fact, _after(each.decision, refusals.get(n)), faulty=checks.is_faulty(each.candidate))
        for n, each in enumerate(group)
    )
    return Exploration(sample, parent, tuple(rows), tuple(good), none, unworded)


def _after(decision: Decision, refusal: Decision | None) -> Decision:
    if refusal is None:
        return decision
    return replace(refusal, detail="; ".join(filter(None, (decision.detail, refusal.detail))))


def _row(fact: Fact, decision: Decision, *, faulty: bool | None) -> CandidateRow:
    return CandidateRow(
        relation=fact.relation,
        object=fact.object,
        object_id=fact.object_id,
        status="not drawn" if decision.keep else "dropped",
        reason=decision.reason,
        detail=decision.detail,
        source=fact.source,
        source_ref=fact.source_ref,
        faulty=faulty,
        subject=fact.subject,
        type=fact.type if isinstance(fact, ProposedFact) else "",
        grounding=fact.grounding if isinstance(fact, ProposedFact) else "",
    )


def drawn_order(
    candidates: Mapping[int, Candidate],
    seed: int,
    onward: Mapping[int, int],
    family: Callable[[str], str] = lambda relation: relation,
) -> list[int]:
    """Order the candidates at random: by relation first, then by object.

    A relation with many objects is thus drawn no more often than one with few, and a ``family`` of relations no more
    often than a relation alone in its family. Candidates that lead further ``onward``, by position, come first.
    """
    by_relation: dict[str, list[int]] = defaultdict(list)
    for place, candidate in candidates.items():
        by_relation[candidate.fact.relation].append(place)
    draw = random.Random(seed)
    relations = sorted(by_relation)
    draw.shuffle(relations)
    drawn_of: Counter[str] = Counter()
    rounds: dict[str, int] = {}
    for relation in relations:
        rounds[relation] = drawn_of[family(relation)]
        drawn_of[family(relation)] += 1
    relations.sort(key=lambda relation: rounds[relation])
    for relation in relations:
        draw.shuffle(by_relation[relation])
    drawn = [place for relation in relations for place in by_relation[relation]]
    return sorted(drawn, key=lambda place: -onward[place])


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
        chains = [each for each in store.questions(run=run, hop=hop - 1, samples=ids) if each.shape in ("", FACT)]
        parents = newest(store, chains)
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
    if not facts and not parent.concept:
        return _Proposed(sample, parent, (), NO_CONCEPT)
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
