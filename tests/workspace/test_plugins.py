"""Another package adds a format, annotations, a source, a check and an export by entry points, with no change here."""

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import done_each

from kbe_graph.store.engine import stop

OUTSIDE = Path(__file__).parents[1] / "data" / "outside_package"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the outside package and the entry points of its ``pyproject.toml``, as an installer leaves them."""
    target = tmp_path_factory.mktemp("installed")
    shutil.copytree(OUTSIDE / "outside", target / "outside")
    project = tomllib.loads((OUTSIDE / "pyproject.toml").read_text())["project"]
    groups = project["entry-points"].items()
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in of.items()) for group, of in groups
    )
    write_info(target, project["name"], points)
    return target


def write_info(folder: Path, name: str, points: str) -> None:
    """Write what Python knows of an installed package."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)


def paths(installed: Path) -> str:
    """Return where Python looks first."""
    return os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH", "")])])


def kbe_each(folder: Path, installed: Path, *commands: tuple[object, ...]) -> list[str]:
    """Give commands on the workspace of a folder to one process that finds the outside package."""
    lines = [("-w", folder / "W", *command) for command in commands]
    done = done_each(sys.executable, *lines, folder=folder, PYTHONPATH=paths(installed))
    assert {each.code for each in done} == {0}, done
    return [each.out for each in done]


@pytest.fixture(scope="module")
def place(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace that the command line brought from the outside format to a run by the outside source."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "own.jsonl").write_text(
        json.dumps({"photo": "7.jpg", "asked": "What animal is this?", "seen": "giraffe"}) + "\n"
    )
    (folder / "own.sketches").write_text("7 giraffe tree\n")
    commands = (
        ("init",),
        ("db", "start"),
        ("load", folder / "own.jsonl"),
        ("extract", "--sketches", folder / "own.sketches"),
        ("evolve", "--knowledge", "zoo", "--hops", "1", "--run", "r"),
    )
    _, _, loaded, extracted, _ = kbe_each(folder, installed, *commands)
    assert "loaded 1 samples from own.jsonl (birds)" in loaded
    assert "extracted 1 of 1" in extracted
    yield folder
    stop(folder / "W" / ".kbe")


def test_the_commands_use_what_the_package_adds(place: Path, installed: Path) -> None:
    export = ("export", "pairs", place / "pairs.tsv", "--run", "r")
    status, filters, said = kbe_each(place, installed, ("status", "--run", "r", "--json"), ("filters",), export)
    counts = json.loads(status)["runs"]["r"]
    assert counts["candidates"]["hop 1"]["dropped by reason"] == {"no rivers": 1}
    assert "no rivers" in filters
    assert "wrote 2 questions" in said
    raw, evolved = [line.split("\t") for line in (place / "pairs.tsv").read_text().splitlines()]
    assert raw == ["0", "What animal is this?", "giraffe"]
    assert evolved[0] == "1"
    assert evolved[2] == "Giraffidae"


BROKEN = {
    "birds = outside.nowhere:BIRDS": (
        "plug-in 'birds' of package 'broken' (kbe_graph.formats) cannot be used: ModuleNotFoundError"
    ),
    "birds = json:dumps": "'json:dumps' is not a kbe_graph.datasets.format.Format",
    "okvqa = json:dumps": "the name 'okvqa' is taken",
}


def test_a_broken_plug_in_is_one_clear_error(tmp_path: Path) -> None:
    for number, (point, message) in enumerate(BROKEN.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_info(folder, "broken", f"[kbe_graph.formats]\n{point}\n")
        load = ("-w", folder, "load", folder / "x.jsonl")
        (done,) = done_each(sys.executable, load, folder=folder, PYTHONPATH=paths(folder))
        assert done.code == 1
        assert message in done.err
        assert len(done.err.splitlines()) == 1
