"""``kbe status``, ``show`` and ``explore``: a workspace as people look at it."""

import contextlib
import webbrowser
from typing import Annotated, Any

from kbe_graph import Workspace
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import print_json, print_lines, print_mapping, say, say_note, wants_json
from kbe_graph.extras import require_extra
from kbe_graph.options import About
from kbe_graph.workspace.verbs import PORT

RUN = "Run name (default: all runs)."


@command("kbe -w W status", "kbe -w W status --all --json")
def status(
    work: Workspace,
    *,
    everything: Annotated[bool, About("Print all counts by stage, hop and reason.", flag="all")] = False,
    run: Annotated[str | None, About(RUN)] = None,
) -> None:
    """Show how many samples reached each stage of a run, and why the others were dropped."""
    print_status(work.status(run), everything=everything)


def print_status(counts: dict[str, Any], *, everything: bool = False) -> None:
    """Print the status screen, all counts, or these as JSON."""
    from kbe_graph.show.status import screen

    if wants_json():
        print_json(counts)
    elif everything:
        print_mapping(counts)
    else:
        print_lines(screen(counts))


@command("kbe -w W show okvqa/val/2971475")
def show(work: Workspace, name: Annotated[str, "ID"], *, run: Annotated[str | None, About(RUN)] = None) -> None:
    """Print the image, question chain, key paths and sources of one sample. ID is a sample id or a question id."""
    sample = work.sample(name, run=run)
    if wants_json():
        print_json(sample.records())
    else:
        print_lines(sample.lines(brief=False))


@command("kbe -w W explore", "kbe -w W explore --port 8100 --no-browser", json=False)
def explore(
    work: Workspace,
    *,
    port: Annotated[int, About(PORT, least=0, most=65_535)] = 0,
    no_browser: Annotated[bool, About("Print the address without opening a browser.")] = False,
) -> None:
    """Browse the workspace: samples, entities, relations, runs, and a Cypher console.

    The pages are read-only, and served on this machine only. Stop the server with Ctrl+C.
    """
    require_extra("explore")
    from kbe_graph.explorer.web_app import serve

    def tell(address: str) -> None:
        say(address)
        say_note("press Ctrl+C to stop", err=True)
        if not no_browser:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve(work, port=port, ready=tell)
