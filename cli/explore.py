"""``kbe explore``: the pages in the browser that show the content of a workspace."""

import contextlib
import webbrowser
from pathlib import Path

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import open_work
from kbe_graph.cli.printing import say, say_note
from kbe_graph.extras import require_extra


@examples("kbe -w W explore", "kbe -w W explore --port 8100 --no-browser")
@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to serve at; another one can be reached by others.",
)
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="The port to serve at (default: one that is free)."
)
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.pass_obj
def explore(folder: Path, host: str, port: int, no_browser: bool) -> None:
    """Show the contents of the workspace in the browser: samples, entities, relations, runs, and a console for Cypher.

    The printed address lets one browser in, once. Nothing can be changed from the pages. Ctrl+C ends it.
    """
    require_extra("explore")
    from kbe_graph.explorer.serving import serve

    def tell(address: str) -> None:
        """Print the address of the pages, and open a browser unless that was refused."""
        say(address)
        say_note("Ctrl+C ends it", err=True)
        if not no_browser:
            webbrowser.open(address)

    with open_work(folder) as work, contextlib.suppress(KeyboardInterrupt):
        serve(work, host=host, port=port, ready=tell)
