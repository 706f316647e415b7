"""Parts of the work that several clients share: the holder of each, and its content."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.row_check import Row


class PartState(NamedTuple):
    """A part that was begun: the client that holds it, or nothing, and how many seconds away that was heard of.

    Those are seconds of the past, or of the future where the server's clock was set back since.

    ``shards`` is how many shards its work was cut into.
    """

    client: str
    heard: float
    done: bool
    shards: int


class PartPlace(NamedTuple):
    """The place of a part: its id, its work and stage, and the number of shards of the work."""

    id: str
    work: str
    stage: str
    shards: int


@dataclass(frozen=True, slots=True)
class StoredParts:
    """The parts in a graph. Time is the server's, so that the clocks of clients do not matter."""

    connection: Connection

    def states(self, work: str, stage: str) -> dict[str, PartState]:
        """Return the parts of a stage that were begun, by id."""
        rows = self.connection.read("parts", work=work, stage=stage)
        return {
            row["id"]: PartState(row["client"], abs(row["heard"]) / 1000, row["done"], row["shards"]) for row in rows
        }

    def has_any(self, work: str) -> bool:
        """Return True if parts of a work were begun."""
        return bool(self.connection.read("count_parts", work=work)[0]["count"])

    def claim(self, place: PartPlace, client: str, *, lease: float) -> bool:
        """Give a part to a client; return False where it is done, or held by one that was heard of within the lease."""
        return self.connection.write(partial(_claim, place=place, client=client, lease=int(lease * 1000)))

    def renew(self, ids: Sequence[str], client: str) -> None:
        """Note that a client is still at work on its parts."""
        self.connection.write(lambda transaction: transaction.run("renew_parts", ids=list(ids), client=client))

    def finish(self, id_: str, client: str, content: bytes) -> bool:
        """Keep the content of a part; return False if the client lost it to another."""
        values = {"id": id_, "client": client, "content": b64encode(zlib.compress(content, 1)).decode()}
        return bool(self.connection.write(lambda transaction: transaction.run("finish_part", **values)))

    def release(self, ids: Sequence[str], client: str) -> None:
        """Give parts back that are not done."""
        self.connection.write(lambda transaction: transaction.run("release_parts", ids=list(ids), client=client))

    def content(self, id_: str) -> bytes | None:
        """Read the content of a part that is done: empty where it was taken out, None where the part is gone."""
        for row in self.connection.read("part_content", id=id_):
            return zlib.decompress(b64decode(row["content"])) if row["content"] else b""
        return None

    def take(self, others: "StoredParts") -> None:
        """Take in the done parts of another graph."""
        for row in others.connection.read("done_parts"):
            properties = {"client": "", "heard": 0, "done": True, **row}
            part = {"id": properties.pop("id"), "properties": properties}
            self.connection.write(partial(_save, parts=[part]))

    def forget_contents(self, work: str, stage: str) -> None:
        """Take the content of the parts of a stage out."""
        self.connection.write(lambda transaction: transaction.run("forget_contents", work=work, stage=stage))

    def forget(self, *works: str) -> None:
        """Take the parts of works out."""
        self.connection.write(lambda transaction: transaction.run("forget_parts", works=list(works)))


def forget_explored(transaction: Transaction) -> None:
    """Take out the parts of runs, which rest on graphs that change."""
    works = [row["work"] for row in transaction.run("shared_works")]
    transaction.run("forget_parts", works=[work for work in works if work.startswith(work_of_run(""))])


def work_of_run(run: str) -> str:
    """Return the name of the work of evolving a run."""
    return f"evolve {run}"


def _save(transaction: Transaction, parts: list[Row]) -> None:
    transaction.save("save_parts", parts)


def _claim(transaction: Transaction, place: PartPlace, client: str, lease: int) -> bool:
    """Hold the part first, then look at it: so no other client changes it in between."""
    fresh = {"client": "", "heard": 0, "done": False, "content": ""}
    properties = {"work": place.work, "stage": place.stage, "shards": place.shards} | fresh
    _save(transaction, [{"id": place.id, "properties": properties}])
    return bool(transaction.run("claim_part", id=place.id, client=client, lease=lease))
