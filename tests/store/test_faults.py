"""What a user is told when the graph cannot be used: each error ours, with a way out."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from engines import Engine
from neo4j import exceptions

from kbe_graph.errors import ConfigError, StoreError
from kbe_graph.store import Address, open_store
from kbe_graph.store.address import Place
from kbe_graph.store.connect import connect
from kbe_graph.store.engine import LOG
from kbe_graph.store.engine_process import free_port
from kbe_graph.store.faults import our_errors

HERE = Path("unused")


class Wire:
    """A port that passes everything on to another one, until it is cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while said := one.recv(65536):
                other.sendall(said)

    def cut(self) -> None:
        """End every connection, and take no new one."""
        for end in (self._door, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def web_server() -> Iterator[int]:
    """A port where something answers that is no graph."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def quoting_server() -> Iterator[int]:
    """A port where a graph refuses each login in its own words, which quote it (Bolt 5.4)."""
    door = socket.create_server(("127.0.0.1", 0))

    def refuse() -> None:
        """Refuse one client."""
        client, _ = door.accept()
        with client:
            client.recv(20)
            client.sendall(b"\0\0\4\5")
            login = b""
            while b"credentials" not in login:
                login += client.recv(4096)
            words = b"no: " + login[-60:].decode("ascii", "replace").replace("\n", " ").encode("ascii", "replace")
            greeting = b"\xb1\x70\xa2\x86server\x8bNeo4j/5.4.0\x8dconnection_id\x81x"
            failure = b"\xb1\x7f\xa2\x84code\xd0\x22Neo.ClientError.Security.Forbidden\x87message\xd0%c%b"
            for said in (greeting, failure % (len(words), words)):
                client.sendall(len(said).to_bytes(2, "big") + said + b"\0\0")
            client.recv(4096)

    thread = threading.Thread(target=refuse, daemon=True)
    thread.start()
    with door:
        yield door.getsockname()[1]
    thread.join(5)


def port_of(address: Address) -> int:
    return int(address.uri.rsplit(":", 1)[1])


def test_a_wrong_password_names_the_settings(engine: Engine) -> None:
    address = replace(engine.address, password="wrong")  # noqa: S106 - that is the test
    with pytest.raises(StoreError, match=r"refuses user .*; set NEO4J_USERNAME and NEO4J_PASSWORD") as seen:
        connect(address).__enter__()
    assert not seen.value.retryable


def test_an_unknown_database_names_the_setting(engine: Engine) -> None:
    address = replace(engine.address, database="nowhere")
    with pytest.raises(StoreError, match=r"no database 'nowhere'; set NEO4J_DATABASE"):
        open_store(HERE, address).__enter__()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    uri = f"bolt://127.0.0.1:{free_port()}"
    with pytest.raises(
        StoreError, match=f"cannot reach the graph at {uri} .*; start the server, or check its Bolt port"
    ) as seen:
        open_store(tmp_path, Address(uri, password="x")).__enter__()  # noqa: S106 - no server
    assert seen.value.retryable
    assert list(tmp_path.iterdir()) == []


def test_something_that_is_no_graph() -> None:
    with web_server() as port, pytest.raises(StoreError, match=r"start the server, or check its Bolt port"):
        connect(Address(f"bolt://127.0.0.1:{port}"), patience=1).__enter__()


def test_an_address_that_cannot_be_used(tmp_path: Path) -> None:
    for uri in ["localhost:7687", "http://localhost:7474", "nonsense", "bolt://host:port", "bolt://host:99999"]:
        with pytest.raises(
            ConfigError, match=r"the graph's address .* cannot be used .*; write one such as neo4j://host:7687"
        ):
            open_store(tmp_path, Address(uri)).__enter__()


def test_a_server_that_goes_away_in_the_middle(engine: Engine) -> None:
    wire = Wire(port_of(engine.address))
    address = replace(engine.address, uri=f"bolt://127.0.0.1:{wire.port}")
    with connect(address, patience=2) as connection:
        assert connection.read_text("RETURN 1 AS one") == [{"one": 1}]
        wire.cut()
        with pytest.raises(
            StoreError, match=r"start the server, .*; then run the same command again to continue"
        ) as seen:
            connection.read_text("RETURN 1 AS one")
    assert seen.value.retryable


def test_a_password_that_the_server_quotes_is_hidden() -> None:
    password = "".join(reversed("1-tfel-eht-ot-rood"))
    with quoting_server() as port:
        address = Address(f"bolt://127.0.0.1:{port}", "neo4j", password)
        with pytest.raises(StoreError, match=r"do this .*\[key\]") as seen:
            connect(address, patience=2).__enter__()
    assert password not in str(seen.value)


def test_the_embedded_engine_is_named_by_its_workspace_and_a_damaged_file_by_its_remedy(tmp_path: Path) -> None:
    place = Place(Address("bolt://127.0.0.1:7687", "root"), tmp_path / "W" / ".kbe")
    for said, told in (
        (
            "Unknown function 'f'",
            f"the graph in '{tmp_path}/W' rejects the statement: Unknown function",
        ),
        ("no luck", f"the graph in '{tmp_path}/W' rejects the statement: no luck"),
        ("Cannot find record type '-2'", f"the graph in '{tmp_path}/W' is damaged: its files"),
        ("record is corrupted. Run CHECK DATABASE FIX", f"the graph in '{tmp_path}/W' is damaged: its files"),
    ):
        error = exceptions.DatabaseError("x")
        error._neo4j_code, error._message = "Neo.DatabaseError.General.UnknownError", said
        with pytest.raises(StoreError) as seen, our_errors(place):
            raise error
        assert told in str(seen.value)
        assert "bolt://" not in str(seen.value)
    assert "restore a backup into a new workspace" in str(seen.value)


def test_a_full_disk_that_only_the_log_names_is_told(tmp_path: Path) -> None:
    place = Place(Address("bolt://127.0.0.1:7687", "root"), tmp_path)
    error = exceptions.ClientError("x")
    error._neo4j_code, error._message = "Neo.ClientError.Transaction.TransactionCommitFailed", "Transaction error"
    with pytest.raises(StoreError, match="rejects the statement: Transaction error"), our_errors(place):
        raise error
    (tmp_path / LOG).write_text("SEVER java.io.IOException: No space left on device\n", encoding="utf-8")
    with pytest.raises(StoreError, match=r"the disk of the graph in .* is full; make room"), our_errors(place):
        raise error
