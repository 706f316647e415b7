"""Parts of the work that several clients share: who holds each part, and its content."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.row_check import Row


class PartState(NamedTuple):
    """A part that was started: the client that holds it (or an empty string), and the seconds since its last heartbeat.

    If the server's clock was set back since then, the seconds are the distance to that later time.

    ``shards`` is the number of shards of its work.
    """

    client: str
    heard: float
    done: bool
    shards: int


class PartPlace(NamedTuple):
    """A part: its id, its work and stage, and the number of shards of the work."""

    id: str
    work: str
    stage: str
    shards: int


@dataclass(frozen=True, slots=True)
class StoredParts:
    """The shared parts in a graph. Times are the server's, so clients' clocks do not matter."""

    connection: Connection

    def states(self, work: str, stage: str) -> dict[str, PartState]:
        """Return the parts of a stage that were started, by id."""
        rows = self.connection.read("parts", work=work, stage=stage)
        return {
            row["id"]: PartState(row["client"], abs(row["heard"]) / 1000, row["done"], row["shards"]) for row in rows
        }

    def has_any(self, work: str) -> bool:
        """Return True if any part of ``work`` was started."""
        return bool(self.connection.read("count_parts", work=work)[0]["count"])

    def claim(self, place: PartPlace, client: str, *, lease: float) -> bool:
        """Claim a part for a client; return False if it is done, or held by a client that renewed within the lease."""
        return self.connection.write(partial(_claim, place=place, client=client, lease=int(lease * 1000)))

    def renew(self, ids: Sequence[str], client: str) -> None:
        """Renew a client's claims on its parts."""
        self.connection.write(lambda transaction: transaction.run("renew_parts", ids=list(ids), client=client))

    def finish(self, id_: str, client: str, content: bytes) -> bool:
        """Store the content of a part and mark it done; return False if the client has lost it to another."""
        values = {"id": id_, "client": client, "content": b64encode(zlib.compress(content, 1)).decode()}
        return bool(self.connection.write(lambda transaction: transaction.run("finish_part", **values)))

    def release(self, ids: Sequence[str], client: str) -> None:
        """Release claims on unfinished parts."""
        self.connection.write(lambda transaction: transaction.run("release_parts", ids=list(ids), client=client))

    def content(self, id_: str) -> bytes | None:
        """Read the content of a finished part: empty if it was deleted, None if the part does not exist."""
        for row in self.connection.read("part_content", id=id_):
            return zlib.decompress(b64decode(row["content"])) if row["content"] else b""
        return None

    def take(self, others: "StoredParts") -> None:
        """Copy the finished parts of another graph."""
        for row in others.connection.read("done_parts"):
            properties = {"client": "", "heard": 0, "done": True, **row}
            part = {"id": properties.pop("id"), "properties": properties}
            self.connection.write(partial(_save, parts=[part]))

    def forget_contents(self, work: str, stage: str) -> None:
        """Delete the contents of the parts of a stage, but not the parts."""
        self.connection.write(lambda transaction: transaction.run("forget_contents", work=work, stage=stage))

    def forget(self, *works: str) -> None:
        """Delete all parts of ``works``."""
        self.connection.write(lambda transaction: transaction.run("forget_parts", works=list(works)))


def forget_explored(transaction: Transaction) -> None:
    """Delete the parts of runs, which depend on graphs that are changing."""
    works = [row["work"] for row in transaction.run("shared_works")]
    transaction.run("forget_parts", works=[work for work in works if work.startswith(work_of_run(""))])


def work_of_run(run: str) -> str:
    """Return the name under which clients share the evolution of a run."""
    return f"evolve {run}"


def _save(transaction: Transaction, parts: list[Row]) -> None:
    transaction.save("save_parts", parts)


def _claim(transaction: Transaction, place: PartPlace, client: str, lease: int) -> bool:
    fresh = {"client": "", "heard": 0, "done": False, "content": ""}
    properties = {"work": place.work, "stage": place.stage, "shards": place.shards} | fresh
    _save(transaction, [{"id": place.id, "properties": properties}])
    return bool(transaction.run("claim_part", id=place.id, client=client, lease=lease))
