"""Who logs in: queries as who may only read; a lock-out by somebody's wrong passwords is waited out, and told."""

import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import neo4j
import pytest
from engines import Engine

from kbe_graph.config import read_config
from kbe_graph.errors import ConfigError, KbeWarning, StoreError
from kbe_graph.store import Address, Store, open_store, server_address
from kbe_graph.store.connect import connect
from kbe_graph.store.engine_process import PASSWORD_FILE

WRONG = 5  # passwords, after which the embedded engine lets nobody of that name in for half a minute; Neo4j after 3


def lock_out(address: Address) -> None:
    for number in range(WRONG):
        with (
            suppress(neo4j.exceptions.Neo4jError),
            neo4j.GraphDatabase.driver(address.uri, auth=(address.username, f"wrong {number}")) as driver,
        ):
            driver.verify_connectivity()


@pytest.mark.long
def test_a_lock_out_of_the_embedded_engine_is_waited_out_and_told(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        place = store.connection.place
        lock_out(Address(place.uri, "reader"))
        with pytest.warns(KbeWarning, match=r"locks user 'reader' out") as told:
            assert store.query_text("RETURN 1 AS one").rows == ((1,),)
        assert len(told) == 1


def test_a_lock_out_of_a_server_is_waited_out_and_told(engine: Engine) -> None:
    if engine.name == "embedded":
        pytest.skip("a server that says that it locks a user out; the embedded engine has a test of its own")
    lock_out(engine.address)
    with (
        pytest.warns(KbeWarning, match=r"locks user 'neo4j' out"),
        connect(engine.address) as connection,
    ):
        assert connection.read_text("RETURN 1 AS one") == [{"one": 1}]


def test_an_engine_that_does_not_take_its_password_is_told_apart(tmp_path: Path) -> None:
    """Its file was changed, so there is nothing to wait for."""
    with open_store(tmp_path) as store:
        (tmp_path / PASSWORD_FILE).write_text("another", encoding="utf-8")
        dial = store.connection.query_login.dial
        lock_out(Address(store.connection.place.uri, "reader"))
        begun = time.monotonic()
        with pytest.raises(StoreError, match=r"rejects its own password; stop it with `work\.graph\.engine"):
            dial()
        assert time.monotonic() - begun < 20


def test_queries_of_a_server_log_in_as_the_reader_of_the_settings(engine: Engine, store: Store) -> None:
    if engine.name == "embedded":
        pytest.skip("the embedded engine has a reader of its own")
    make = "CREATE USER asker IF NOT EXISTS SET PASSWORD 'asks only' CHANGE NOT REQUIRED"
    store.connection.driver.execute_query(make, database_="system")
    address = replace(engine.address, reader="asker", reader_password="asks only")  # noqa: S106 - that is the test
    with connect(address) as connection:
        asking = Store(connection)
        query = threading.Thread(
            target=lambda: asking.query_text("UNWIND range(1, 30000000) AS x RETURN count(x % 7) AS x", timeout=60)
        )
        query.start()
        users = set[str]()
        while query.is_alive() and "asker" not in users:
            rows = store.connection.read_text("SHOW TRANSACTIONS YIELD username, currentQuery RETURN *")
            users = {row["username"] for row in rows if "range(1" in row["currentQuery"]}
        query.join()
    assert users == {"asker"}


def test_a_reader_without_a_password_names_the_setting(tmp_path: Path) -> None:
    environ = {"NEO4J_PASSWORD": "x", "NEO4J_READER_USERNAME": "asker"}
    with pytest.raises(ConfigError, match=r"no password for 'asker', .*; set NEO4J_READER_PASSWORD"):
        server_address("neo4j://localhost:7687", read_config(tmp_path), environ)
    address = server_address(
        "neo4j://localhost:7687", read_config(tmp_path), environ | {"NEO4J_READER_PASSWORD": "asks only"}
    )
    assert (address.of_reader.username, address.of_reader.password) == ("asker", "asks only")
    assert "asks only" not in repr(address)
