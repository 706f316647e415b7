"""What a workspace is set to, where each setting came from, and what works here."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kbe_graph import __version__
from kbe_graph.config import ADDRESS, graph_settings, read_config
from kbe_graph.english.spacy_model import spacy_model_name
from kbe_graph.errors import KbeError
from kbe_graph.workspace.workspace import Workspace


class Finding(NamedTuple):
    """A setting or a part of the program: what it is, its value, and where that came from."""

    what: str
    value: str
    origin: str


def diagnose(folder: Path) -> list[Finding]:
    """Return the settings of a folder, workspace or not, and whether parser and graph work; values that fail say so."""
    return [*_versions(), *_settings(folder), *_health(folder)]


def _versions() -> Iterator[Finding]:
    yield Finding("kbe-graph", __version__, "package")
    yield Finding("python", platform.python_version(), platform.platform())


def _settings(folder: Path) -> Iterator[Finding]:
    config = read_config(folder)
    yield Finding("workspace", str(folder.absolute()), "flag -w, environment KBE_WORKSPACE, or this folder")
    for setting in graph_settings(config, os.environ):
        secret = setting.name == "password" and setting.value
        value = "(set)" if secret else setting.value or "(embedded engine)"
        yield Finding(f"graph {setting.name}", value, setting.origin)
    for name, section in config.sections.items():
        for key, value in section.items():
            if not (name == "graph" and key in ADDRESS):
                yield Finding(f"{name} {key}", str(value), str(config.file))
    for name, value in sorted(os.environ.items()):
        if name.startswith("KBE_"):
            yield Finding(name, "(set)" if "KEY" in name else value, "environment")


def _health(folder: Path) -> Iterator[Finding]:
    yield Finding("parser", spacy_model_name() or "none (the simple forms are used)", "spacy")
    try:
        with Workspace(folder, create=False, progress=False) as work:
            counts = work.status()
            yield Finding("graph", f"works: {counts['samples']}", "Neo4j server" if work.address else "embedded engine")
    except KbeError as error:
        yield Finding("graph", f"fails: {error}", "bolt")
