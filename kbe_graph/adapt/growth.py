"""What a question can grow into: a deeper question of its sample, its next draft, or a new exploration."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolve_run
from kbe_graph.evolve.shapes.by_rule import Sharing
from kbe_graph.evolve.shapes.line import question_of
from kbe_graph.evolve.shapes.rule_line import judged_drafts, rule_question
from kbe_graph.export.selection import select
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.graph_access import FURTHER, GraphAccess
from kbe_graph.models import Budget
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import EXPLORING, RAW, TWIN, Question, RunRecord, Sample, question_id, seed_of, twin_id

Pairs = Sequence[tuple[Sample, Question]]


class RoundSet(NamedTuple):
    """What a round asks: a question of each sample, in an order that favours none, and the twins of these."""

    pairs: Pairs
    twins: Pairs

    @property
    def all(self) -> Pairs:
        """The questions, and then the twins."""
        return [*self.pairs, *self.twins]

    @property
    def parents(self) -> Mapping[str, str]:
        """The question of each twin, by ids."""
        return {twin.id: twin.parent for _, twin in self.twins}


def round_set(access: GraphAccess, record: RunRecord, run: str) -> RoundSet:
    """Select the question of the fewest hops of each sample in a run, with the twins of these.

    A re-selected question is taken only where there is no other.
    """
    asked = [pair for pair in select(access.store, run=run) if pair[1].run == run]
    own = sorted((pair for pair in asked if pair[1].kind != TWIN), key=lambda pair: (pair[1].hop > 0, -pair[1].hop))
    first = {sample.id: (sample, question) for sample, question in own}
    pairs = [first[id_] for id_ in sorted(first, key=lambda id_: seed_of(record.seed, "round", id_))]
    ids = {question.id for _, question in pairs}
    twins = [pair for pair in asked if pair[1].kind == TWIN and pair[1].parent in ids]
    return RoundSet(pairs, twins)


def how_grown(before: Question, after: Question) -> str:
    """Say in what a question differs from the one whose place it takes."""
    if after.difficulty != before.difficulty:
        return "deeper" if after.difficulty > before.difficulty else "shallower"
    return "next draft" if after.shape == before.shape else "another shape"


def asked_of(sample: Sample, question: Question) -> tuple[str, str]:
    """Return what marks the words of a question as asked of a picture."""
    return sample.picture_key, fold(question.text)


def next_questions(
    access: GraphAccess, record: RunRecord, pairs: Pairs, asked: set[tuple[str, str]], *, shallower: bool = False
) -> dict[str, Question]:
    """Choose what each question (id) can grow into, of what was not asked of its picture: a deeper one, or a draft.

    Deeper ones come first, and those that are ``shallower`` last, if they are wanted at all; of one depth, hops come
    first, and then drafts in their order.
    """
    samples = [sample.id for sample, _ in pairs]
    raw = {each.sample: each for each in access.store.questions(run=RAW, samples=samples)}
    made = rule_question if dict(record.settings)["wording"] == "rule" else question_of
    kept: dict[str, list[Question]] = defaultdict(list)
    for question in select(access.store, run=record.name).questions:
        if question.run == record.name and question.hop > 0 and question.kind != TWIN:
            kept[question.sample].append(question)
    for run in (record.name, record.name + FURTHER):
        for draft in access.store.drafts(run, samples):
            kept[draft.sample].append(made(draft, raw[draft.sample], record.seed))
    nexts, taken = dict[str, Question](), set(asked)
    for sample, before in pairs:
        new = [each for each in kept[sample.id] if asked_of(sample, each) not in taken]
        new = [each for each in new if shallower or each.difficulty >= before.difficulty]
        if new:
            depth = before.difficulty
            nexts[before.id] = min(new, key=lambda each: (each.difficulty < depth) - (each.difficulty > depth))
            taken.add(asked_of(sample, nexts[before.id]))
    return nexts


def explore(
    access: GraphAccess, record: RunRecord, pairs: Pairs, model: ModelOptions, budget: Budget
) -> tuple[Path, ...]:
    """Explore samples whose questions cannot grow: by rules a hop further and other shapes, or with a model's drafts.

    What is explored is kept, so that repeating it changes nothing and asks nothing twice. Returns the files of calls
    whose replies it waits for.
    """
    settings, store = dict(record.settings), access.store
    ids = [sample.id for sample, _ in pairs]
    hop = last_hop(store, record)
    if settings.get("mode") == "merged":
        more = max(hop, RunOptions().hops) + 1  # facts than the first request allowed, if that was the usual one
        further = replace(RunOptions.of_run(record, more), run=record.name + FURTHER)
        return evolve_run(access, further, model, workers=1, only=ids, budget=budget)
    if settings["wording"] == "rule" and settings["knowledge"] == "pack":
        if any(each.hop == hop for each in store.questions(run=record.name, samples=ids)):
            explore_hops(access, record, hop + 1)
        drafted = {draft.sample for draft in store.drafts(record.name, ids)}
        sharing = Sharing(packaged_knowledge(kept_verdicts(access.folder.review)).pack)
        for graph in store.graphs([each for each in ids if each not in drafted]).values():
            store.save_drafts(judged_drafts(store, graph, record.name, sharing))
    return ()


def last_hop(store: Store, record: RunRecord) -> int:
    """Return the last hop that a run was explored to, or is explored to."""
    return max((each.hop for each in store.questions(run=record.name, status=None)), default=0)


def explore_hops(access: GraphAccess, record: RunRecord, hops: int) -> None:
    """Evolve a run by rules up to this number of hops; where it is killed, the next `adapt` goes on."""
    access.store.save_run(replace(record, state=EXPLORING))
    evolve_run(access, RunOptions.of_run(record, hops), None, workers=1)


def carried(question: Question, run: str, before: Question) -> Question:
    """Return a question as that of a run which came of the question ``before``, or a twin as that of ``before``."""
    sample, hop = question.sample, question.hop
    id_ = twin_id(sample, before) if question.kind == TWIN else question_id(sample, run, hop)
    return replace(question, id=id_, run=run, parent=before.id, status="kept", paired="")
