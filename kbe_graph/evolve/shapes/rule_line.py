"""The shapes other than a chain that rules can make, for samples that no chain fits."""

import random
from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.english.seen import sense_of
from kbe_graph.evolve.evolution import Evolution
from kbe_graph.evolve.plan import sample_ids
from kbe_graph.evolve.shapes.by_rule import RuleDrafts, Sharing
from kbe_graph.evolve.shapes.line import NOT_BEST, decide, question_of
from kbe_graph.models.loop import batches
from kbe_graph.store import Evolved, Store
from kbe_graph.types import RAW, Draft, Provenance, Question, SampleGraph, seed_of

ASKED = "asked of this picture already"


def ask_by_shapes(evolution: Evolution) -> None:
    """Save a question of another shape for each sample without a chain that allows one; repeating changes nothing."""
    store, plan = evolution.store, evolution.plan
    sharing = Sharing(evolution.facts)
    ids = sample_ids(store, plan.options)
    kept = {each.sample: each.text for each in store.questions(run=plan.run.name, hop=1)}
    pictures = {sample.id: sample.picture_key for sample in store.samples(ids=ids)}
    asked = {(pictures[sample], text) for sample, text in kept.items() if sample in pictures}
    for _, batch in batches([each for each in ids if each not in kept], plan.batch):
        graphs = store.graphs(batch)
        raw = {each.sample: each for each in store.questions(run=RAW, samples=batch)}
        questions = []
        for sample in sorted(graphs.keys() & raw.keys()):
            judged = judged_drafts(store, graphs[sample], plan.run.name, sharing)
            decided = _choose(judged, {text for picture, text in asked if picture == pictures[sample]}, plan.run.seed)
            store.save_drafts(decided)
            for draft in decided:
                if draft.status == "chosen":
                    asked.add((pictures[sample], draft.text))
                    questions.append(Evolved(rule_question(draft, raw[sample], plan.run.seed)))
        store.save_questions(questions)


def judged_drafts(store: Store, graph: SampleGraph, run: str, sharing: Sharing) -> list[Draft]:
    """Save the drafts that rules make of a graph, and decide on each by its answer sets."""
    drafts = RuleDrafts(graph, run, sharing).drafts()
    store.save_drafts(drafts)
    return [decide(draft, store.answer_sets(draft)) for draft in drafts]


def _choose(drafts: Sequence[Draft], asked: set[str], seed: int) -> list[Draft]:
    """Draw a shape, and one of its drafts, among those that passed."""
    passed = [draft for draft in drafts if draft.status == "passed" and draft.text not in asked]
    if not passed:
        return [replace(draft, reason=ASKED) if draft.status == "passed" else draft for draft in drafts]
    draw = random.Random(seed_of(seed, passed[0].sample, "shape"))
    shape = draw.choice(sorted({draft.shape for draft in passed}))
    best = draw.choice([draft for draft in passed if draft.shape == shape])
    others = (draft if draft.status == "refused" else replace(draft, reason=NOT_BEST) for draft in drafts)
    return [replace(best, status="chosen", rank=1) if draft.id == best.id else draft for draft in others]


def rule_question(draft: Draft, raw: Question, seed: int) -> Question:
    """Build the question that a draft by rules is asked as."""
    question = question_of(draft, raw, seed)
    drawn = Provenance("rule", question.provenance.seed, draft.shape)
    return replace(question, provenance=drawn, concept=draft.end.concept or sense_of(draft.end))
