"""Settings: flags override the environment, the environment overrides ``kbe.toml``, and that overrides the defaults.

Flags, the environment and the command sections of ``kbe.toml`` are combined by click (``auto_envvar_prefix`` and
``default_map``). This module reads the file, and the graph's address, which has its own names.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError
from kbe_graph.files.opening import read_text
from kbe_graph.secret import shown_setting

FILE = "kbe.toml"
COMMANDS = (
    "demo init load wiki estimate extract evolve calls status show query explore stats guess evaluate review study "
    "adapt report audit forms twins perturb export release facts filters forget doctor db"
)
SECTIONS = frozenset((*COMMANDS.split(), "datasheet", "graph", "models", "prompts"))
VARIABLES = (
    *("KBE_WORKSPACE", "KBE_SPACY_MODEL", "KBE_GRAPH_WARM", "KBE_CONTACT", "KBE_ENDPOINT"),
    *("KBE_BASE_URL", "KBE_API_KEY", "KBE_MODEL", "KBE_PROMPTS"),
)
"""Environment variables other than those of options and of the graph's address; docs/settings.md explains them."""
FOR_TESTS = (
    *("KBE_DATA", "KBE_TEST_ENGINES", "KBE_TEST_EVERYTHING"),
    *("KBE_REQUIRE_ENGINES", "KBE_REQUIRE_BROWSER", "KBE_HARNESSES"),
)
ADDRESS = {
    "uri": "NEO4J_URI",
    "username": "NEO4J_USERNAME",
    "password": "NEO4J_PASSWORD",
    "database": "NEO4J_DATABASE",
    "reader_username": "NEO4J_READER_USERNAME",
    "reader_password": "NEO4J_READER_PASSWORD",
}
WARM = "KBE_GRAPH_WARM"
PROMPTS = "KBE_PROMPTS"
CONTACT = "KBE_CONTACT"
WARM_SECONDS = 300  # long enough to read a command's output
LONGEST_WARM = 86_400


class Setting(NamedTuple):
    """A setting: its name, its value and where it was set."""

    name: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """The content of ``kbe.toml``, one table per section."""

    file: Path
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def section(self, name: str) -> Mapping[str, Any]:
        """Get the section ``name``, empty if the file has none."""
        return self.sections.get(name, {})


def read_config(folder: Path) -> Config:
    """Read the settings file of a workspace folder; empty if there is none. Raises ConfigError."""
    file = folder / FILE
    try:
        sections = tomllib.loads(read_text(file))
    except (FileNotFoundError, NotADirectoryError):
        return Config(file)
    except PermissionError as error:
        raise ConfigError(f"cannot read {str(file)!r}: {error.strerror}; only its owner can read a workspace") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{file}: not a TOML file ({error}); fix it, or delete it and make the workspace again"
        ) from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error.strerror}); make it a file, or delete it") from None
    _check_sections(file, sections)
    return Config(file, sections)


def _check_sections(file: Path, sections: Mapping[str, Any]) -> None:
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise ConfigError(
                f"{file}: {name!r} is outside any section; the sections are {', '.join(sorted(SECTIONS))}"
            )
        refuse_stranger(str(file), name, SECTIONS)
    for key, value in sections.get("graph", {}).items():
        refuse_stranger(f"{file} [graph]", key, (*ADDRESS, "warm"))
        if key in ADDRESS and not isinstance(value, str):
            raise ConfigError(f"{file} [graph] {key} is {shown_setting(key, repr(value))}; it must be text")
    for key, value in sections.get("prompts", {}).items():
        refuse_stranger(f"{file} [prompts]", key, ("folder",))
        if not isinstance(value, str):
            raise ConfigError(f"{file} [prompts] {key} is {value!r}; it must be text")


def refuse_stranger(place: str, name: str, choices: Iterable[str], *, further: Iterable[str] = ()) -> None:
    """Raise ConfigError for an unknown name, and suggest the nearest known one.

    ``further`` are names that are also known but too many to list.
    """
    names = sorted(set(choices))
    if name not in names:
        hint = nearest_name(name, [*names, *further])
        raise ConfigError(f"{place}: unknown name {name!r}; {hint}known names: {', '.join(names)}")


def nearest_name(name: str, names: Iterable[str]) -> str:
    """Word the suggestion of the nearest known name; empty if none is close."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}? " if near else ""


def leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values of nested tables, each with the names that lead to it, joined by dots."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def graph_parts(config: Config, environ: Mapping[str, str]) -> dict[str, str]:
    """Resolve the parts of the graph's address; no uri means the embedded engine."""
    section = config.section("graph")
    if not environ.get(ADDRESS["uri"]):  # the file may be another's: no password of the environment for its address
        environ = {name: value for name, value in environ.items() if not name.endswith("PASSWORD")}
    return {part: environ.get(variable) or str(section.get(part, "")) for part, variable in ADDRESS.items()}


def warm_seconds(config: Config, environ: Mapping[str, str]) -> float:
    """Resolve how many seconds the embedded engine stays up for the next command. Raises ConfigError."""
    origin, value = f"environment {WARM}", environ.get(WARM)
    if not value:
        origin, value = f"{config.file} [graph] warm", str(config.section("graph").get("warm", WARM_SECONDS))
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= LONGEST_WARM:
        raise ConfigError(f"{origin} is {value!r}; it must be a number of seconds from 0 to {LONGEST_WARM}")
    return seconds


def prompts_folder(config: Config, environ: Mapping[str, str]) -> Path | None:
    """Resolve the folder of custom prompts, None if not set; a path in the file is relative to the workspace."""
    if environ.get(PROMPTS):
        return Path(environ[PROMPTS])
    folder = config.section("prompts").get("folder")
    return config.file.parent / folder if folder else None


def contact_setting(config: Config, environ: Mapping[str, str], contact: str | None = None) -> str:
    """Resolve the user's mail or web address: from ``contact``, the environment or the file."""
    return str(contact or environ.get(CONTACT) or config.section("facts").get("contact", ""))
