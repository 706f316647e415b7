"""The workspace folder: ``kbe.toml``, and ``.kbe/`` with the embedded graph, calls and runs."""

import hmac
import json
import os
import secrets
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kbe_graph.config import FILE, Config, read_config
from kbe_graph.errors import ConfigError, InputError, KbeWarning
from kbe_graph.files.image import ImageFolders
from kbe_graph.files.whole import private_file, private_folder, replacing
from kbe_graph.text import quoted

HIDDEN = ".kbe"
OF_PICTURES = {"images", "variants", "pictures"}  # folders in which a file that is not regular is no picture
_NEW = """\
# Settings of this workspace. Command-line options and environment variables (KBE_..., NEO4J_...) override them.
# Each section is named after a command and takes the options of that command, for example:
#
# [evolve]
# hops = 3
# seed = 0
#
# [graph]                                # a Neo4j server instead of the embedded engine
# uri = "neo4j://localhost:7687"
# username = "neo4j"
# warm = 300                             # seconds that the embedded engine waits for the next command
"""


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of a workspace, with its settings."""

    path: Path
    config: Config

    @property
    def hidden(self) -> Path:
        """The folder ``.kbe`` for the package's own files."""
        return self.path / HIDDEN

    @property
    def review(self) -> Path:
        """The file of this workspace's verdicts on facts; created with the first verdict."""
        return self.path / "review.tsv"

    @property
    def runs(self) -> Path:
        """The folder of run manifests."""
        return self.hidden / "runs"

    def manifest(self, run: str) -> Path:
        """Get the path of a run's manifest."""
        return self.runs / quote(run, safe="") / "run.json"

    def read_manifest(self, run: str) -> Mapping[str, Any]:
        """Read the manifest of a run; empty if it is missing or unreadable."""
        try:
            manifest: Mapping[str, Any] = json.loads(self.manifest(run).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) else {}

    def run_folder(self, run: str) -> Path:
        """Get the folder of a run; it is created if it is missing."""
        folder = self.manifest(run).parent
        private_folder(folder)
        return folder

    def write_manifest(self, run: str, manifest: Mapping[str, Any]) -> None:
        """Write the manifest of a run; raises InputError."""
        with replacing(self.run_folder(run) / "run.json", private=True) as stream:
            json.dump(manifest, stream, ensure_ascii=False, indent=2, default=str)
            stream.write("\n")

    @property
    def saved_images(self) -> Path:
        """The folder of images embedded in benchmark files, and of fetched ones."""
        return self.hidden / "images"

    @property
    def variant_images(self) -> Path:
        """The folder of perturbed images."""
        return self.hidden / "variants"

    @property
    def picture_ledger(self) -> Path:
        """The file that maps addresses to the images fetched from them; created with the first fetch."""
        return self.hidden / "pictures.sqlite"

    def images(self, *more: Path) -> ImageFolders:
        """Return the only folders that images are read from, those that samples were loaded with, and ``more``."""
        common, (own, foreign) = (self.saved_images, self.variant_images), self._loaded_with()
        if foreign and not more:
            warnings.warn(
                f"pictures in {quoted(map(str, sorted(foreign)))} are not read: another user or machine loaded them; "
                "run the same `load` again to read them",
                KbeWarning,
                stacklevel=2,
            )
        return ImageFolders(common, {id_: (*common, *places) for id_, places in own.items()}, more)

    def remember_images(self, folders: Mapping[str, Sequence[Path]], *, adds: bool) -> None:
        """Remember the folders that samples' images are read from, by id; ``adds`` keeps the earlier ones."""
        earlier, _ = self._loaded_with()
        new: dict[tuple[Path, ...], list[str]] = {}
        for id_, own in folders.items():
            before = earlier.get(id_, ()) if adds else ()
            places = tuple(dict.fromkeys((*map(Path.absolute, own), *before)))
            if earlier.get(id_) != places:
                new.setdefault(places, []).append(id_)
        with private_file(self._image_list).open("a", encoding="utf-8") as stream:
            for places, ids in new.items():
                row = {"folders": [*map(str, places)], "samples": ids, "mark": _mark(places)}
                stream.write(json.dumps(row) + "\n")

    @property
    def _image_list(self) -> Path:
        return self.hidden / "image_folders.txt"

    def _loaded_with(self) -> tuple[dict[str, tuple[Path, ...]], set[Path]]:
        """Read the folders of each sample, and those that are not read: outside the workspace, by another's `load`."""
        own: dict[str, tuple[Path, ...]] = {}
        foreign: dict[str, tuple[Path, ...]] = {}
        for line in self._image_list.read_text(encoding="utf-8").splitlines() if self._image_list.exists() else ():
            if line.startswith("{") and line.endswith("}"):  # else it was cut
                row = json.loads(line)
                places = tuple(map(Path, row["folders"]))
                is_own = hmac.compare_digest(str(row.get("mark")), _mark(places))
                own |= dict.fromkeys(row["samples"], places if is_own else ())
                foreign |= dict.fromkeys(row["samples"], () if is_own else places)
        return own, {place for places in foreign.values() for place in places}


def _mark(places: Sequence[Path]) -> str:
    """Sign folders with this user's key: a workspace that came from others names no folder of this user's."""
    return hmac.new(_user_key(), json.dumps([*map(str, places)]).encode(), "sha256").hexdigest()


def _user_key() -> bytes:
    """Read this user's key, made when first needed; empty where the home folder keeps no file."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    with suppress(OSError, RuntimeError, InputError):
        file = private_folder(Path(home).expanduser() / "kbe_graph") / "key"
        if not file.exists():
            with replacing(file, private=True) as stream:
                stream.write(secrets.token_hex())
        return file.read_bytes()
    return b""


def create_folder(path: Path) -> Folder:
    """Create a workspace; an existing one stays unchanged. Raises ConfigError.

    Only the owner can read the package's files in it and ``kbe.toml``, which may hold a key.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        private_folder(path / HIDDEN)
        if not (path / FILE).exists():
            private_file(path / FILE).write_text(_NEW, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot make a workspace at {str(path)!r}: {error.strerror}; choose another folder"
        ) from None
    return open_folder(path)


def open_folder(path: Path) -> Folder:
    """Open the workspace in a folder. Raises ConfigError if there is none."""
    if not (path / HIDDEN).is_dir():
        raise ConfigError(
            f"no workspace at {str(path)!r}; make one first (`kbe init`, or kbe.Workspace), or name another folder"
        )
    if not os.access(path / HIDDEN, os.R_OK | os.X_OK):
        raise ConfigError(
            f"only its owner can use the workspace at {str(path)!r}; copy its graph with `backup` and `restore`"
        )
    _refuse_odd_files(path)
    return Folder(path, read_config(path))


def _refuse_odd_files(path: Path) -> None:
    """Raise ConfigError for a pipe or a device among the files of a workspace: reading it may never end."""
    files = [path / FILE, path / "review.tsv"]
    for place, folders, names in os.walk(path / HIDDEN):
        folders[:] = [name for name in folders if name not in OF_PICTURES]
        files += (Path(place, name) for name in names)
    for file in files:
        if file.exists() and not file.is_file():
            raise ConfigError(f"{str(file)!r} is a pipe or a device, not a regular file; remove it")
