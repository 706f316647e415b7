"""``kbe calls``: what the calls of a workspace came to; replies of batch files taken in."""

from dataclasses import asdict
from pathlib import Path

import click

from kbe_graph.cli.common import json_option, open_graph, print_json, print_table
from kbe_graph.cli.model import endpoint_options
from kbe_graph.workspace import open_workspace


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def calls(ctx: click.Context, as_json: bool) -> None:
    """Print calls, hits, failures, tokens and dollars by step and model, and the dollars a kept question."""
    if ctx.invoked_subcommand is not None:
        return
    from kbe_graph.evolve.asking import open_calls
    from kbe_graph.models import summary

    with open_graph(ctx.obj) as graph:
        kept = sum(len(graph.store.questions(run=run.name)) for run in graph.store.runs())
        store = open_calls(graph.workspace)
        try:
            found = summary(store, questions=kept)
        finally:
            store.close()
    if as_json:
        print_json(asdict(found))
        return
    columns = ("step", "model", "calls", "hits", "failures", "prompt", "cached", "output", "dollars")
    lines = [asdict(line) for line in found.lines]
    print_table(columns, [[line[name] for name in columns] for line in lines])
    each = "" if found.dollars_a_question is None else f", {found.dollars_a_question:.5f} a kept question"
    unpriced = f" ({found.unpriced} calls without a known price)" if found.unpriced else ""
    click.echo(f"dollars: {found.dollars:.4f}{each}{unpriced}")


@calls.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@endpoint_options
@click.pass_obj
def apply(folder: Path, file: Path, flags: dict[str, str | None]) -> None:
    """Take the replies of FILE, as the provider gave it, into the workspace."""
    from kbe_graph.evolve.asking import open_desk
    from kbe_graph.models.replies import apply_replies

    with open_desk(open_workspace(folder), flags=flags) as desk:
        applied = apply_replies(file, desk.book, desk.calls)
    click.echo(f"took in {applied.done} replies, {applied.failed} failed, {applied.known} were there already")
