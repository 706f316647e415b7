"""The engines that tests run on.

Tests run on ``embedded``, and on the Neo4j server of NEO4J_TEST_URI where it is set (with NEO4J_TEST_USERNAME,
NEO4J_TEST_PASSWORD, NEO4J_TEST_DATABASE; **its database is emptied**). KBE_TEST_ENGINES=embedded,5.26 names other
engines: a release comes from Maven artifacts (see neo4j_server.py) if ``mvn`` is on the path; otherwise its tests are
skipped. KBE_REQUIRE_ENGINES=5.26,2026, as set by .ci/run, also tests these releases, and fails if one is missing.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import neo4j_server
import pytest

from kbe_graph.store import Address, Store
from kbe_graph.store.engine import running, use_engine
from kbe_graph.store.statements import prepare

WAYS = "set NEO4J_TEST_URI, or install Maven (mvn)"
LIMIT = 20.0


class Engine(NamedTuple):
    """A running engine (embedded, 5.26, 2026 or server) and its address."""

    name: str
    address: Address


def _names(variable: str) -> list[str]:
    return [name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()]


REQUIRED = _names("KBE_REQUIRE_ENGINES")
GIVEN = ["server"] if os.environ.get("NEO4J_TEST_URI") else []
ENGINES = list(dict.fromkeys([*(_names("KBE_TEST_ENGINES") or ["embedded", *GIVEN]), *REQUIRED]))


def _parameter(name: str) -> Any:
    """Build a parameter of the fixture ``engine`` whose tests all run on one worker."""
    return pytest.param(name, id=name, marks=[pytest.mark.xdist_group(name), pytest.mark.long])


EACH_ENGINE = [_parameter(name) for name in ENGINES]
EACH_SERVER = [engine for name, engine in zip(ENGINES, EACH_ENGINE, strict=True) if name != "embedded"]
# statements are tested on each engine, in tests/store; tests that need any server use the newest
on_a_server = pytest.mark.parametrize("engine", EACH_SERVER[-1:], indirect=True)


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Engine]:
    """Yield the embedded engine on a new folder; a statement may take twenty seconds."""
    with use_engine(folder, timeout=LIMIT) as address:
        yield Engine("embedded", address)


@contextlib.contextmanager
def server(name: str, folder: Path) -> Iterator[Engine]:
    """Yield a Neo4j server; skip if there is none, fail if it is required."""
    if name == "server":
        yield Engine(name, _given())
    else:
        with _from_maven(name, folder) as address:
            yield Engine(name, address)


def emptied(store: Store) -> Store:
    """Delete all content of a store's graph, and return the store."""
    connection = store.connection
    while connection.write(lambda transaction: transaction.run("forget_nodes", most=5_000, shared=True))[0]["count"]:
        pass
    prepare(connection)
    return store


def gone(folder: Path) -> bool:
    """Wait up to half a minute for a folder's embedded engine to end by itself; return True if it did."""
    end = time.monotonic() + 30
    while running(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return running(folder) is None


def _given() -> Address:
    return Address(
        os.environ["NEO4J_TEST_URI"],
        os.environ.get("NEO4J_TEST_USERNAME", "neo4j"),
        os.environ.get("NEO4J_TEST_PASSWORD", ""),
        os.environ.get("NEO4J_TEST_DATABASE") or None,
    )


@contextlib.contextmanager
def _from_maven(name: str, folder: Path) -> Iterator[Address]:
    try:
        started = neo4j_server.start(name, folder)
    except neo4j_server.ServerError as error:
        message = f"no Neo4j {name} ({error}); {WAYS}"
        if name in REQUIRED:
            pytest.fail(message)
        pytest.skip(message)
    try:
        yield Address(started.uri, started.username, started.password)
    finally:
        neo4j_server.stop(started)
