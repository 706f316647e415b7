"""A benchmark from pages whose making was killed at any moment, and then went on: the same bytes come out."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import KBE, environment, kbe_here, kept_up
from small_wiki import bridges
from wikimedia_server import WikimediaServer

pytestmark = [pytest.mark.long, pytest.mark.ci]
BUILD = ("--hops", "2", "--fetch", "--local-hosts", "--server")
EACH = 8  # requests after which a build is killed


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[WikimediaServer, Path]]:
    with bridges(tmp_path) as (server, corpus):
        yield server, corpus


def build_of(work: Path, corpus: Path, server: WikimediaServer, *more: str) -> tuple[object, ...]:
    return "-w", work, "wiki", "build", corpus, *BUILD, server.url, *more


def exported(work: Path, *build: object) -> bytes:
    """Build to the end, and return the export."""
    kbe_here(*build)
    kbe_here("-w", work, "export", "jsonl", work / "out.jsonl", "--all")
    return (work / "out.jsonl").read_bytes()


def ended(server: WikimediaServer, build: tuple[object, ...]) -> int:
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
    world: tuple[WikimediaServer, Path], tmp_path: Path
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
