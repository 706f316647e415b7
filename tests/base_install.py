"""The package as installed by ``pip install kbe-graph``, built offline from links to the installed packages."""

import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def make_base_install(folder: Path) -> Path:
    """Create a virtual environment with the base dependencies and their own, and return its Python."""
    venv.create(folder, symlinks=True)
    (place,) = folder.glob("lib/python*/site-packages")
    for package in _with_dependencies(PROJECT["dependencies"]):
        for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            (place / name).symlink_to(Path(str(package.locate_file(name))))
    (place / "kbe_graph").mkdir()
    for source in (*(ROOT / "kbe_graph").iterdir(), *(ROOT / name for name in ("cli", "cypher", "prompts"))):
        (place / "kbe_graph" / source.name).symlink_to(source)
    return folder / "bin" / Path(sys.executable).name


def _with_dependencies(requirements: list[str]) -> Iterator[Distribution]:
    """Yield each distribution that the requirements name, directly or transitively, once."""
    waiting = [(Requirement(text), "") for text in requirements]
    given = set[str]()
    seen = set[tuple[str, str]]()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        package = distribution(requirement.name)
        if package.name not in given:
            given.add(package.name)
            yield package
        for wanted in {"", *requirement.extras}:
            if (package.name, wanted) not in seen:
                seen.add((package.name, wanted))
                waiting += [(Requirement(text), wanted) for text in package.requires or ()]
