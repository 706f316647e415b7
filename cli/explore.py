"""``kbe explore``: browse a workspace."""

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
    help="Address to serve on. Any other address is reachable from other machines.",
)
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port to serve on (default: a free one).")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@click.pass_obj
def explore(folder: Path, host: str, port: int, no_browser: bool) -> None:
    """Browse the workspace: samples, entities, relations, runs, and a Cypher console.

    The printed address works once, for one browser. The pages are read-only. Stop the server with Ctrl+C.
    """
    require_extra("explore")
    from kbe_graph.explorer.web_app import serve

    def tell(address: str) -> None:
        say(address)
        say_note("press Ctrl+C to stop", err=True)
        if not no_browser:
            webbrowser.open(address)

    with open_work(folder) as work, contextlib.suppress(KeyboardInterrupt):
        serve(work, host=host, port=port, ready=tell)
