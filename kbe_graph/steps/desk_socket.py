"""A desk for other processes of this machine: they send requests through a socket, and this process asks the model.

A message is pickled, and stands behind its length in four bytes: ``(number, method, arguments)``, then ``(number,
outcome)``. The socket lies in a folder that nobody but the user may enter.
"""

import asyncio
import pickle
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import ModelError
from kbe_graph.files.whole import temporary_folder
from kbe_graph.steps.call_desk import Desk

LENGTH = 4  # bytes that tell how long a message is
HAS_SOCKETS = hasattr(asyncio, "start_unix_server")  # not on Windows
GONE = "the process that asks the model is gone; run the same command again"


@contextmanager
def desk_place() -> Iterator[Path]:
    """Give where a socket may be made; it is gone at the end."""
    with temporary_folder("kbe-desk") as folder:
        yield folder / "desk"


@asynccontextmanager
async def serving(desk: Desk, place: Path) -> AsyncIterator[None]:
    """Let other processes use the desk by a socket at this place; those who still wait at the end are told so."""
    writers: set[asyncio.StreamWriter] = set()
    is_over = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Do what another process asks for, until it ends."""
        if is_over:
            writer.close()
            return
        writers.add(writer)
        doing: set[asyncio.Task[None]] = set()
        try:
            while message := await _read(reader):
                task = asyncio.create_task(answer(writer, *message))
                doing.add(task)
                task.add_done_callback(doing.discard)
        finally:
            for task in doing:
                task.cancel()
            writer.close()
            writers.discard(writer)

    async def answer(writer: asyncio.StreamWriter, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        """Send the outcome of a method of the desk."""
        try:
            outcome = await getattr(desk, method)(*arguments)
        except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
            outcome = error
        _write(writer, (number, outcome))

    server = await asyncio.start_unix_server(serve, place)
    try:
        yield
    finally:
        is_over = True
        server.close()
        for writer in tuple(writers):
            writer.close()


class SocketDesk:
    """A desk at the other end of a socket, for one event loop; it connects when it is asked first."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._wire: asyncio.Task[_Wire] | None = None
        self.ask, self.accept, self.refuse = (_Method(self, name) for name in ("ask", "accept", "refuse"))

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to the process that will ask."""
        return SocketDesk, (self._place,)

    async def call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Return what a method of the desk gives, or raise what it raises; raises ModelError where it is gone."""
        self._wire = self._wire or asyncio.create_task(_open_wire(self._place))
        return await (await asyncio.shield(self._wire)).outcome(method, arguments)


class _Method(NamedTuple):
    """A method of a desk."""

    desk: SocketDesk
    name: str

    async def remote(self, *arguments: object) -> Any:
        """Call it."""
        return await self.desk.call(self.name, arguments)


@dataclass(eq=False)
class _Wire:
    """A connection, and who waits for what at this end of it."""

    writer: asyncio.StreamWriter
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    listening: asyncio.Task[None] | None = None

    async def outcome(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Send a message, and return what comes back."""
        if self.writer.is_closing():
            raise ModelError(GONE)
        number = next(self.numbers)
        future = self.waiting[number] = asyncio.get_running_loop().create_future()
        _write(self.writer, (number, method, arguments))
        try:
            return await future
        finally:
            self.waiting.pop(number, None)

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Hand what comes back to those who wait, until nothing comes any more."""
        try:
            while message := await _read(reader):
                number, outcome = message
                future = self.waiting.get(number)
                if future is None or future.done():
                    continue  # whoever asked waits no longer
                if isinstance(outcome, Exception):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)
        finally:
            self.writer.close()
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(ModelError(GONE))


async def _open_wire(place: Path) -> _Wire:
    try:
        reader, writer = await asyncio.open_unix_connection(place)
    except OSError:
        raise ModelError(GONE) from None
    wire = _Wire(writer)
    wire.listening = asyncio.create_task(wire.listen(reader))
    return wire


async def _read(reader: asyncio.StreamReader) -> Any:
    """Return the next message, None where there is none any more."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH), "big")
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - of this user's own processes
    except (asyncio.IncompleteReadError, OSError):
        return None


def _write(writer: asyncio.StreamWriter, message: object) -> None:
    if writer.is_closing():
        return
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    writer.write(len(content).to_bytes(LENGTH, "big") + content)
