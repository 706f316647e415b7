"""The manifest of a run: ``.kbe/runs/<name>/run.json``, what was set, with what versions, and what came of it."""

import json
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kbe_graph import __version__
from kbe_graph.files import replacing
from kbe_graph.store import Store
from kbe_graph.types import Run
from kbe_graph.workspace import Workspace

PACKAGES = ("arcadedb-embedded", "neo4j", "spacy", "lemminflect", "openai")


@contextmanager
def write_manifest(workspace: Workspace, store: Store, run: Run, **more: Any) -> Iterator[dict[str, Any]]:
    """Write the manifest at the start and, with counts and seconds, at the end; gives it, so that more can be noted.

    ``ended`` is null in the manifest of a run that was cut off. Raises InputError where it cannot be written.
    """
    file = manifest_file(workspace, run.name)
    manifest: dict[str, Any] = {
        "run": run.name,
        "seed": run.seed,
        "settings": dict(run.settings),
        "versions": {"kbe-graph": __version__, "python": platform.python_version()} | _versions(),
        **more,
        "started": _now(),
        "ended": None,
    }
    start = time.monotonic()
    _write(file, manifest)
    yield manifest
    manifest |= {"ended": _now(), "seconds": round(time.monotonic() - start, 1), "counts": store.status(run.name)}
    _write(file, manifest)


def manifest_file(workspace: Workspace, name: str) -> Path:
    """Return where the manifest of a run is kept."""
    return workspace.runs / quote(name, safe="") / "run.json"


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(file: Path, manifest: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as stream:
        json.dump(manifest, stream, ensure_ascii=False, indent=2, default=str)
        stream.write("\n")
