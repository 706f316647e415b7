"""What a run knows: where its facts come from, the pack that filters and checks ask, and how answers are linked to concepts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.samples import batches, first_questions, sample_ids
from kbe_graph.knowledge.merge import merged
from kbe_graph.knowledge.pack import Pack, PackSource, pack
from kbe_graph.knowledge.verdict import judged, kept_verdicts
from kbe_graph.knowledge.wikidata.archive import Archive
from kbe_graph.knowledge.wikidata.closure import closure
from kbe_graph.knowledge.wikidata.endpoint import Endpoint
from kbe_graph.knowledge.wikidata.linking import Answer, answer_of
from kbe_graph.knowledge.wikidata.settings import WikidataSettings
from kbe_graph.knowledge.wikidata.source import WikidataSource
from kbe_graph.knowledge.wikidata.wikidata import FILE, Progress, Wikidata
from kbe_graph.lexicon.constraints import asks_for_brand
from kbe_graph.lexicon.senses import Link, link
from kbe_graph.store import Store
from kbe_graph.types import KnowledgeSource, Question, Sample, SampleGraph
from kbe_graph.workspace import Workspace

LEAST_CONFIDENCE = 0.55


class Knowledge(NamedTuple):
    """The source of a run's candidates, all facts, and the concept of an answer (empty where none is sure enough).

    ``told`` are the facts that candidates come from, ``notes`` what the run's manifest says of them.
    """

    source: KnowledgeSource
    pack: Pack
    link: Callable[[Sample, SampleGraph, Question], str]
    told: Pack
    notes: Mapping[str, object] = {}


def packaged(workspace: Workspace) -> Knowledge:
    """Return the packaged facts as a run's knowledge, with the verdicts that were given in the workspace."""
    facts = judged(pack(), kept_verdicts(workspace.review))
    return Knowledge(PackSource(facts), facts, linked, facts)


def reviewed(plan: Plan, workspace: Workspace) -> Plan:
    """Return the plan with the verdicts of the workspace among its settings, where there are any."""
    if not workspace.review.exists():
        return plan
    verdicts = sha256(workspace.review.read_bytes()).hexdigest()[:16]
    return replace(plan, run=replace(plan.run, settings=(*plan.run.settings, ("verdicts", verdicts))))


def wikidata_knowledge(
    workspace: Workspace, store: Store, plan: Plan, settings: WikidataSettings, *, progress: Progress = lambda *_: None
) -> Knowledge:
    """Return what Wikidata says of the answers of a run, with the packaged facts beside it for filters and checks.

    What was not asked before is asked now, and kept in the workspace; raises SourceError.
    """
    verdicts = kept_verdicts(workspace.review)
    with Archive(workspace.hidden / FILE) as archive:
        wikidata = Wikidata(archive, Endpoint(settings), progress)
        found = closure(wikidata, answers(store, plan), hops=plan.scope.hops)
        told = judged(found.pack, verdicts)
        oldest, newest = archive.span()
    notes = {
        "endpoint": settings.endpoint,
        "oldest answer": oldest,
        "newest answer": newest,
        "facts": len(found.pack.facts),
        "answers linked": len(found.concepts) - sum(found.abstained.values()),
        "answers not linked": found.abstained,
    }
    both = merged(told, judged(pack(), verdicts))
    return Knowledge(WikidataSource(told), both, lambda _, __, one: found.concepts.get(one.id, ""), told, notes)


def answers(store: Store, plan: Plan) -> dict[str, Answer]:
    """Return the answers that a run starts from, by their questions' ids, the samples read a batch at a time.

    Left out are those without a concept, but those that WordNet does not know stay: names of firms and people apart.
    """
    met: dict[Answer, Answer] = {}
    found: dict[str, Answer] = {}
    for _, ids in batches(sample_ids(store, plan.scope), plan.batch):
        graphs = store.graphs(ids)
        samples = {sample.id: sample for sample in store.samples(ids=ids)}
        for question in first_questions(store, plan.run.name, ids):
            answer = _answer(samples[question.sample], graphs[question.sample], question)
            if answer is not None:
                found[question.id] = met.setdefault(answer, answer)  # many samples share an answer
    return found


def _answer(sample: Sample, graph: SampleGraph, question: Question) -> Answer | None:
    text = question.text or sample.question
    found = sense(sample, graph, question)
    concept = question.concept or found.concept
    known = concept or (found.reason == "not in WordNet" and not asks_for_brand(text))
    return answer_of(text, question.answer, concept) if known else None


def sense(sample: Sample, graph: SampleGraph, question: Question) -> Link:
    """Return the concept that the question's answer is linked to, or why to none."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects)


def linked(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Return the concept of the question's answer, or the empty string where none is sure enough."""
    found = sense(sample, graph, question)
    return found.concept if found.confidence >= LEAST_CONFIDENCE else ""
