"""Evolves the questions of a workspace: who makes them, and the run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.checks.reasons import GUESSED, choose_checks
from kbe_graph.errors import InputError
from kbe_graph.evolve.knowledge import choose_source, with_verdicts
from kbe_graph.evolve.plan import Mix, Plan, RuleOrModel, model_plan, require_independence, roles, warn_of_one_family
from kbe_graph.evolve.run_options import RunOptions, SourceOptions
from kbe_graph.evolve.runs import filter_settings, run_by_rules, run_with_model, warn_of_strange_relations
from kbe_graph.facts.pack import pack
from kbe_graph.graph_access import GraphAccess
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.steps.session import ModelSession, open_session
from kbe_graph.workspace.run import Run


class PlannedRun(NamedTuple):
    """A run with a model, as it is planned, and the session that asks."""

    session: ModelSession
    plan: Plan


def choose_mix(knowledge: str | None, wording: RuleOrModel | None, model: ModelOptions | str | None) -> Mix:
    """Choose the makers of a run: a given model, unless knowledge or wording says otherwise. Raises InputError."""
    options = MODEL if model is None else model_options(model)
    facts, words = ("pack", "rule") if model is None else ("model", "model")
    mix = Mix(
        options.mode,
        knowledge or facts,
        wording or words,  # type: ignore[arg-type]  # one of two words
        options.ground,
        options.verify,
        options.language,
        options.blind,
    )
    if model is not None and not mix.asks:
        raise InputError(
            f"the model would have nothing to do: facts come from {mix.knowledge!r} and rules word the questions; "
            "leave out one of the three, or let the model verify"
        )
    return mix


@contextmanager
def open_run(work: GraphAccess, model: ModelOptions | str, scope: RunOptions, mix: Mix) -> Iterator[PlannedRun]:
    """Give a run with a model as it is planned.

    Raises ConfigError, also where its models are of one family and may not be, and ResourceError.
    """
    options = model_options(model)
    if not choose_checks(scope.filters, facts_known=mix.knowledge != "model").asks(GUESSED):
        mix = replace(mix, blind="off")
    with open_session(model, work) as session:
        models = roles(mix, session.book)
        if options.independent:
            require_independence(models)
        elif options.verify:
            warn_of_one_family(models)
        plan = model_plan(scope, mix, filter_settings(work.folder), models, session.prompts)
        yield PlannedRun(session, with_verdicts(plan, work.folder))


def evolve_run(
    work: GraphAccess,
    scope: RunOptions,
    mix: Mix,
    access: SourceOptions,
    *,
    model: ModelOptions | str | None,
    workers: int | None,
    ray: str | None,
) -> Run:
    """Evolve, or go on, and return the run; raises as ``Workspace.evolve``.

    ``access`` says how a source on the network is asked, ``workers`` how many processes explore, and ``ray`` on which
    cluster.
    """
    if ray and (mix.asks or mix.knowledge != "pack"):
        raise InputError("a cluster works only for runs by rules and packaged facts; leave out `ray`")
    folder, store = work.folder, work.store
    source = choose_source(mix.knowledge, folder, access)
    if mix.knowledge == "pack":
        warn_of_strange_relations(folder, pack().relations)
    awaits: tuple[Path, ...] = ()
    store.require_questions()
    before = store.status_counts(scope.name)
    with work.reporter as reporter:
        if mix.asks:
            with open_run(work, model or MODEL, scope, mix) as planned:
                awaits = run_with_model(work, planned.session, planned.plan, source, progress=reporter)
        else:
            run_by_rules(folder, store, scope, source=source, workers=workers, ray=ray, progress=reporter)
    record = next(record for record in store.runs() if record.name == scope.name)
    return Run(work, record, awaits=awaits, grown=store.status_counts(scope.name) != before)
