"""Knowledge of a run: its source of facts, the pack that checks consult, and answers linked to concepts."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from kbe_graph.english.reading import read
from kbe_graph.english.sense import Link
from kbe_graph.english.words import synset_of
from kbe_graph.errors import InputError
from kbe_graph.evolve.plan import Plan, first_questions, sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.pack import FactVerdict, Key, Pack, PackSource, apply_verdicts, kept_verdicts, merge, pack
from kbe_graph.facts.walk import link
from kbe_graph.facts.wikidata.closure import Mention, closure, is_item, mention_of
from kbe_graph.facts.wikidata.rules import unasked
from kbe_graph.facts.wikidata.statement_facts import statement_pack
from kbe_graph.facts.wikidata.wikidata import FILE, Archive, WikidataSettings, Wikimedia, wikidata_settings
from kbe_graph.folder import Folder
from kbe_graph.models.loop import batches
from kbe_graph.plugins import Registry
from kbe_graph.store import Store
from kbe_graph.types import KnowledgeSource, Progress, Question, Sample, SampleGraph, WikiStatement

LEAST_CONFIDENCE = 0.55


class Knowledge(NamedTuple):
    """Source of a run's candidates, all facts, and a function ``link`` that finds an answer's concept.

    It returns the empty string if no concept is certain enough. ``own`` contains only the source's facts, and
    ``notes`` what the manifest records about them.
    """

    source: KnowledgeSource
    pack: Pack
    link: Callable[[Sample, SampleGraph, Question], str]
    own: Pack
    notes: Mapping[str, object] = {}


class KnowledgeRow(NamedTuple):
    """A source of facts: its description, and a function that builds the knowledge of a run from it.

    ``settings`` returns those of its settings that affect a run's outcome. ``ahead`` says that re-selection precedes
    gathering, because the source is queried about all answers at once.
    """

    about: str
    gather: Callable[[Folder, Store, Plan, Progress], Knowledge]
    settings: Callable[[Folder, RunOptions], Mapping[str, str]] = lambda *_: {}
    ahead: bool = False


def packaged_knowledge(verdicts: Mapping[Key, FactVerdict]) -> Knowledge:
    """Build a run's knowledge from the bundled facts, with people's verdicts on facts."""
    facts = apply_verdicts(pack(), verdicts)
    return Knowledge(PackSource(facts), facts, concept_of, facts)


def verdicts_hash(folder: Folder) -> str:
    """Hash the workspace's verdicts on facts; empty without any."""
    return sha256(folder.review.read_bytes()).hexdigest()[:16] if folder.review.exists() else ""


def pack_row(about: str, facts: Pack) -> KnowledgeRow:
    """Create a source from custom facts; checks also know the bundled facts.

    Subjects are found by WordNet concept (``wn30:02084071-n``), because answers are linked to these.
    """

    def gather(folder: Folder, *_: object) -> Knowledge:
        verdicts = kept_verdicts(folder.review)
        own = apply_verdicts(facts, verdicts)
        return Knowledge(PackSource(own), merge(own, apply_verdicts(pack(), verdicts)), concept_of, own)

    return KnowledgeRow(about, gather)


def wikidata_knowledge(
    folder: Folder, store: Store, plan: Plan, settings: WikidataSettings, *, progress: Progress = lambda *_: None
) -> Knowledge:
    """Build a run's knowledge from Wikidata's facts about its answers and the bundled facts.

    A fact found in both is attributed to Wikidata. New facts are fetched now and kept in the workspace; raises
    SourceError.
    """
    first, hops = first_answers(store, plan), plan.options.hops
    with Archive(folder.hidden / FILE) as archive:
        linked = closure(
            Wikimedia(archive, settings, progress), first, hops=hops, further=_further(first.values(), hops)
        )
        oldest, newest = archive.span()
    notes = {
        "endpoint": settings.endpoint,
        "oldest answer": oldest,
        "newest answer": newest,
        "facts": len(linked.pack.facts),
        "answers linked": len(linked.concepts) - sum(linked.abstained.values()),
        "answers not linked": linked.abstained,
    }
    verdicts = kept_verdicts(folder.review)
    facts = apply_verdicts(linked.pack, verdicts)
    both = merge(facts, apply_verdicts(pack(), verdicts))

    def concept(sample: Sample, graph: SampleGraph, question: Question) -> str:
        return linked.concepts.get(question.id) or concept_of(sample, graph, question)

    return Knowledge(PackSource(both, single=True), both, concept, facts, notes)


