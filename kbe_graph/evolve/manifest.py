"""The manifest of a run: ``.kbe/runs/<name>/run.json``, what was set, with what versions, and what came of it."""

import json
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from kbe_graph import __version__
from kbe_graph.english.parse import parser_name
from kbe_graph.errors import KbeWarning
from kbe_graph.evolve.batches import sample_ids
from kbe_graph.evolve.claim import claim, marking_end
from kbe_graph.evolve.own_guesses import own_guesses
from kbe_graph.evolve.plan import Plan
from kbe_graph.files.private import private_folder
from kbe_graph.files.whole import replacing
from kbe_graph.folder import Folder
from kbe_graph.statistics.question_statistics import hop_varieties
from kbe_graph.store import Store
from kbe_graph.types import RAW, Extraction

PACKAGES = ("arcadedb-embedded", "neo4j", "spacy", "lemminflect", "openai")


@contextmanager
def write_manifest(folder: Folder, store: Store, plan: Plan, **more: Any) -> Iterator[dict[str, Any]]:
    """Write the manifest at the start and, with counts, seconds, variety and what guessing is worth, at the end.

    Gives it, so that more can be noted.

    ``ended`` is null in the manifest of a run that was cut off. Warns (KbeWarning) where the graphs that the run works
    on were extracted with different parsers. Raises InputError where it cannot be written, and ConfigError where the
    run was made with other settings. The graph keeps whether the run came to its end.
    """
    claim(store, plan.run)
    run, extractions = plan.run, _extractions(store, plan)
    file = folder.manifest(run.name)
    manifest: dict[str, Any] = {
        "run": run.name,
        "seed": run.seed,
        "settings": dict(run.settings),
        "versions": {"kbe-graph": __version__, "python": platform.python_version()} | _versions(),
        "parser": parser_name(),
        "graphs": [{**asdict(extraction), "samples": count} for extraction, count in extractions],
        **more,
        "started": _now(),
        "ended": None,
    }
    start = time.monotonic()
    _write(file, manifest)
    with marking_end(store, run):
        yield manifest
    manifest |= {"ended": _now(), "seconds": round(time.monotonic() - start, 1), "counts": store.status(run.name)}
    manifest |= {"guesses": own_guesses(store, plan), "variety": _variety(store, plan)}
    _write(file, manifest)


def _variety(store: Store, plan: Plan) -> list[dict[str, Any]]:
    """Return what the questions of each hop are like as a set."""
    raw = len([sample for sample in store.question_samples(run=RAW, hop=0) if plan.holds(sample)])
    return [asdict(row) for row in hop_varieties(store.questions(run=plan.run.name, status="kept"), raw=raw)]


def _extractions(store: Store, plan: Plan) -> list[tuple[Extraction, int]]:
    """Return what the graphs of a run were extracted with, and how many with each; warn where the parsers differ."""
    extractions = store.extractions([id_ for id_ in sample_ids(store, plan.scope) if plan.holds(id_)])
    parsers: Counter[str] = Counter()
    for extraction, count in extractions:
        parsers[extraction.parser or "an unknown parser"] += count
    if len(parsers) > 1:
        tally = ", ".join(f"{count} with {parser}" for parser, count in parsers.most_common())
        warnings.warn(
            f"the graphs of run {plan.run.name!r} were read with different parsers ({tally}), so that some samples get "
            "other questions than they would beside the rest; extract all with one parser, in a new workspace",
            KbeWarning,
            stacklevel=4,
        )
    return extractions


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(file: Path, manifest: dict[str, Any]) -> None:
    private_folder(file.parent)
    with replacing(file, private=True) as stream:
        json.dump(manifest, stream, ensure_ascii=False, indent=2, default=str)
        stream.write("\n")
