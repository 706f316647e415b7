"""``kbe calls``: the calls of a workspace and their cost; importing the replies of batch files."""

from dataclasses import asdict
from pathlib import Path

import click

from kbe_graph import ModelOptions
from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.model import dollar_line, endpoint_options
from kbe_graph.cli.options import json_option, open_work
from kbe_graph.cli.printing import print_json, print_rows, print_table, say_note, say_outcome


@examples("kbe -w W calls")
@click.group(cls=Group, invoke_without_command=True)
@json_option
@click.pass_context
def calls(ctx: click.Context, as_json: bool) -> None:
    """Print calls, cache hits, failures, tokens and dollars by step and model, and dollars per kept question."""
    if ctx.invoked_subcommand is not None:
        return
    with open_work(ctx.obj) as work:
        costs = work.models.costs()
    if as_json:
        print_json(asdict(costs))
        return
    if not costs.lines:
        say_note("no calls to models in this workspace yet", err=True)
        return
    columns = ("step", "model", "calls", "hits", "failures", "prompt", "cached", "output", "dollars")
    lines = [asdict(line) for line in costs.lines]
    print_table(columns, [[line[name] for name in columns] for line in lines])
    unpriced = f"{costs.unpriced} calls without a known price" if costs.unpriced else ""
    say_note(dollar_line(costs.dollars, costs.dollars_a_question, "per kept question", unpriced))


@examples("kbe -w W calls failures", "kbe -w W calls failures --limit 5 --json")
@calls.command()
@json_option
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Maximum number of calls to show."
)
@click.pass_obj
def failures(folder: Path, limit: int, *, as_json: bool) -> None:
    """Show the endpoint's response to each failed call, newest first."""
    with open_work(folder) as work:
        failed = work.models.failed_calls(limit)
    columns = ("at", "step", "model", "kind", "message", "reply", "call")
    print_rows(columns, failed, as_json=as_json)


@examples("kbe -w W calls apply replies.jsonl")
@calls.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@endpoint_options
@json_option
@click.pass_obj
def apply(folder: Path, file: Path, model: ModelOptions, as_json: bool) -> None:
    """Import the replies in FILE, the provider's unmodified output file."""
    applied = open_work(folder).models.take_replies(file, model)
    line = f"imported {applied.done} replies; {applied.failed} failed, {applied.known} were already imported"
    say_outcome(applied._asdict(), line, as_json=as_json)
