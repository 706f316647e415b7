"""A benchmark from pages whose making was killed at any moment, and then went on: the same bytes come out."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from commands import KBE, environment, kbe_here, kept_up
from small_wiki import LIST, bridges
from wikimedia_server import Wikimedia, serving

import kbe_graph as kbe
from kbe_graph.wiki.page_steps import WIKIMEDIA_PAGE

pytestmark = pytest.mark.long
BUILD = ("--hops", "2", "--fetch", "--local-hosts", "--server")
EACH = 15  # requests after which a build is killed
STAGES = ("corpus", "wikimedia entities", "triples", "questions")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[Wikimedia, Path]]:
    with bridges(tmp_path) as (server, corpus):
        yield server, corpus


def build_of(work: Path, corpus: Path, server: Wikimedia, *more: str) -> tuple[object, ...]:
    return "-w", work, "wiki", "build", corpus, *BUILD, server.url, *more


def exported(work: Path, *build: object) -> bytes:
    """Build to the end, and return the export."""
    kbe_here(*build)
    kbe_here("-w", work, "export", "jsonl", work / "out.jsonl", "--all")
    return (work / "out.jsonl").read_bytes()


def ended(server: Wikimedia, build: tuple[object, ...]) -> int:
    """Start a build that is killed when it has made some requests, and return how it ended."""
    left = threading.Semaphore(EACH - 1)
    with subprocess.Popen(
        [KBE, *map(str, build)], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        server.heard = lambda: left.acquire(blocking=False) or process.kill()
        code = process.wait(60)
    server.heard = object
    return code


def test_builds_that_are_killed_at_their_requests_ask_nothing_twice_and_end_in_the_same_export(
    world: tuple[Wikimedia, Path], tmp_path: Path
) -> None:
    server, corpus = world
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for work in (whole, killed):
        kbe_here("-w", work, "init")
    with kept_up(whole):
        expected = exported(whole, *build_of(whole, corpus, server))
    requests = len(server.asked)
    kills = 0
    with kept_up(killed):
        while (code := ended(server, build_of(killed, corpus, server))) == -signal.SIGKILL:
            kills += 1
            assert kills < requests
        assert code == 0
        assert kills >= 2
        asked = len(server.asked)
        assert exported(killed, *build_of(killed, corpus, server, "--offline")) == expected
    assert len(server.asked) == asked <= requests * 2 + 2 * kills


def killed_at(stage: str, build: tuple[object, ...]) -> None:
    """Start a build that is killed as soon as it tells of a stage."""
    with subprocess.Popen(
        [KBE, *map(str, build)], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert any(line.startswith(stage) for line in process.stderr), stage
        process.kill()
    assert process.returncode == -signal.SIGKILL


def test_a_build_of_whole_entities_killed_in_each_step_ends_in_the_same_export(data: Path, tmp_path: Path) -> None:
    corpus = data / "wit_sample" / "wit_shape_from_wikidata.tsv.gz"
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for work in (whole, killed):
        kbe_here("-w", work, "init")
    with serving(data) as server:
        without_fetch = ("--server", server.url)
        with kept_up(whole):
            expected = exported(whole, "-w", whole, "wiki", "build", corpus, *without_fetch)
        with kept_up(killed):
            build = ("-w", killed, "wiki", "build", corpus, *without_fetch)
            for stage in STAGES:
                killed_at(stage, build)
            assert exported(killed, *build) == expected != b""


def test_a_page_that_is_a_list_is_left_out_though_the_end_came_before_that_was_kept(
    world: tuple[Wikimedia, Path], tmp_path: Path
) -> None:
    server, corpus = world
    with kbe.Workspace(tmp_path / "W", progress=False) as work:
        work.wiki.build(corpus, server=server.url)
        store = work._access.store
        [left_out] = store.pictures(reason=WIKIMEDIA_PAGE)
        assert left_out.title == LIST
        store.save_pictures([replace(left_out, reason="")])  # as if killed when its statements were saved
        work.wiki.build(corpus, server=server.url, offline=True)
        assert [picture.title for picture in store.pictures(reason=WIKIMEDIA_PAGE)] == [LIST]
