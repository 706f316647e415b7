"""``kbe evolve``: write new questions, hop by hop."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbe_graph.cli.common import OpenGraph, Steady, open_graph, print_mapping
from kbe_graph.cli.model import ModelFlags, forecast, model_options, run_work
from kbe_graph.cli.scope import scope_options
from kbe_graph.cli.wikidata import Asked, wikidata_options

if TYPE_CHECKING:
    from kbe_graph.evolve.mix import Mix
    from kbe_graph.evolve.plan import Scope
    from kbe_graph.knowledge.wikidata.settings import WikidataSettings


@click.command()
@scope_options
@click.option("--knowledge", type=click.Choice(["pack", "wikidata", "model"]), help="Where facts come from (pack).")
@click.option("--wording", type=click.Choice(["rule", "model"]), help="Who words the questions (rule).")
@click.option(
    "--mode", type=click.Choice(["paper", "merged", "chain"]), help="Ask a model, 3.67, 1.33 or 0.67 calls a question."
)
@click.option("--ground", default="report", show_default=True, type=click.Choice(["require", "prefer", "report"]))
@click.option("--verify", is_flag=True, help="Ask a second opinion of what a model proposes ([models.verify]).")
@click.option("--independent", is_flag=True, help="Refuse models of one family as generator, verifier and judge.")
@model_options
@wikidata_options
@click.pass_obj
def evolve(
    folder: Path,
    scope: "Scope",
    knowledge: str | None,
    wording: str | None,
    mode: str | None,
    ground: str,
    verify: bool,
    independent: bool,
    flags: ModelFlags,
    asked: Asked,
) -> None:
    """Re-select and explore; the same command again goes on where it stopped, and does nothing when it is done.

    Facts come from the pack and rules word the questions, unless --mode, --knowledge model or --wording model is given.
    """
    from kbe_graph.evolve.offline import offline_run

    asks = bool(mode) or "model" in {knowledge, wording}
    if not asks:
        flags.refuse_dry_run("--mode, --knowledge model or --wording model")
    with open_graph(folder) as graph:
        wikidata = asked.settings(graph.workspace) if knowledge == "wikidata" else None
        if not asks:
            offline_run(graph.workspace, graph.store, scope, wikidata=wikidata, progress=Steady())
        else:
            mix = chosen(mode=mode, knowledge=knowledge, wording=wording, ground=ground, verify=verify, flags=flags)
            if not by_model(graph, flags, mix, scope, wikidata, independent=independent):
                return
        print_mapping(graph.store.status(scope.name))


def chosen(
    *, mode: str | None, knowledge: str | None, wording: str | None, ground: str, verify: bool, flags: ModelFlags
) -> "Mix":
    """Return the mix that the options name; with a mode, facts and wording are the model's where nothing else is said."""
    from kbe_graph.evolve.mix import Mix

    facts = knowledge or ("model" if mode else "pack")
    words = wording or ("model" if mode else "rule")
    given: Any = {"mode": mode or "merged", "knowledge": facts, "wording": words, "ground": ground}
    return Mix(**given, verify=verify, language=flags.language)


def by_model(
    graph: OpenGraph,
    flags: ModelFlags,
    mix: "Mix",
    scope: "Scope",
    wikidata: "WikidataSettings | None",
    *,
    independent: bool,
) -> bool:
    """Run with a model, or say what it would cost; return whether the run came to its end."""
    from kbe_graph.evolve.forecast import evolve_requests
    from kbe_graph.evolve.knowledge import packaged, reviewed
    from kbe_graph.evolve.mix import require_independence, roles
    from kbe_graph.evolve.offline import fetch_ahead, filter_settings
    from kbe_graph.evolve.with_model import ModelRun, model_plan

    workspace, store = graph
    settings = filter_settings(workspace)
    with flags.desk(workspace) as desk:
        models = roles(mix, desk.book)
        if independent:
            require_independence(models)
        plan = replace(reviewed(model_plan(scope, mix, settings, models), workspace), shard=flags.part)
        requests = partial(evolve_requests, store, plan, mix, desk.renderer)
        if flags.dry_run:
            forecast(desk, flags, requests())
            return False
        knowledge = (
            fetch_ahead(workspace, store, plan, wikidata, progress=Steady()) if wikidata else packaged(workspace)
        )
        run = ModelRun(workspace, store, plan, mix, settings, knowledge, models, progress=Steady())
        return run_work(desk, flags, run.evolve, mix.steps, requests)
