"""A graph that another program changed is told as that, in one line that names what was changed; nothing is written."""

import shutil
from pathlib import Path

import pytest
from commands import kbe_here, kept_up

import kbe_graph
from kbe_graph import Workspace

CHANGES: list[tuple[str, str, tuple[str, ...], str]] = [
    ("Question {kind: 'explored'}", "n.text = null", ("export", "show", "stats"), "has a 'text' that"),
    ("Question {kind: 'explored'}", "n.answer = 5", ("export", "show", "stats"), "has a 'answer' that"),
    ("Question {kind: 'explored'}", "n.provenance = 'x'", ("export", "show"), "has a 'provenance' that"),
    ("Question {kind: 'explored'}", "n.provenance = '[1]'", ("export", "show"), "has a 'provenance' that"),
    ("Question {kind: 'explored'}", "n.status = null", ("status",), "has a 'status' that"),
    ("Question {kind: 'explored'}", "n.hop = 'x'", ("status",), "has a 'hop' that"),
    ("Run", "n.settings = '{'", ("status", "export", "evolve"), "the run 'demo-0' in the graph has a 'settings' that"),
    ("Run", "n.settings = '[1]'", ("status",), "the run 'demo-0' in the graph has a 'settings' that"),
    ("Run", "n.seed = null", ("status", "stats"), "the run 'demo-0' in the graph has a 'seed' that"),
    ("Run", "n.seed = 'x'", ("status",), "the run 'demo-0' in the graph has a 'seed' that"),
    ("Sample", "n.question = null", ("export", "show"), "the sample 'demo/demo/"),
    ("Sample", "n.answers = 5", ("export", "show"), "has a 'answers' that"),
    ("Sample", "n.status = 7", ("status",), "has a 'status' that"),
    ("Sample {status: 'extracted'}", "n.annotations = 'x'", ("status",), "has a 'annotations' that"),
    ("Candidate", "n.hop = null", ("status",), "the candidate of run 'demo-0' in the graph has a 'hop' that"),
]  # fmt: skip
COMMANDS = {
    "export": ("export", "jsonl", "out.jsonl"),
    "show": ("show", "demo/demo/107438-country"),
    "stats": ("stats",),
    "status": ("status",),
    "evolve": ("evolve", "--run", "demo-0"),
}


@pytest.mark.parametrize(("node", "change", "commands", "says"), CHANGES)
def test_it_is_told_by_name_with_what_to_do(
    demo_kept_up: Path, tmp_path: Path, node: str, change: str, commands: tuple[str, ...], says: str
) -> None:
    field = change.split(maxsplit=1)[0]
    with Workspace(demo_kept_up, progress=False) as work:
        work.store.connection.alone(f"MATCH (n:{node}) SET n.kept = {field} SET {change}")
    try:
        for command in commands:
            name, *rest = COMMANDS[command]
            rest = [str(tmp_path / "out.jsonl") if value == "out.jsonl" else value for value in rest]
            said = kbe_here("-w", demo_kept_up, name, *rest, code=1)
            assert said.startswith("error: the ")
            assert says in said
            assert said.endswith(
                "another program changed the graph; restore a backup with 'kbe db restore FILE --replace'\n"
            )
            assert said.count("\n") == 1
            assert not (tmp_path / "out.jsonl").exists()
    finally:
        with Workspace(demo_kept_up, progress=False) as work:
            work.store.connection.alone(
                f"MATCH (n:{node.split(maxsplit=1)[0]}) WHERE n.kept IS NOT NULL SET {field} = n.kept REMOVE n.kept"
            )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("MATCH (:Entity)-[n:KEY]->() SET n.position = 'x'", "the key of question 'demo/demo/"),
        ("MATCH (:Entity)-[n:VISUAL]->() SET n.relation = 5", "the triplet of sample 'demo/demo/"),
        ("MATCH (n:Entity) SET n.name = null", "in the graph has a "),
    ],
)
def test_edges_and_entities_are_looked_at_too(demo_made: Path, tmp_path: Path, change: str, says: str) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    command = ("evolve", "--run", "other") if "VISUAL" in change else ("export", "jsonl", tmp_path / "out.jsonl")
    with kept_up(tmp_path / "W"):
        with Workspace(tmp_path / "W", progress=False) as work:
            work.store.connection.alone(change)
        said = kbe_here("-w", tmp_path / "W", *command, code=1)
    assert says in said.splitlines()[-1]
    assert "another program changed the graph" in said


@pytest.mark.parametrize(
    ("label", "commands"), [("Question", ("export", "stats", "evolve")), ("Sample", ("export", "stats"))]
)
def test_files_that_are_lost_are_told_and_give_no_empty_export(
    demo_made: Path, tmp_path: Path, label: str, commands: tuple[str, ...]
) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    for bucket in (tmp_path / "W" / ".kbe" / "graph").rglob(f"{label}_0.*.bucket"):
        bucket.write_bytes(b"")
    for command in commands:
        rest = {"export": ("jsonl", tmp_path / "out.jsonl"), "evolve": ("--run", "new")}.get(command, ())
        said = kbe_here("-w", tmp_path / "W", command, *rest, code=1)
        assert said.startswith(f"error: the graph in '{tmp_path / 'W'}' is damaged: ")
        assert said.endswith("are gone; restore a backup with 'kbe db restore FILE --replace'\n")
    assert not (tmp_path / "out.jsonl").exists()


def test_indexes_whose_files_are_lost_are_made_again(demo_made: Path, tmp_path: Path) -> None:
    work, out = tmp_path / "W", tmp_path / "out.jsonl"
    shutil.copytree(demo_made / "W", work)
    for label in ("Sample", "Question", "Candidate"):
        for file in (work / ".kbe" / "graph").rglob(f"{label}_0_*.*mtidx"):
            file.unlink()
    kbe_here("-w", work, "export", "jsonl", out, "--all")
    assert out.read_bytes() == (demo_made / "out.jsonl").read_bytes()
    with kept_up(work):
        kbe_here("-w", work, "load", kbe_graph.demo().samples, "--name", "demo", "--split", "demo")
        assert "loaded              57" in kbe_here("-w", work, "status")
