"""``kbe evolve``: generate new questions, hop by hop."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kbe_graph import Run, RunOptions
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, awaited_lines, model_options, print_forecast
from kbe_graph.cli.options import WikidataFlags, json_option, open_work, scope_options, wikidata_options
from kbe_graph.cli.printing import say_outcome
from kbe_graph.cli.show import print_status
from kbe_graph.evolve.knowledge import SOURCES

MODE = (
    "How to ask the model: for facts, their choice and the question together (merged, the default), or for each in a "
    "separate call (paper)."
)
GROUND = (
    "What to do with a model's facts that known facts do not confirm: refuse them (require), refuse only "
    "contradicted ones and draw confirmed ones first (prefer), or only count them (report)."
)

NO_GRAPH = "nothing to do: no sample has a graph; run 'kbe load' and 'kbe extract' first"


@examples("kbe -w W evolve --hops 3 --seed 0", "kbe -w W evolve --run model --mode merged --dry-run")
@click.command()
@scope_options
@click.option(
    "--knowledge",
    type=click.Choice(list(SOURCES)),
    help="Knowledge source (default: pack, the packaged facts; model if a model is given).",
)
@click.option(
    "--wording",
    type=click.Choice(["rule", "model"]),
    help="How to word the questions (default: rule; model if a model is given).",
)
@click.option("--mode", type=click.Choice(["paper", "merged"]), help=MODE)
@click.option(
    "--ground", default="report", show_default=True, type=click.Choice(["require", "prefer", "report"]), help=GROUND
)
@click.option(
    "--verify",
    is_flag=True,
    help="Have a second model ([models.verify]) check each proposed fact and give seven verdicts on each question.",
)
@click.option(
    "--blind",
    default="skip",
    show_default=True,
    type=click.Choice(["skip", "mark", "off"]),
    help="What to do with a raw question that a model ([models.guess]) answers without its picture: do not explore "
    "from it (skip), or only record it (mark). 'off' asks nothing without pictures.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes (default: one per core).")
@click.option(
    "--ray", metavar="ADDRESS", help="Explore on a Ray cluster, or on 'local' processors; for rules and packaged facts."
)
@click.option(
    "--independent", is_flag=True, help="Fail if generator, verifier and judge are models of the same family."
)
@model_options
@wikidata_options
@json_option
@click.pass_obj
def evolve(
    folder: Path,
    scope: RunOptions,
    knowledge: str | None,
    wording: str | None,
    mode: str | None,
    ground: str,
    verify: bool,
    blind: str,
    workers: int | None,
    ray: str | None,
    independent: bool,
    flags: ModelFlags,
    wikidata: WikidataFlags,
    as_json: bool,
) -> None:
    """Generate new questions: re-select, then explore hop by hop. Re-running the command resumes an interrupted run.

    By default, the packaged facts and rules make the questions. With --model, --base-url or --mode, the model proposes
    the facts and words the questions. --knowledge and --wording override either choice.
    """
    usual = ("model", "model") if mode or flags.named else ("pack", "rule")
    parts: dict[str, Any] = {"knowledge": knowledge or usual[0], "wording": wording or usual[1]}
    asks = verify or "model" in parts.values()
    if not asks:
        flags.refuse_dry_run("needs a model; add --model, --mode, --knowledge model, --wording model or --verify")
    model = (
        flags.options(mode=mode or "merged", ground=ground, verify=verify, independent=independent, blind=blind)
        if asks
        else None
    )
    with open_work(folder) as work:
        if model and flags.dry_run and work.store.count_samples():
            print_forecast(work.models.forecast_evolve(model, **asdict(scope), **parts), as_json=as_json)
            return
        options: dict[str, Any] = {**asdict(scope), **parts, **wikidata._asdict()}
        if not work.store.count_samples(status="extracted"):
            say_outcome({"run": None, "note": NO_GRAPH}, NO_GRAPH, as_json=as_json)
            return
        run = work.evolve(**options, model=model, workers=workers, ray=ray)
        _tell(run, as_json=as_json)


def _tell(run: Run, *, as_json: bool) -> None:
    lines = awaited_lines(run.awaits)
    if run.state == "complete" and not run.grown:
        lines.append(f"nothing left to do: run {run.name!r} is complete")
    outcome = {name: getattr(run, name) for name in ("seed", "state", "grown", "awaits")}
    counts = run.status()
    say_outcome({"run": run.name, **outcome, "status": counts}, *lines, as_json=as_json)
    if not (as_json or run.awaits):
        print_status(counts)
