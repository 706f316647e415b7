"""A graph that another program changed is told as that, in one line that names what was changed; nothing is written."""

import re
import shutil
from pathlib import Path

import pytest
from commands import kbe_here, kept_up

import kbe_graph
from kbe_graph import Workspace

CHANGES: list[tuple[str, str, tuple[str, ...], str]] = [  # a node or an edge n, a change, commands, what they say
    ("(n:Question {kind: 'explored'})", "n.provenance = 'x'", ("export", "show"), "has a 'provenance' that"),
    ("(n:Run)", "n.settings = '{'", ("status", "export", "evolve"), "the run 'demo-0' in the graph has a 'settings'"),
    ("(n:Run)", "n.seed = 'x'", ("status",), "the run 'demo-0' in the graph has a 'seed' that"),
    ("(n:Sample)", "n.question = null", ("export", "show"), "the sample 'demo/demo/"),
    ("(n:Sample {status: 'extracted'})", "n.annotations = 'x'", ("status",), "has a 'annotations' that"),
]  # fmt: skip
COMMANDS = {
    "export": ("export", "jsonl", "out.jsonl"),
    "show": ("show", "demo/demo/107438-country"),
    "stats": ("stats",),
    "status": ("status",),
    "evolve": ("evolve", "--run", "demo-0"),
    "evolve other": ("evolve", "--run", "other"),
}


@pytest.mark.parametrize(("changed", "change", "commands", "says"), CHANGES)
def test_it_is_told_by_name_with_what_to_do(
    demo_kept_up: Path, tmp_path: Path, changed: str, change: str, commands: tuple[str, ...], says: str
) -> None:
    field = change.split(maxsplit=1)[0]
    with Workspace(demo_kept_up, progress=False) as work:
        work.store.connection.alone(f"MATCH {changed} SET n.kept = {field} SET {change}")
    try:
        for command in commands:
            name, *rest = COMMANDS[command]
            rest = [str(tmp_path / "out.jsonl") if value == "out.jsonl" else value for value in rest]
            *before, said = kbe_here("-w", demo_kept_up, name, *rest, code=1).splitlines()
            assert not before or command == "evolve other"  # which tells how far it came
            assert said.startswith("error: the ")
            assert says in said
            assert said.endswith("another program changed the graph; restore a backup with `restore` and `replace`")
            assert not (tmp_path / "out.jsonl").exists()
    finally:
        with Workspace(demo_kept_up, progress=False) as work:
            undone = changed.partition(" {")[0] + ")" * (" {" in changed)
            work.store.connection.alone(f"MATCH {undone} WHERE n.kept IS NOT NULL SET {field} = n.kept REMOVE n.kept")


@pytest.mark.parametrize(
    ("label", "commands"), [("Question", ("export", "stats", "evolve")), ("Sample", ("export", "stats"))]
)
def test_files_that_are_lost_are_told_and_give_no_empty_export(
    demo_made: Path, tmp_path: Path, label: str, commands: tuple[str, ...]
) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    for bucket in (tmp_path / "W" / ".kbe" / "graph").rglob(f"{label}_0.*.bucket"):
        bucket.write_bytes(b"")
    with kept_up(tmp_path / "W"):
        for command in commands:
            rest = {"export": ("jsonl", tmp_path / "out.jsonl"), "evolve": ("--run", "new")}.get(command, ())
            said = kbe_here("-w", tmp_path / "W", command, *rest, code=1)
            assert said.startswith(f"error: the graph in '{tmp_path / 'W'}' is damaged: ")
            assert said.endswith(
                "are missing; restore a backup into a new workspace, or here with `restore` and `replace`\n"
            )
    assert not (tmp_path / "out.jsonl").exists()


def test_indexes_whose_files_are_lost_are_made_again(demo_made: Path, tmp_path: Path) -> None:
    work, out = tmp_path / "W", tmp_path / "out.jsonl"
    shutil.copytree(demo_made / "W", work)
    for label in ("Sample", "Question", "Candidate"):
        for file in (work / ".kbe" / "graph").rglob(f"{label}_0_*.*mtidx"):
            file.unlink()
    with kept_up(work):
        kbe_here("-w", work, "export", "jsonl", out, "--all")
        assert out.read_bytes() == (demo_made / "out.jsonl").read_bytes()
        kbe_here("-w", work, "load", kbe_graph.demo().samples, "--name", "demo", "--split", "demo")
        assert re.search(r"loaded +57\n", kbe_here("-w", work, "status"))
