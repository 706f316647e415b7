"""Evolves the questions of a workspace: the makers of a run, and the run."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, get_args

from kbe_graph.errors import InputError
from kbe_graph.evolve.knowledge import Access, choose_source, with_verdicts
from kbe_graph.evolve.manifest import forgetting_failed
from kbe_graph.evolve.mix import RuleOrModel
from kbe_graph.evolve.offline import filter_settings, gather, offline_plan, offline_run, warn_of_strange_relations
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.pack import pack
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import check_choice
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.workspace.run import Run


class Makers(NamedTuple):
    """Who makes the questions of a run: where facts come from, and who words them."""

    knowledge: str
    wording: RuleOrModel


def choose_makers(knowledge: str | None, wording: RuleOrModel | None, model: ModelOptions | str | None) -> Makers:
    """Choose the makers of a run: a given model, unless knowledge or wording says otherwise. Raises InputError."""
    if wording is not None:
        check_choice("wording", wording, get_args(RuleOrModel))
    options = None if model is None else model_options(model)
    facts, words = knowledge or ("model" if options else "pack"), wording or ("model" if options else "rule")
    if options and "model" not in {facts, words} and not options.verify:
        raise InputError(
            f"the model would have nothing to do: facts come from {facts!r} and rules word the questions; "
            "leave out one of the three, or let the model verify"
        )
    return Makers(facts, words)


def evolve_run(
    work: GraphAccess,
    scope: RunOptions,
    makers: Makers,
    access: Access,
    *,
    model: ModelOptions | str | None,
    workers: int | None,
    ray: str | None,
) -> Run:
    """Evolve, or go on, and return the run; raises as ``Workspace.evolve``.

    ``access`` says how a source on the network is asked, ``workers`` how many processes explore, and ``ray`` on which
    cluster.
    """
    asks = "model" in makers or (model is not None and model_options(model).verify)
    if ray and (asks or makers.knowledge != "pack"):
        raise InputError("a cluster works only for runs by rules and packaged facts; leave out `ray`")
    source = choose_source(makers.knowledge, work.folder, access)
    if makers.knowledge == "pack":
        warn_of_strange_relations(work.folder, pack().relations)
    awaits: tuple[Path, ...] = ()
    work.store.require_questions()
    before = work.store.status_counts(scope.name)
    with work.reporter as reporter:
        if asks:
            from kbe_graph.workspace.asking import open_run

            with open_run(work, model or MODEL, scope, **makers._asdict()) as asked:
                awaits = asked.evolve(source, reporter)
        else:
            offline_run(work.folder, work.store, scope, source=source, workers=workers, ray=ray, progress=reporter)
    record = next(record for record in work.store.runs() if record.name == scope.name)
    grown = work.store.status_counts(scope.name) != before
    return Run(work, record, awaits=awaits, grown=grown)


def fetch_facts(work: GraphAccess, scope: RunOptions, access: Access, pack: Path | None) -> Mapping[str, object]:
    """Re-select, keep Wikidata's facts about all answers, write them to the folder ``pack`` as well, and return notes.

    Raises SourceError.
    """
    from kbe_graph.facts.review import write_pack

    source = choose_source("wikidata", work.folder, access)
    plan = with_verdicts(offline_plan(scope, filter_settings(work.folder), source), work.folder)
    with work.reporter as reporter, forgetting_failed(work.store, scope.name):
        knowledge = gather(work.folder, work.store, plan, source, progress=reporter)
    if pack is not None:
        write_pack(pack, knowledge.told)
    return knowledge.notes
