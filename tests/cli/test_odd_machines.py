"""Odd machines and damaged workspaces: what works goes on working, and what cannot is one line that says so."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import quick_kbe
from commands import KBE, environment, kept_up


def said_by(line: str, folder: Path, *, environ: dict[str, str] | None = None, code: int = 0) -> str:
    """Give a line to a shell, where ``kbe`` is there, and return its standard error, or its output where it works."""
    script = f'kbe() {{ "{quick_kbe.path()}" "$@"; }}; real() {{ "{KBE}" "$@"; }}; {line}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environ or environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert "bug in kbe" not in done.stderr
    return done.stderr if code else done.stdout


@pytest.fixture
def copy(demo_made: Path, tmp_path: Path) -> Path:
    """A copy of the demo's workspace, ``W``, in a folder."""
    shutil.copytree(demo_made / "W", tmp_path / "W")
    return tmp_path


def test_it_works_without_a_home_and_in_an_empty_environment(copy: Path) -> None:
    bare = {name: environment()[name] for name in ("KBE_GRAPH_WARM", "PATH") if name in environment()}
    odd = bare | {"TMPDIR": "/nosuch", "JAVA_HOME": "/nosuch"}
    assert "57 from annotations" in said_by("kbe -w W status", copy, environ=odd)


@pytest.mark.parametrize("limit", ["-v 700000", "-n 40"])
def test_an_engine_that_may_not_start_says_so(copy: Path, limit: str) -> None:
    said = said_by(f"ulimit {limit}; real -w W status", copy, code=1)
    assert said.count("\n") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("mkdir gone; cd gone; rmdir ../gone; real -w W status", "workspace"),
        ("kbe -w /proc/none init", "/proc/none"),
    ],
)
def test_a_place_that_cannot_be_is_told_in_one_line(line: str, says: str, tmp_path: Path) -> None:
    said = said_by(line, tmp_path, code=1)
    assert says in said
    assert said.count("\n") == 1


def test_a_workspace_on_a_file_is_wrong_usage(tmp_path: Path) -> None:
    assert "is a file" in said_by("touch file; kbe -w file init", tmp_path, code=2)


def remove_a_bucket(graph: Path) -> None:
    """Delete the largest file of records."""
    max(graph.rglob("*.bucket"), key=lambda file: file.stat().st_size).unlink()


def garble_settings(graph: Path) -> None:
    """Write nonsense over the settings of the database."""
    for file in graph.rglob("configuration.json"):
        file.write_text("{nonsense")


@pytest.mark.parametrize("damage", [remove_a_bucket, garble_settings])
def test_a_damaged_graph_is_told_in_one_line(copy: Path, damage: Callable[[Path], None]) -> None:
    damage(copy / "W" / ".kbe" / "graph")
    said = said_by("kbe -w W status", copy, code=1)
    assert said.count("\n") == 1
    assert said.startswith("error: ")


def test_a_graph_that_is_gone_is_an_empty_one(copy: Path) -> None:
    shutil.rmtree(copy / "W" / ".kbe" / "graph")
    assert "no samples yet" in said_by("kbe -w W status", copy)


def test_a_spacy_that_is_broken_is_told_and_gone_without(tmp_path: Path) -> None:
    broken = tmp_path / "stub" / "spacy"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ValueError('numpy.dtype size changed, expected 96')\n")
    (tmp_path / "bench.jsonl").write_text(
        '{"id": "1", "question": "What animal is on the table?", "answer": "cat", "image": "1.jpg"}\n'
    )
    (tmp_path / "captions.tsv").write_text('1\t[{"caption": "a cat on a table", "conf": 0.9}]\n')
    environ = environment() | {"PYTHONPATH": str(tmp_path / "stub")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [KBE, "-w", "W", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environ, cwd=tmp_path, timeout=120
        )

    with kept_up(tmp_path / "W"):
        for command in (("init",), ("load", "bench.jsonl"), ("extract", "--captions", "captions.tsv"), ("doctor",)):
            done = run(*command)
            assert done.returncode == 0, done.stderr
            assert "bug in kbe" not in done.stderr
    assert "spacy is installed but cannot be imported (numpy.dtype size changed, expected 96)" in done.stderr
    assert "uninstall it, then run: pip install 'kbe-graph[english]'" in done.stderr
