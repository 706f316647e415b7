"""What a user is told when the graph cannot be used: each error ours, with a way out."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from engines import Engine
from neo4j import exceptions

from kbe_graph.errors import ConfigError, StoreError
from kbe_graph.store import Address, open_store
from kbe_graph.store.address import Place
from kbe_graph.store.connect import connect
from kbe_graph.store.connection import our_errors
from kbe_graph.store.engine_process import free_port


def test_a_wrong_password_names_the_settings(engine: Engine) -> None:
    address = replace(engine.address, password="wrong")  # noqa: S106 - that is the test
    with pytest.raises(StoreError, match=r"refuses user .*; set NEO4J_USERNAME and NEO4J_PASSWORD") as seen:
        connect(address).__enter__()
    assert not seen.value.retryable


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    uri = f"bolt://127.0.0.1:{free_port()}"
    with pytest.raises(
        StoreError, match=f"cannot reach the graph at {uri} .*; start the server, or check its Bolt port"
    ) as seen:
        open_store(tmp_path, Address(uri, password="x")).__enter__()  # noqa: S106 - no server
    assert seen.value.retryable
    assert list(tmp_path.iterdir()) == []


def test_an_address_that_cannot_be_used(tmp_path: Path) -> None:
    for uri in ["localhost:7687", "http://localhost:7474", "nonsense", "bolt://host:port", "bolt://host:99999"]:
        with pytest.raises(
            ConfigError, match=r"the graph's address .* cannot be used .*; write one such as neo4j://host:7687"
        ):
            open_store(tmp_path, Address(uri)).__enter__()


def test_the_embedded_engine_is_named_by_its_workspace_and_what_is_wrong_by_its_remedy(tmp_path: Path) -> None:
    password = "".join(reversed("1-tfel-eht-ot-rood"))
    place = Place(Address("bolt://127.0.0.1:7687", "root", password), tmp_path)
    for said, told in (
        ("Unknown function 'f'", "rejects the statement: Unknown function"),
        (f"no: {password}", "rejects the statement: no: [key]"),
        ("Cannot find record type '-2'", "is damaged: its files"),
        ("record is corrupted. Run CHECK DATABASE FIX", "restore a backup into a new workspace"),
        ("java.io.IOException: No space left on device", "the disk of the graph in"),
    ):
        error = exceptions.DatabaseError("x")
        error._neo4j_code, error._message = "Neo.DatabaseError.General.UnknownError", said
        with pytest.raises(StoreError, match=re.escape(f"the graph in '{tmp_path}'")) as seen, our_errors(place):
            raise error
        assert told in str(seen.value)
        assert "bolt://" not in str(seen.value)
