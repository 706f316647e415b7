"""A workspace: a folder with ``kbe.toml`` and ``.kbe/``, where the embedded graph, calls and runs are kept."""

from dataclasses import dataclass
from pathlib import Path

from kbe_graph.config import FILE, Config, read_config
from kbe_graph.errors import ConfigError

_NEW = """\
# Settings of this workspace. A flag and the environment (KBE_..., NEO4J_...) win over what stands here.
# Each section carries the name of a command, and takes its options, for example:
#
# [evolve]
# hops = 3
# seed = 0
#
# [graph]                                # a Neo4j server instead of the embedded engine
# uri = "neo4j://localhost:7687"
# username = "neo4j"
"""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace folder and its settings."""

    folder: Path
    config: Config

    @property
    def hidden(self) -> Path:
        """The folder ``.kbe`` that the program keeps its own files in."""
        return self.folder / ".kbe"

    @property
    def review(self) -> Path:
        """The file of the verdicts on facts that were given in this workspace; there from the first one on."""
        return self.folder / "review.tsv"

    @property
    def runs(self) -> Path:
        """The folder of run manifests."""
        return self.hidden / "runs"


def create_workspace(folder: Path) -> Workspace:
    """Make the folder a workspace; one that is there already stays as it is. Raises ConfigError."""
    try:
        (folder / ".kbe").mkdir(parents=True, exist_ok=True)
        if not (folder / FILE).exists():
            (folder / FILE).write_text(_NEW, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot make a workspace at {str(folder)!r}: {error.strerror}; choose another folder"
        ) from None
    return open_workspace(folder)


def open_workspace(folder: Path) -> Workspace:
    """Return the workspace in the folder; raises ConfigError where there is none."""
    if not (folder / ".kbe").is_dir():
        raise ConfigError(f"no workspace at {str(folder)!r}; make one with 'kbe -w {folder} init'")
    return Workspace(folder, read_config(folder))
