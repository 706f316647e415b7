"""The commands of the README, each as written, twice; and what a user gets wrong."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import KBE, done_here, environment, kbe, kbe_here, kept_up
from engines import gone
from small_benchmark import load_small_benchmark, write_small_benchmark

from kbe_graph import Workspace
from kbe_graph.store.engine import running

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    write_small_benchmark(folder)
    return folder


@pytest.fixture(scope="module")
def evolved(place: Path) -> Iterator[Path]:
    """A workspace that went through the whole line twice, its engine kept up to save the time of starting it."""
    w = place / "w"
    kbe("-w", w, "init")
    kbe("-w", w, "db", "start")
    for run, told in ((kbe, "loaded 3 samples from"), (kbe_here, "nothing new: all 3 samples of")):
        run("-w", w, "init")
        assert told in run("-w", w, "load", place / "okvqa.jsonl", "--name", "okvqa", "--split", "val")
        assert "extracted 3 of 3" in run(
            "-w", w, "extract", "--captions", place / "captions.tsv.gz", "--detections", place / "detections.json"
        )
        run("-w", w, "evolve", "--hops", "2", "--seed", "0", "--run", "r")
    yield w
    kbe("-w", w, "db", "stop")


def test_status_counts_by_stage_hop_and_reason(evolved: Path) -> None:
    counts = json.loads(kbe_here("-w", evolved, "status", "--json"))
    assert counts["samples"]["extracted"] == 3
    assert counts["runs"]["r"]["parts"]["Pos_T1"] == 2
    assert counts["runs"]["r"]["parts"]["Pos_F"] == 1
    assert "hop 1" in counts["runs"]["r"]["questions"]
    assert "hop 1\n" in kbe_here("-w", evolved, "status", "--all")
    lines = kbe_here("-w", evolved, "status", "--run", "r").splitlines()
    assert any(line.split()[:5] == ["with", "a", "graph", "3", "100"] for line in lines)
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_show_tells_image_chain_path_and_sources(evolved: Path) -> None:
    said = kbe_here("-w", evolved, "show", "okvqa/val/1")
    assert "COCO_val2014_000000000007.jpg" in said
    assert "path     IMAGE -[depicts]-> " in said
    assert "captions.tsv.gz" in said
    assert "no sample 'okvqa/val/9'; there are okvqa/val/" in kbe("-w", evolved, "show", "okvqa/val/9", code=1)


def test_query_lists_runs_and_never_writes(evolved: Path) -> None:
    assert kbe_here("-w", evolved, "query").count("\n") > 12
    rows = json.loads(kbe_here("-w", evolved, "query", "samples_about", "-p", "entity=giraffe", "--json"))
    assert any("okvqa/val/1" in map(str, row.values()) for row in rows)
    assert json.loads(
        kbe_here("-w", evolved, "query", "--cypher", "MATCH (s:Sample) RETURN count(s) AS n", "--json")
    ) == [{"n": 3}]
    kbe("-w", evolved, "query", "--cypher", "MATCH (s:Sample) DETACH DELETE s", code=1)
    assert json.loads(
        kbe_here("-w", evolved, "query", "--cypher", "MATCH (s:Sample) RETURN count(s) AS n", "--json")
    ) == [{"n": 3}]
    assert "no query 'nothing'" in kbe("-w", evolved, "query", "nothing", code=1)


def test_a_query_says_what_it_left_out_and_is_typed(evolved: Path, tmp_path: Path) -> None:
    (tmp_path / "q.cypher").write_text("MATCH (s:Sample) WHERE 1 = $one RETURN s.id AS id ORDER BY id")
    done = done_here("-w", evolved, "query", "--file", tmp_path / "q.cypher", "-p", "one=1", "--limit", 2)
    assert done.out == "id\nokvqa/val/1\nokvqa/val/2\n"
    assert done.err == "only the first 2 rows are shown; --limit N shows more\n"
    assert done_here("-w", evolved, "query", "question_path", "-p", "id=nosuch").err == "no rows\n"
    asked = ("-w", evolved, "query", "relation_frequency", "--json", "--limit")
    assert len(json.loads(kbe_here(*asked, "1"))) == 1 < len(json.loads(kbe_here(*asked, "1000")))


def test_an_interrupted_query_ends_with_130(tmp_path: Path) -> None:
    kbe_here("-w", tmp_path, "init")
    text = "UNWIND range(1,90000) AS x UNWIND range(1,90000) AS y WITH x, y WHERE x * y % 7 = 8 RETURN count(*) AS none"
    process = subprocess.Popen(
        [KBE, "-w", str(tmp_path), "query", "--timeout", "500", "--cypher", text],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    end = time.monotonic() + 60
    while not ((record := running(tmp_path / ".kbe")) and record.bolt_port) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1.5)  # the query runs
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, said = process.communicate(timeout=30)
    assert said.strip() == "interrupted; re-run the command to resume"
    assert process.returncode == 130
    assert time.monotonic() - begun < 10
    assert gone(tmp_path / ".kbe")


def test_a_backup_restores_into_another_workspace(evolved: Path, tmp_path: Path) -> None:
    kbe("-w", evolved, "db", "backup", tmp_path / "graph.gz")
    kbe_here("-w", tmp_path / "w", "init")
    with kept_up(tmp_path / "w"):
        kbe("-w", tmp_path / "w", "db", "restore", tmp_path / "graph.gz")
        for name, w in (("one", evolved), ("two", tmp_path / "w")):
            kbe_here("-w", w, "export", "jsonl", tmp_path / name, "--all")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_engine_is_kept_up_for_other_tools(tmp_path: Path) -> None:
    import neo4j

    kbe_here("-w", tmp_path, "init")
    assert "no engine was started" in kbe_here("-w", tmp_path, "db", "url", code=1)
    kbe("-w", tmp_path, "db", "start")
    try:
        kbe("-w", tmp_path, "status")
        create = "CREATE (:Sample {id: 'a/b/c', status: 'loaded', reason: ''})"
        url = json.loads(kbe_here("-w", tmp_path, "db", "url", "--json"))
        with neo4j.GraphDatabase.driver(url["uri"], auth=(url["username"], url["password"])) as driver:
            assert driver.execute_query("RETURN 1 AS one", database_=url["database"]).records[0]["one"] == 1
            with pytest.raises(neo4j.exceptions.Forbidden):
                driver.execute_query(create, database_=url["database"])
        owner = json.loads(kbe_here("-w", tmp_path, "db", "url", "--write", "--json"))
        with neo4j.GraphDatabase.driver(owner["uri"], auth=(owner["username"], owner["password"])) as driver:
            driver.execute_query(create, database_=owner["database"])
        assert "loaded: 1" in kbe_here("-w", tmp_path, "status", "--all")
    finally:
        assert "stopped" in kbe("-w", tmp_path, "db", "stop")
    assert "no engine was started" in kbe_here("-w", tmp_path, "db", "url", code=1)


def test_what_a_user_gets_wrong_is_one_line_and_exit_1(tmp_path: Path, place: Path) -> None:
    assert "no workspace at" in kbe("-w", tmp_path / "none", "status", code=1)
    w = tmp_path / "w"
    kbe_here("-w", w, "init")
    bad = tmp_path / "bad.jsonl"
    bad.write_text((place / "okvqa.jsonl").read_text() + '{"question_id": 4, "image_id": 9}\n')
    with kept_up(w):
        said = kbe("-w", w, "load", bad, "--name", "x", code=1)
        assert "line 4" in said
        assert "Traceback" not in said
        assert len(said.splitlines()) == 1
        count = "MATCH (s:Sample) RETURN count(s) AS n"
        assert json.loads(kbe_here("-w", w, "query", "--cypher", count, "--json")) == [{"n": 0}]
        kbe_here("-w", w, "evolve", "--hops", "minus", code=2)
        with Workspace(w, progress=False) as work:
            load_small_benchmark(work, tmp_path)
        (w / "kbe.toml").write_text("[filters]\nshare = 7\n")
        assert "share" in kbe("-w", w, "evolve", code=1)


def test_load_shows_options_with_the_right_one_and_export_refuses_an_unknown_ending(tmp_path: Path) -> None:
    row = {"split": "train", "image_id": 1, "question_id": "a", "question": "What best describes the water?"}
    row |= {"choices": ["frozen", "fresh"], "correct_choice_idx": 0, "direct_answers": ["pond", "pond", "ice"]}
    (tmp_path / "a.json").write_text(json.dumps([row]))
    kbe_here("-w", tmp_path / "W", "init")
    told = kbe_here("-w", tmp_path / "W", "load", tmp_path / "a.json", "--name", "ok", "--split", "train")
    assert "the water? -> pond; with options (frozen | fresh): frozen" in told
    assert "no .foo; name a file" in done_here("-w", tmp_path / "W", "export", "jsonl", tmp_path / "x.foo").err
