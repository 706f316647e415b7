import tomllib
from pathlib import Path

from kbe_graph import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_folder_of_python_is_packaged() -> None:
    places = PROJECT["tool"]["setuptools"]["package-dir"]
    listed = {places.get(name, name.replace(".", "/")) for name in PROJECT["tool"]["setuptools"]["packages"]}
    found = {
        str(file.parent.relative_to(ROOT))
        for room in ("kbe_graph", "cli", "cypher", "prompts")
        for file in (ROOT / room).rglob("*.py")
    }
    assert found == listed


def test_the_version_is_told_once() -> None:
    assert PROJECT["project"]["version"] == __version__
