"""The knowledge of a run: its source of facts, the pack that filters and checks ask, answers linked to concepts."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from kbe_graph.checks.chain import kinds_in
from kbe_graph.english.kinds import synset_of
from kbe_graph.errors import InputError
from kbe_graph.evolve.plan import Plan, first_questions, sample_ids
from kbe_graph.execute.executor import batches
from kbe_graph.facts.pack import Pack, PackSource, merge, pack
from kbe_graph.facts.review import apply_verdicts, kept_verdicts
from kbe_graph.facts.wikidata.askable_properties import unasked
from kbe_graph.facts.wikidata.closure import closure
from kbe_graph.facts.wikidata.linking import Mention, is_item, mention_of
from kbe_graph.facts.wikidata.sparql import SparqlEndpoint, WikidataSettings, wikidata_settings
from kbe_graph.facts.wikidata.statement_facts import statement_pack
from kbe_graph.facts.wikidata.wikidata import FILE, Archive, Wikidata, WikidataSource
from kbe_graph.files.format_registry import Registry
from kbe_graph.folder import Folder
from kbe_graph.question import read
from kbe_graph.senses.sense import Link, link
from kbe_graph.store import Store
from kbe_graph.types import Fact, KnowledgeSource, Progress, Question, Sample, SampleGraph, WikiStatement

LEAST_CONFIDENCE = 0.55


class Knowledge(NamedTuple):
    """The source of a run's candidates, all facts, and the concept of an answer (empty where none is sure enough).

    ``told`` are the facts of the source alone, ``notes`` the manifest's notes on them.
    """

    source: KnowledgeSource
    pack: Pack
    link: Callable[[Sample, SampleGraph, Question], str]
    told: Pack
    notes: Mapping[str, object] = {}


def packaged_knowledge(folder: Folder) -> Knowledge:
    """Return the packaged facts as a run's knowledge, with the verdicts that were given in the workspace."""
    facts = apply_verdicts(pack(), kept_verdicts(folder.review))
    return Knowledge(PackSource(facts), facts, concept_of, facts)


def with_verdicts(plan: Plan, folder: Folder) -> Plan:
    """Return the plan with the verdicts of the workspace among its settings, if there are any."""
    if not folder.review.exists():
        return plan
    verdicts = sha256(folder.review.read_bytes()).hexdigest()[:16]
    return replace(plan, run=replace(plan.run, settings=(*plan.run.settings, ("verdicts", verdicts))))


