"""``kbe review``: people approve, reject and revise questions, on pages in the browser and in files."""

import contextlib
import webbrowser
from collections.abc import Mapping
from pathlib import Path

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import open_work
from kbe_graph.cli.printing import say, say_note
from kbe_graph.extras import require_extra


@examples("kbe -w W review", "kbe -w W review --run demo-0 --reviewer ann --reviewer bea --overlap 0.2")
@click.group(cls=Group, invoke_without_command=True)
@click.option("--run", help="Review the questions of this run (default: the only one, or the newest).")
@click.option("--benchmark", help="Review the questions of this benchmark alone, its own ones without --run.")
@click.option("--reviewer", "reviewers", multiple=True, help="A reviewer's name; each gets an address (default: yours).")
@click.option("--overlap", default=0.0, show_default=True, help="The share of questions that two reviewers look at.")
@click.option("--blind", is_flag=True, help="Let reviewers answer each question before its key is shown.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve at.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="The port (default: one that is free).")
@click.option("--public", default="", help="The address of a proxy with TLS before it, as https://review.example.")
@click.option("--no-browser", is_flag=True, help="Print the addresses and open no browser.")
@click.pass_context
def review(
    ctx: click.Context,
    run: str | None,
    benchmark: str | None,
    reviewers: tuple[str, ...],
    overlap: float,
    blind: bool,
    host: str,
    port: int,
    public: str,
    no_browser: bool,
) -> None:
    """Review questions in the browser, the most doubtful first.

    Each reviewer gets an address of their own, which serves until Ctrl+C. A decision is on the disk before the next
    question is shown.
    """
    if ctx.invoked_subcommand:
        return
    require_extra("explore")
    from kbe_graph.review_pages.review_server import serve_review

    def tell(addresses: Mapping[str, str]) -> None:
        """Print the address of each reviewer, and open the first unless that was refused."""
        for name, address in addresses.items():
            say(f"{name}  {address}" if len(addresses) > 1 else address)
        say_note("Ctrl+C ends it", err=True)
        if not no_browser:
            webbrowser.open(next(iter(addresses.values())))

    with open_work(ctx.obj) as work, contextlib.suppress(KeyboardInterrupt):
        serve_review(
            work,
            run=run,
            benchmark=benchmark,
            reviewers=reviewers,
            overlap=overlap,
            blind=blind,
            host=host,
            port=port,
            public=public,
            ready=tell,
        )
