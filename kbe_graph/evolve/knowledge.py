"""Knowledge of a run: its source of facts, the pack that checks consult, and answers linked to concepts."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from kbe_graph.english.kinds import synset_of
from kbe_graph.errors import InputError
from kbe_graph.evolve.plan import Plan, first_questions, sample_ids
from kbe_graph.evolve.run_options import SourceOptions
from kbe_graph.facts.pack import Pack, PackSource, merge, pack
from kbe_graph.facts.review import FactVerdict, Key, apply_verdicts, kept_verdicts
from kbe_graph.facts.wikidata.archive import FILE, Archive, WikidataSettings, wikidata_settings
from kbe_graph.facts.wikidata.closure import Mention, closure, is_item, mention_of
from kbe_graph.facts.wikidata.rules import unasked
from kbe_graph.facts.wikidata.statement_facts import statement_pack
from kbe_graph.facts.wikidata.wikidata import Wikidata
from kbe_graph.folder import Folder
from kbe_graph.models.loop import batches
from kbe_graph.plugins import Registry
from kbe_graph.question import read
from kbe_graph.senses.sense import Link, link
from kbe_graph.store import Store
from kbe_graph.types import Fact, KnowledgeSource, Progress, Question, Sample, SampleGraph, WikiStatement

LEAST_CONFIDENCE = 0.55
Verdicts = Mapping[Key, FactVerdict]


class Knowledge(NamedTuple):
    """Source of a run's candidates, all facts, and a function ``link`` that finds an answer's concept.

    It returns the empty string if no concept is certain enough.

    ``told`` contains only the source's facts, and ``notes`` what the manifest records about them.
    """

    source: KnowledgeSource
    pack: Pack
    link: Callable[[Sample, SampleGraph, Question], str]
    told: Pack
    notes: Mapping[str, object] = {}


def packaged_knowledge(folder: Folder) -> Knowledge:
    """Build a run's knowledge from the bundled facts, with the verdicts given in the workspace."""
    return reviewed_knowledge(kept_verdicts(folder.review))


def reviewed_knowledge(verdicts: Verdicts) -> Knowledge:
    """Build a run's knowledge from the bundled facts, with these verdicts."""
    facts = apply_verdicts(pack(), verdicts)
    return Knowledge(PackSource(facts), facts, concept_of, facts)


def with_verdicts(plan: Plan, folder: Folder) -> Plan:
    """Add the hash of the workspace's verdicts, if any, to the plan's settings."""
    if not folder.review.exists():
        return plan
    verdicts = sha256(folder.review.read_bytes()).hexdigest()[:16]
    return replace(plan, run=replace(plan.run, settings=(*plan.run.settings, ("verdicts", verdicts))))