def wikidata_knowledge(
    folder: Folder, store: Store, plan: Plan, settings: WikidataSettings, *, progress: Progress = lambda *_: None
) -> Knowledge:
    """Return Wikidata's facts about the answers of a run, and the packaged facts.

    A fact that both tell is Wikidata's. Facts not asked for before are asked for now, and kept in the workspace; raises
    SourceError.
    """
    first = first_answers(store, plan)
    with Archive(folder.hidden / FILE) as archive:
        wikidata = Wikidata(archive, SparqlEndpoint(settings), progress)
        linked = closure(
            wikidata,
            first.answers,
            hops=plan.scope.hops,
            further=_further(first.answers.values(), plan.scope.hops),
            kinds=first.kinds,
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
        """Return the concept of an answer that has an item, else the one that its sense alone links to."""
        return linked.concepts.get(question.id) or concept_of(sample, graph, question)

    return Knowledge(WikidataSource(both), both, concept, facts, notes)


class FirstAnswers(NamedTuple):
    """The answers that a run starts from, by their questions' ids, and the kinds of them that the questions name."""

    answers: Mapping[str, Mention]
    kinds: Collection[str]


def first_answers(store: Store, plan: Plan) -> FirstAnswers:
    """Return the answers that a run asks Wikidata about, the samples read a batch at a time.

    Left out are answers without a concept, but those that WordNet does not know stay: names of firms and people apart.
    """
    seen: dict[Mention, Mention] = {}
    mentions: dict[str, Mention] = {}
    kinds: set[str] = set()
    for _, ids in batches(sample_ids(store, plan.scope), plan.batch):
        graphs = store.graphs(ids)
        samples = {sample.id: sample for sample in store.samples(ids=ids)}
        for question in first_questions(store, plan.run.name, ids):
            answer = _answer(samples[question.sample], graphs[question.sample], question)
            if answer is not None:
                mentions[question.id] = seen.setdefault(answer, answer)  # many samples share an answer
                kinds.update(kinds_in(question.text or samples[question.sample].question, answer.concept))
    return FirstAnswers(mentions, kinds)


def _further(mentions: Iterable[Mention], hops: int) -> Collection[str]:
    """Return the concepts that the packaged facts of the answers lead to, but for those of the last hop."""
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
    """Return the concept that the question's answer is linked to, or why to none."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects)


def named_item(question: Question) -> str:
    """Return the item of Wikidata (``wd:Q144``) that a question's key names as its answer, empty where it has none."""
    concept = question.end.concept
    return concept if is_item(concept) else ""


def concept_of(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Return the concept of the question's answer, or the empty string where none is sure enough."""
    if named := named_item(question):
        return named
    link_ = sense(sample, graph, question)
    return link_.concept if link_.confidence >= LEAST_CONFIDENCE else ""


Gather = Callable[[Folder, Store, Plan, Progress], Knowledge]


class Access(NamedTuple):
    """How a source on the network is asked; a field that is None comes from the environment or ``kbe.toml``."""

    contact: str | None = None
    endpoint: str | None = None
    offline: bool = False


@dataclass(frozen=True, slots=True)
class ChosenSource:
    """A source as a run asks it.

    ``gather`` gives the run's knowledge. ``settings`` are those of the source that the outcome of a run depends on, its
    name first. ``ahead`` says that re-selection comes before the gathering, because the source is asked about all
    answers at once.
    """

    gather: Gather
    settings: Mapping[str, str] = field(default_factory=dict)
    ahead: bool = False


class KnowledgeRow(NamedTuple):
    """A source in the registry: its description (for help texts), and the way to choose it in a workspace."""

    about: str
    choose: Callable[[Folder, Access], ChosenSource]


@dataclass(frozen=True, slots=True)
class Sourced:
    """A source without the facts that were told without opening one."""

    source: KnowledgeSource

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Return the source's candidates for the current answer, without unsourced facts."""
        return [fact for fact in await self.source.candidates(sample, question) if not fact.unsourced]


def pack_source(name: str, facts: Pack) -> ChosenSource:
    """Return a source of candidates from facts of one's own; filters and checks know the packaged facts beside them.

    The subjects of the facts are found by WordNet's concepts (``wn30:02084071-n``), as answers are linked to these.
    """

    def gather(folder: Folder, *_: object) -> Knowledge:
        """Return the facts of the pack and the packaged ones, without those that people found wrong."""
        verdicts = kept_verdicts(folder.review)
        own = apply_verdicts(facts, verdicts)
        return Knowledge(PackSource(own), merge(own, apply_verdicts(pack(), verdicts)), concept_of, own)

    return ChosenSource(gather, {"knowledge": name})


def wikidata_source(settings: WikidataSettings) -> ChosenSource:
    """Return Wikidata as a source that is asked with these settings."""

    def gather(folder: Folder, store: Store, plan: Plan, progress: Progress) -> Knowledge:
        """Return Wikidata's facts about all answers that the plan can reach; raises SourceError."""
        return wikidata_knowledge(folder, store, plan, settings, progress=progress)

    return ChosenSource(gather, {"knowledge": "wikidata", "endpoint": settings.endpoint}, ahead=True)


def _with_mark(statement: WikiStatement) -> WikiStatement:
    """Refuse a statement whose property is asked of nothing: questions of pages and hops go by one table."""
    mark = unasked().get(statement.property_id)
    return replace(statement, reasons=(*statement.reasons, mark)) if mark else statement


def statements_knowledge(folder: Folder, store: Store) -> Knowledge:
    """Return the kept statements of the workspace's items as a run's knowledge, and the packaged facts beside them."""
    verdicts = kept_verdicts(folder.review)
    ids = sorted(store.fetched_items())
    statements = chain.from_iterable(store.item_statements(ids, kept=None).values())  # a refused one counts as a value
    own = apply_verdicts(statement_pack(store.items(ids).values(), map(_with_mark, statements)), verdicts)
    both = merge(own, apply_verdicts(pack(), verdicts))
    return Knowledge(WikidataSource(both), both, concept_of, own, {"items": len(ids), "facts": len(own.facts)})


def _statements(*_: object) -> ChosenSource:
    def gather(folder: Folder, store: Store, *_: object) -> Knowledge:
        """Return the statements of the workspace's items; raises InputError where there are none."""
        knowledge = statements_knowledge(folder, store)
        if not knowledge.told.facts:
            raise InputError("the workspace has no Wikidata statements; fetch some with `work.wiki.statements()`")
        return knowledge

    return ChosenSource(gather, {"knowledge": "statements"})


def _wikidata(folder: Folder, access: Access) -> ChosenSource:
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
"""The sources by name; where a model proposes, filters and checks still know the packaged facts."""


def choose_source(name: str, folder: Folder, access: Access) -> ChosenSource:
    """Return the source of this name in a workspace; raises InputError for an unknown one and ConfigError."""
    return SOURCES.require(name).choose(folder, access)
