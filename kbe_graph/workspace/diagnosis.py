"""The parts of the program that work here, beside the settings that somebody made."""

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.config import Config, Setting, leaves, read_config
from kbe_graph.english.parse import load_spacy_model, parser_name
from kbe_graph.errors import KbeError
from kbe_graph.extract.extraction import NO_MODEL
from kbe_graph.extras import EXTRAS, __version__, missing_line
from kbe_graph.models import ModelBook, run
from kbe_graph.models.direct_model import greeting
from kbe_graph.models.settings import NOT_STEPS, PLACES, ModelSettings
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.workspace.workspace import Workspace

PATIENCE, TIMEOUT = 2.0, 30.0  # seconds that a model may be waited for here


class Finding(NamedTuple):
    """A setting or a part of the program: its name, its value, where that came from, and whether it works."""

    what: str
    value: str
    origin: str
    works: bool = True


def diagnose(folder: Path, model: ModelOptions, settings: Iterable[Setting] = ()) -> list[Finding]:
    """Return the faults of a folder, workspace or not, then its working parts, then its ``settings``.

    Raises ConfigError.
    """
    checks = sorted(_checks(folder, model), key=lambda finding: finding.works)
    return [*checks, *_versions(), *(Finding(*setting) for setting in settings)]


def _versions() -> Iterator[Finding]:
    yield Finding("kbe-graph", __version__, "package")
    yield Finding("python", platform.python_version(), platform.platform())
    for name in EXTRAS:
        yield Finding(f"extra {name}", missing_line(name) or "installed", "package")


def _checks(folder: Path, model: ModelOptions) -> Iterator[Finding]:
    yield _parser()
    yield _graph(folder)
    yield from _models(read_config(folder), model)


def _parser() -> Finding:
    try:
        model = load_spacy_model()
        return Finding("parser", f"works: {parser_name()}" if model else f"no English model: {NO_MODEL}", "spaCy")
    except (KbeError, OSError, ImportError) as error:
        return Finding("parser", f"fails: {error}", "spaCy", works=False)


def _graph(folder: Path) -> Finding:
    try:
        with Workspace(folder, create=False, progress=False) as work:
            counts, runs = work.status()["samples"], work.runs(incomplete=True)
            samples = ", ".join(f"{count} samples {status}" for status, count in leaves(counts)) or "no samples"
            origin = "Neo4j server" if work.address else "embedded engine"
            return Finding("graph", f"works: {samples}; {len(runs)} runs", origin)
    except KbeError as error:
        return Finding("graph", f"fails: {error}", "graph", works=False)


def _models(config: Config, model: ModelOptions) -> Iterator[Finding]:
    section, flags = config.section("models"), _flags(model)
    steps = [name for name, value in section.items() if isinstance(value, Mapping) and name not in NOT_STEPS]
    steps += section.get("models", {})
    if flags["model"] or section.get("model") or any(os.environ.get(name) for name in PLACES["model"][1]):
        steps.insert(0, "")
    asked: set[tuple[str, str, str]] = set()
    for step in (step for step in steps if step != "models"):
        what = f"model of step {step}" if step else "model"
        try:
            chosen = ModelBook(section, flags=flags, environ=os.environ).settings_for(step)
            if chosen.place not in asked:
                asked.add(chosen.place)
                yield Finding(what, _ask(chosen), chosen.base_url)
        except KbeError as error:
            yield Finding(what, f"fails: {error}", "models", works=False)


def _flags(model: ModelOptions) -> dict[str, str | None]:
    return {"base_url": model.base_url, "key": model.api_key, "model": model.name}


def _ask(settings: ModelSettings) -> str:
    text = run(greeting(replace(settings, patience=PATIENCE, timeout=TIMEOUT)))
    return f"works: {settings.model} answers {text!r}"