def wikidata_knowledge(
    folder: Folder, store: Store, plan: Plan, settings: WikidataSettings, *, progress: Progress = lambda *_: None
) -> Knowledge:
    """Build a run's knowledge from Wikidata's facts about its answers and the bundled facts.

    A fact found in both is attributed to Wikidata. New facts are fetched now and kept in the workspace; raises
    SourceError.
    """
    first = first_answers(store, plan)
    with Archive(folder.hidden / FILE) as archive:
        wikidata = Wikidata(archive, settings, progress)
        linked = closure(
            wikidata,
            first,
            hops=plan.scope.hops,
            further=_further(first.values(), plan.scope.hops),
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
    for _, ids in batches(sample_ids(store, plan.scope), plan.batch):
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
    if named := named_item(question):
        return Mention(named)
    link_ = sense(sample, graph, question)
    concept = question.concept or link_.concept
    linkable = concept or (link_.reason == "not in WordNet" and not read(text).asks("brand"))
    return mention_of(text, question.answer, concept) if linkable else None


def sense(sample: Sample, graph: SampleGraph, question: Question) -> Link:
    """Link the question's answer to a concept, or explain why not."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects)


def named_item(question: Question) -> str:
    """Extract the Wikidata item (``wd:Q144``) that a question's key names as its answer, empty if there is none."""
    concept = question.end.concept
    return concept if is_item(concept) else ""


def concept_of(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Determine the concept of the question's answer, empty if none is certain enough."""
    if named := named_item(question):
        return named
    link_ = sense(sample, graph, question)
    return link_.concept if link_.confidence >= LEAST_CONFIDENCE else ""


Gather = Callable[[Folder, Store, Plan, Progress], Knowledge]


@dataclass(frozen=True, slots=True)
class ChosenSource:
    """Source as used by a run.

    ``gather`` builds the run's knowledge. ``settings`` are the source's settings that affect a run's outcome, its name
    first. ``ahead`` says that re-selection precedes gathering, because the source is queried about all answers at once.
    """

    gather: Gather
    settings: Mapping[str, str] = field(default_factory=dict)
    ahead: bool = False


class KnowledgeRow(NamedTuple):
    """Registry entry of a source: its description (for help texts), and a function that selects it in a workspace."""

    about: str
    choose: Callable[[Folder, SourceOptions], ChosenSource]


@dataclass(frozen=True, slots=True)
class Sourced:
    """Wrapper around a source that omits unsourced facts."""

    source: KnowledgeSource

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Get the source's candidates for the current answer, without unsourced facts."""
        return [fact for fact in await self.source.candidates(sample, question) if not fact.unsourced]


def pack_source(name: str, facts: Pack) -> ChosenSource:
    """Create a source from custom facts; checks also know the bundled facts.

    Subjects are found by WordNet concept (``wn30:02084071-n``), because answers are linked to these.
    """

    def gather(folder: Folder, *_: object) -> Knowledge:
        verdicts = kept_verdicts(folder.review)
        own = apply_verdicts(facts, verdicts)
        return Knowledge(PackSource(own), merge(own, apply_verdicts(pack(), verdicts)), concept_of, own)

    return ChosenSource(gather, {"knowledge": name})


def wikidata_source(settings: WikidataSettings) -> ChosenSource:
    """Create a Wikidata source with these settings."""

    def gather(folder: Folder, store: Store, plan: Plan, progress: Progress) -> Knowledge:
        return wikidata_knowledge(folder, store, plan, settings, progress=progress)

    return ChosenSource(gather, {"knowledge": "wikidata", "endpoint": settings.endpoint}, ahead=True)


def _with_mark(statement: WikiStatement) -> WikiStatement:
    mark = unasked().get(statement.property_id)
    return replace(statement, reasons=(*statement.reasons, mark)) if mark else statement


def statements_knowledge(folder: Folder, store: Store) -> Knowledge:
    """Build a run's knowledge from the kept statements about the workspace's items and the bundled facts."""
    verdicts = kept_verdicts(folder.review)
    ids = sorted(store.fetched_items())
    statements = chain.from_iterable(store.item_statements(ids, kept=None).values())  # a rejected one counts as a value
    own = apply_verdicts(statement_pack(store.items(ids).values(), map(_with_mark, statements)), verdicts)
    both = merge(own, apply_verdicts(pack(), verdicts))
    return Knowledge(PackSource(both, single=True), both, concept_of, own, {"items": len(ids), "facts": len(own.facts)})


def _statements(*_: object) -> ChosenSource:
    def gather(folder: Folder, store: Store, *_: object) -> Knowledge:
        knowledge = statements_knowledge(folder, store)
        if not knowledge.told.facts:
            raise InputError("the workspace has no Wikidata statements; fetch some first (`wiki`)")
        return knowledge

    return ChosenSource(gather, {"knowledge": "statements"})


def _wikidata(folder: Folder, access: SourceOptions) -> ChosenSource:
    return wikidata_source(wikidata_settings(folder.config, os.environ, **access._asdict()))


PACKAGED = ChosenSource(lambda folder, *_: packaged_knowledge(folder), {"knowledge": "pack"})
SOURCES: Registry[KnowledgeRow] = Registry(
    "knowledge source",
    "kbe_graph.sources",
    {
        "pack": KnowledgeRow("the packaged facts", lambda *_: PACKAGED),
        "wikidata": KnowledgeRow("Wikidata, asked about the answers of the run", _wikidata),
        "statements": KnowledgeRow("the statements of Wikidata in the workspace", _statements),
        "model": KnowledgeRow("what a model proposes", lambda *_: PACKAGED),
    },
)
"""Sources by name; if a model proposes facts, checks still know the bundled ones."""


def choose_source(name: str, folder: Folder, access: SourceOptions) -> ChosenSource:
    """Select a source by name in a workspace; raises InputError for an unknown name, and ConfigError."""
    return SOURCES.require(name).choose(folder, access)
