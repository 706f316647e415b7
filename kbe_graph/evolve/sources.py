"""The knowledge sources that a run can take its facts from: one registry, which plug-ins add to."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evolve.knowledge import Knowledge, concept_of, packaged_knowledge, wikidata_knowledge
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.pack import Pack, PackSource, merge, pack
from kbe_graph.facts.review import apply_verdicts, kept_verdicts
from kbe_graph.facts.wikidata.options import WikidataSettings, wikidata_settings
from kbe_graph.folder import Folder
from kbe_graph.plugins import registry
from kbe_graph.store import Store
from kbe_graph.types import Fact, KnowledgeSource, Progress, Question, Sample

Gather = Callable[[Folder, Store, Plan, Progress], Knowledge]


class Access(NamedTuple):
    """How a source on the network is asked; what is None comes from the environment or ``kbe.toml``."""

    contact: str | None = None
    endpoint: str | None = None
    offline: bool = False


@dataclass(frozen=True, slots=True)
class ChosenSource:
    """A source as a run asks it.

    ``gather`` gives what the run knows. ``settings`` are what of the source the outcome of a run depends on, its name
    first. ``ahead`` says that re-selection comes before the gathering, because the source is asked about all answers at
    once.
    """

    gather: Gather
    settings: Mapping[str, str] = field(default_factory=dict)
    ahead: bool = False


class KnowledgeRow(NamedTuple):
    """A source in the registry: what it is (for help texts), and what is chosen with it in a workspace."""

    about: str
    choose: Callable[[Folder, Access], ChosenSource]


@dataclass(frozen=True, slots=True)
class Sourced:
    """A source without the facts that were told without opening one."""

    source: KnowledgeSource

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Return what the source gives of the current answer, unsourced facts left out."""
        return [fact for fact in await self.source.candidates(sample, question) if not fact.unsourced]


def pack_source(name: str, facts: Pack) -> ChosenSource:
    """Return a source of candidates from facts of one's own; filters and checks know the packaged facts beside them.

    The subjects of the facts are found by WordNet's concepts (``wn30:02084071-n``), as answers are linked to these.
    """

    def gather(folder: Folder, *_: object) -> Knowledge:
        """Return the facts of the table, and the packaged ones to check by, both as people judged them."""
        verdicts = kept_verdicts(folder.review)
        own = apply_verdicts(facts, verdicts)
        return Knowledge(PackSource(own), merge(own, apply_verdicts(pack(), verdicts)), concept_of, own)

    return ChosenSource(gather, {"knowledge": name})


def wikidata_source(settings: WikidataSettings) -> ChosenSource:
    """Return Wikidata as a source that is asked with these settings."""

    def gather(folder: Folder, store: Store, plan: Plan, progress: Progress) -> Knowledge:
        """Return what Wikidata says of all answers that the plan can reach; raises SourceError."""
        return wikidata_knowledge(folder, store, plan, settings, progress=progress)

    return ChosenSource(gather, {"knowledge": "wikidata", "endpoint": settings.endpoint}, ahead=True)


def _wikidata(folder: Folder, access: Access) -> ChosenSource:
    return wikidata_source(wikidata_settings(folder.config, os.environ, **access._asdict()))


PACKAGED = ChosenSource(lambda folder, *_: packaged_knowledge(folder), {"knowledge": "pack"})
SOURCES: Mapping[str, KnowledgeRow] = {
    "pack": KnowledgeRow("the packaged facts", lambda *_: PACKAGED),
    "wikidata": KnowledgeRow("Wikidata, asked about the answers of the run", _wikidata),
    "model": KnowledgeRow("what a model proposes", lambda *_: PACKAGED),
}
"""Our own sources by name; where a model proposes, filters and checks still know the packaged facts."""


def sources() -> Mapping[str, KnowledgeRow]:
    """Return all sources by name, those of plug-ins (``kbe_graph.sources``) among them."""
    return registry("kbe_graph.sources", SOURCES)


def choose_source(name: str, folder: Folder, access: Access) -> ChosenSource:
    """Return the source of this name in a workspace; raises InputError for an unknown one and ConfigError."""
    rows = sources()
    if name not in rows:
        raise InputError(f"no knowledge source {name!r}; there are {', '.join(rows)}")
    return rows[name].choose(folder, access)