def first_answers(store: Store, plan: Plan) -> Mapping[str, Mention]:
    """Collect the answers that a run looks up in Wikidata, by question id, reading samples in batches.

    Answers without a concept are skipped, unless WordNet does not know them and the question does not ask for the name
    of a company, a person or the like.
    """
    seen: dict[Mention, Mention] = {}
    mentions: dict[str, Mention] = {}
    for _, ids in batches(sample_ids(store, plan.options), plan.batch):
        graphs = store.graphs(ids)
        samples = {sample.id: sample for sample in store.samples(ids=ids)}
        for question in first_questions(store, plan.run.name, ids):
            answer = _answer(samples[question.sample], graphs[question.sample], question)
            if answer is not None:
                mentions[question.id] = seen.setdefault(answer, answer)  # many samples share an answer
    return mentions


def _further(mentions: Iterable[Mention], hops: int) -> Collection[str]:
    concepts = {mention.concept for mention in mentions if mention.concept}
    ends = {end for concept in concepts for end in pack().reachable(concept, hops - 1)}
    return sorted(end for end in ends - concepts if synset_of(end))


def _answer(sample: Sample, graph: SampleGraph, question: Question) -> Mention | None:
    text = question.text or sample.question
    if is_item(question.end.concept):
        return Mention(question.end.concept)
    link_ = sense(sample, graph, question)
    concept = question.concept or link_.concept
    linkable = concept or (link_.reason == "not in WordNet" and not read(text).asks("brand"))
    return mention_of(text, question.answer, concept) if linkable else None


def sense(sample: Sample, graph: SampleGraph, question: Question) -> Link:
    """Link the question's answer to a concept, or explain why not."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects)


def concept_of(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Determine the concept of the question's answer, empty if none is certain enough.

    It is the Wikidata item (``wd:Q144``) that the question's key names as its answer, if there is one.
    """
    if is_item(question.end.concept):
        return question.end.concept
    link_ = sense(sample, graph, question)
    return link_.concept if link_.confidence >= LEAST_CONFIDENCE else ""


def _with_mark(statement: WikiStatement) -> WikiStatement:
    mark = unasked().get(statement.property_id)
    return replace(statement, reasons=(*statement.reasons, mark)) if mark else statement


def statements_knowledge(folder: Folder, store: Store, *_: object) -> Knowledge:
    """Build a run's knowledge from the kept statements about the workspace's items and the bundled facts.

    Raises InputError if there are none.
    """
    verdicts = kept_verdicts(folder.review)
    ids = sorted(store.fetched_items())
    statements = chain.from_iterable(store.item_statements(ids, kept=None).values())  # a rejected one counts as a value
    own = apply_verdicts(statement_pack(store.items(ids).values(), map(_with_mark, statements)), verdicts)
    if not own.facts:
        raise InputError("the workspace has no Wikidata statements; fetch some first (`wiki`)")
    both = merge(own, apply_verdicts(pack(), verdicts))
    return Knowledge(PackSource(both, single=True), both, concept_of, own, {"items": len(ids), "facts": len(own.facts)})


def _wikidata(folder: Folder, options: RunOptions) -> WikidataSettings:
    reach = {name: getattr(options, name) for name in ("contact", "endpoint", "offline")}
    return wikidata_settings(folder.config, os.environ, **reach)


_PACKAGED = KnowledgeRow("the packaged facts", lambda folder, *_: packaged_knowledge(kept_verdicts(folder.review)))
SOURCES: Registry[KnowledgeRow] = Registry(
    "knowledge source",
    "kbe_graph.sources",
    {
        "pack": _PACKAGED,
        "wikidata": KnowledgeRow(
            "Wikidata, asked about the answers of the run",
            lambda folder, store, plan, progress: wikidata_knowledge(
                folder, store, plan, _wikidata(folder, plan.options), progress=progress
            ),
            lambda folder, options: {"endpoint": _wikidata(folder, options).endpoint},
            ahead=True,
        ),
        "statements": KnowledgeRow("the statements of Wikidata in the workspace", statements_knowledge),
        "model": _PACKAGED._replace(about="what a model proposes"),
    },
)
"""Sources by name; if a model proposes facts, checks still know the bundled ones."""
