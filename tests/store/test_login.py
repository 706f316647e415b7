"""Who logs in: queries as who may only read."""

import threading
from dataclasses import replace

import pytest
from engines import Engine

from kbe_graph.store import Store
from kbe_graph.store.connect import connect


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
