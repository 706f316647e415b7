"""``kbe doctor``: each setting and where it came from; what works here."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import click

from kbe_graph import __version__
from kbe_graph.cli.common import address, json_option, open_graph, print_rows
from kbe_graph.config import ADDRESS, graph_settings, read_config
from kbe_graph.errors import KbeError
from kbe_graph.workspace import open_workspace


@click.command()
@json_option
@click.pass_obj
def doctor(folder: Path, as_json: bool) -> None:
    """Print each setting with where it came from, and whether graph, parser and model can be used."""
    rows = [*_versions(), *_settings(folder), *_health(folder)]
    print_rows(("what", "value", "origin"), rows, as_json=as_json)
    if any(value.startswith("fails") for _, value, _ in rows):
        raise click.exceptions.Exit(1)


def _versions() -> Iterator[tuple[str, str, str]]:
    yield "kbe-graph", __version__, "package"
    yield "python", platform.python_version(), platform.platform()


def _settings(folder: Path) -> Iterator[tuple[str, str, str]]:
    config = read_config(folder)
    yield "workspace", str(folder.absolute()), "flag -w, environment KBE_WORKSPACE, or this folder"
    for setting in graph_settings(config, os.environ):
        secret = setting.name == "password" and setting.value
        yield f"graph {setting.name}", "(set)" if secret else setting.value or "(embedded engine)", setting.origin
    for name, section in config.sections.items():
        for key, value in section.items():
            if not (name == "graph" and key in ADDRESS):
                yield f"{name} {key}", str(value), str(config.file)
    for name, value in sorted(os.environ.items()):
        if name.startswith("KBE_"):
            yield name, "(set)" if "KEY" in name else value, "environment"


def _health(folder: Path) -> Iterator[tuple[str, str, str]]:
    from kbe_graph.lexicon.english import english_name

    yield "parser", english_name() or "none (the simple forms are used)", "spacy"
    try:
        with open_graph(folder) as graph:
            counts = graph.store.status()
        engine = "Neo4j server" if address(open_workspace(folder)) else "embedded engine"
        yield "graph", f"works: {counts['samples']}", engine
    except KbeError as error:
        yield "graph", f"fails: {error}", "bolt"
