"""The settings of a workspace, where each came from, and the parts of the program that work here."""

import os
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.checks.check import read_filters
from kbe_graph.config import PROMPTS, Config, Setting, graph_settings, read_config, warm_setting
from kbe_graph.english.parse import load_spacy_model, parser_name
from kbe_graph.errors import KbeError
from kbe_graph.extract.extraction import NO_MODEL
from kbe_graph.extras import __version__
from kbe_graph.facts.wikidata.wikidata import PUBLIC
from kbe_graph.models import ModelBook, run
from kbe_graph.models.settings import NOT_STEPS, OPENAI, PLACES, ModelSettings
from kbe_graph.models.transport import greeting
from kbe_graph.secret import shown_setting
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.workspace.workspace import Workspace

LEAST_ROOM = 100 << 20
PATIENCE, TIMEOUT = 2.0, 30.0  # seconds that a model may be waited for here
_GIB = 1 << 30


class Finding(NamedTuple):
    """A setting or a part of the program: its name, its value, where that came from, and whether it works."""

    what: str
    value: str
    origin: str
    works: bool = True


def diagnose(folder: Path, model: ModelOptions, options: Iterable[Setting] = ()) -> list[Finding]:
    """Return the faults of a folder, workspace or not, then its working parts, then its settings with ``options``.

    Settings that somebody made come before defaults. Raises ConfigError.
    """
    settings = [*_settings(folder, model), *(Finding(*setting) for setting in options)]
    checks = sorted(_checks(folder, model), key=lambda finding: finding.works)
    return [*checks, *_versions(), *sorted(settings, key=lambda finding: finding.origin.startswith("default"))]


def _versions() -> Iterator[Finding]:
    yield Finding("kbe-graph", __version__, "package")
    yield Finding("python", platform.python_version(), platform.platform())


def _settings(folder: Path, model: ModelOptions) -> Iterator[Finding]:
    config = read_config(folder)
    yield from _of_graph(config)
    yield _first("spaCy model", ("environment KBE_SPACY_MODEL", os.environ.get("KBE_SPACY_MODEL")))
    for name, default in (("contact", ""), ("endpoint", PUBLIC)):
        yield _first(f"facts {name}", *_places(config, "facts", name, f"KBE_{name.upper()}"), ("default", default))
    flags = _flags(model)
    for name, (flag, (ours, others)) in PLACES.items():
        places = (f"flag {flag}", flags[name]), *_places(config, "models", name, ours)
        default = OPENAI if name == "base_url" else ""
        shared = f"environment {others}", os.environ.get(others)
        yield _first(f"models {name}", *places, shared, ("default", default))
    further = {name: value for name, value in config.section("models").items() if name not in PLACES}
    for name, value in _leaves(further):
        yield Finding(f"models {name}", _in_words(name, value), f"{config.file} [models]")
    yield _first("prompts folder", *_places(config, "prompts", "folder", PROMPTS))
    own = config.section("filters")
    thresholds = read_filters(config)
    for field in fields(thresholds):
        origin = f"{config.file} [filters]" if field.name in own else "default"
        yield Finding(f"filters {field.name}", _in_words(field.name, getattr(thresholds, field.name)), origin)


def _checks(folder: Path, model: ModelOptions) -> Iterator[Finding]:
    yield _parser()
    yield _room(folder)
    yield _graph(folder)
    yield from _models(read_config(folder), model)


def _of_graph(config: Config) -> Iterator[Finding]:
    uri, *others = graph_settings(config, os.environ)
    yield Finding("graph uri", shown_setting("uri", uri.value) or "(embedded engine)", uri.origin)
    for setting in others if uri.value else ():
        yield Finding(f"graph {setting.name}", _in_words(setting.name, setting.value), setting.origin)
    if not uri.value:
        yield Finding(*warm_setting(config, os.environ)._replace(name="graph warm"))


def _places(config: Config, section: str, name: str, variable: str) -> tuple[tuple[str, object], ...]:
    in_file = f"{config.file} [{section}]", config.section(section).get(name)
    return (f"environment {variable}", os.environ.get(variable)), in_file


def _first(what: str, *places: tuple[str, object]) -> Finding:
    origin, value = next(((origin, value) for origin, value in places if value), ("default", ""))
    return Finding(what, _in_words(what.rpartition(" ")[2], value), origin)


def _in_words(name: str, value: object) -> str:
    value = sorted(value) if isinstance(value, set | frozenset) else value
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return shown_setting(name, text) or "(none)"


def _leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _parser() -> Finding:
    try:
        model = load_spacy_model()
        return Finding("parser", f"works: {parser_name()}" if model else f"no English model: {NO_MODEL}", "spaCy")
    except (KbeError, OSError, ImportError) as error:
        return Finding("parser", f"fails: {error}", "spaCy", works=False)


def _room(folder: Path) -> Finding:
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    free = shutil.disk_usage(place).free
    if free < LEAST_ROOM:
        return Finding("disk", f"fails: only {free >> 20} MiB free; free up space", str(place), works=False)
    return Finding("disk", f"works: {free / _GIB:.1f} GiB free", str(place))


def _graph(folder: Path) -> Finding:
    try:
        with Workspace(folder, create=False, progress=False) as work:
            counts, runs = work.status()["samples"], work.runs(incomplete=True)
            samples = ", ".join(f"{count} samples {status}" for status, count in _leaves(counts)) or "no samples"
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
