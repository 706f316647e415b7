"""``kbe evolve``: write new questions, hop by hop."""

from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.common import open_work
from kbe_graph.cli.model import ModelFlags, model_options, print_awaited, print_forecast
from kbe_graph.cli.printing import say
from kbe_graph.cli.scope import ScopeFlags, scope_options
from kbe_graph.cli.stories import print_status
from kbe_graph.cli.wikidata import WikidataFlags, wikidata_options
from kbe_graph.evolve.sources import sources

MODE = (
    "How a model is asked: 'merged' asks for facts, their choice and the question together, hop by hop; "
    "'paper' asks for each of them in a call of its own; 'chain' asks for all hops of a sample at once. "
    "Without --knowledge and --wording, a mode means that the model does both."
)
GROUND = (
    "What to do with a model's facts that the known ones do not confirm: refuse them (require), "
    "refuse those that known facts contradict and draw confirmed ones first (prefer), or only count them (report)."
)


@click.command()
@scope_options
@click.option(
    "--knowledge", type=click.Choice(list(sources())), help="Where facts come from (default: the packaged facts)."
)
@click.option("--wording", type=click.Choice(["rule", "model"]), help="Who words the questions (default: rules).")
@click.option("--mode", type=click.Choice(["paper", "merged", "chain"]), help=MODE)
@click.option(
    "--ground", default="report", show_default=True, type=click.Choice(["require", "prefer", "report"]), help=GROUND
)
@click.option(
    "--verify", is_flag=True, help="Ask for a second opinion of each fact that a model proposes ([models.verify])."
)
@click.option("--independent", is_flag=True, help="Refuse generator, verifier and judge models of one family.")
@model_options
@wikidata_options
@click.pass_obj
def evolve(
    folder: Path,
    scope: ScopeFlags,
    knowledge: str | None,
    wording: str | None,
    mode: str | None,
    ground: str,
    verify: bool,
    independent: bool,
    flags: ModelFlags,
    wikidata: WikidataFlags,
) -> None:
    """Re-select and explore; the same command again goes on where it stopped, and does nothing when it is done.

    Facts come from the packaged ones and rules word the questions, unless --mode, --knowledge or --wording says
    otherwise.
    """
    usual = ("model", "model") if mode else ("pack", "rule")
    parts: dict[str, Any] = {"knowledge": knowledge or usual[0], "wording": wording or usual[1], "shard": flags.shard}
    asks = "model" in parts.values()
    if not asks:
        flags.refuse_dry_run("--mode, --knowledge model or --wording model")
    model = (
        flags.options(mode=mode or "merged", ground=ground, verify=verify, independent=independent) if asks else None
    )
    with open_work(folder) as work:
        if model and flags.dry_run:
            asked: dict[str, Any] = {name: getattr(scope, name) for name in ("hops", "seed", "run", "limit")}
            print_forecast(work.forecast_evolve(model, **asked, **parts))
            return
        options: dict[str, Any] = {**scope._asdict(), **parts, **wikidata._asdict()}
        if not work.store.sample_ids(status="extracted", limit=1):
            say("nothing to do: no sample has a graph; see 'kbe load' and 'kbe extract'")
            return
        run = work.evolve(**options, model=model)
        if run.state == "complete" and not run.grown:
            say(f"nothing left to do: run {run.name!r} is complete")
        print_awaited(run.awaits)
        if not run.awaits:
            print_status(run.status())
