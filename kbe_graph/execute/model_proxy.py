"""One process asks the models for many: it holds the pace, the budget and the kept calls.

A worker sends requests through a channel and reads the replies itself; one that it cannot read goes back, and is asked
for again. On one machine the channel is a socket in a folder that nobody but the user may enter. A message is pickled,
behind its length in four bytes: ``(number, method, arguments)``, then ``(number, outcome)``.
"""

import asyncio
import pickle
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from kbe_graph.errors import KbeError, ModelError
from kbe_graph.files.whole import temporary_folder
from kbe_graph.folder import open_folder
from kbe_graph.models import DirectModel
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.paid_call import check_reply
from kbe_graph.models.request import Check, Reply, Request
from kbe_graph.steps.session import open_budget, open_session

LENGTH = 4  # bytes that tell how long a message is
HAS_SOCKETS = hasattr(asyncio, "start_unix_server")  # not on Windows
GONE = "the process that calls the model has ended; run the same command again"


class SharedModel:
    """Asks a model for other processes; an error is returned, not raised, so that it travels as a reply does."""

    def __init__(self, model: DirectModel) -> None:
        self._model = model

    async def ask(self, request: Request) -> Reply | KbeError:
        """Return a whole reply, or the error that ``Model.ask`` raises."""
        try:
            return await self._model.ask_for(request)
        except KbeError as error:
            return error

    async def accept(self, step: str) -> None:
        """Note that a reply could be read."""
        self._model.accept(step)

    async def refuse(self, reply: Reply, step: str, kind: str, reason: str) -> bool | KbeError:
        """Keep apart a reply that could not be read; return whether to ask for it again, or the error to stop with."""
        try:
            return await self._model.refuse(reply, step, CallFailed(kind, reason))
        except KbeError as error:
            return error


class ModelActor(SharedModel):
    """Asks the models of the workspace in ``folder``, as ``open_session`` opens it, for processes without a workspace.

    ``dollars`` and ``calls`` are the most that may be spent and asked by all of them together.
    """

    def __init__(
        self,
        folder: Path,
        flags: Mapping[str, Any],
        *,
        images: Sequence[Path] = (),
        dollars: float | None = None,
        calls: int | None = None,
    ) -> None:
        self._stack = ExitStack()
        opened = open_folder(folder)
        budget = self._stack.enter_context(open_budget(opened, dollars=dollars, calls=calls))
        session = self._stack.enter_context(open_session(opened, flags=flags, images=images))
        super().__init__(DirectModel(session.book, session.calls, images=session.pictures, budget=budget))

    async def progress(self) -> CallProgress:
        """Return the calls made and the dollars spent so far."""
        return self._model.progress

    async def close(self) -> None:
        """Wait for the calls that are out, and close the call store."""
        await self._model.close()
        self._stack.close()


class Channel(Protocol):
    """Leads to a shared model in another process: by a socket, or to an actor of a cluster."""

    async def call(self, method: str, *arguments: object) -> Any:
        """Return the result of a method of the shared model."""


class ProxyModel:
    """A model that is asked through a channel; see ``Model``."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply that the check passes."""
        while True:
            reply: Reply | KbeError = await self._channel.call("ask", request)
            if isinstance(reply, KbeError):
                raise reply
            try:
                check_reply(check, reply, b"")
            except CallFailed as failed:
                again = await self._channel.call("refuse", reply, request.step, failed.fault.kind, failed.message)
                if isinstance(again, KbeError):
                    raise again from None
                if again:
                    continue
                raise failed.error(model=reply.model, url="the endpoint", step=request.step) from None
            await self._channel.call("accept", request.step)
            return reply


@contextmanager
def socket_place() -> Iterator[Path]:
    """Give a path at which a socket may be made; it is gone at the end."""
    with temporary_folder("kbe-model") as folder:
        yield folder / "socket"


@asynccontextmanager
async def serving_model(shared: SharedModel, place: Path) -> AsyncIterator[None]:
    """Let other processes ask by a socket at this place; at the end those who still wait get an error."""
    writers: set[asyncio.StreamWriter] = set()
    is_over = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve the requests of another process, until it ends."""
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
        """Send the outcome of a method of the shared model."""
        try:
            outcome = await getattr(shared, method)(*arguments)
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


class SocketChannel:
    """Leads to the shared model at the other end of a socket, for one event loop; it connects at its first call."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._wire: asyncio.Task[_Wire] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to the process that will ask."""
        return SocketChannel, (self._place,)

    async def call(self, method: str, *arguments: object) -> Any:
        """Return the result of a method of the shared model; raises its errors, and ModelError if it is gone."""
        self._wire = self._wire or asyncio.create_task(_open_wire(self._place))
        return await (await asyncio.shield(self._wire)).outcome(method, arguments)


@dataclass(eq=False)
class _Wire:
    """A connection, and those who wait for replies at this end of it."""

    writer: asyncio.StreamWriter
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    listening: asyncio.Task[None] | None = None

    async def outcome(self, method: str, arguments: tuple[object, ...]) -> Any:
        """Send a message, and return the reply."""
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
        """Hand replies to those who wait, until no more come."""
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
    """Return the next message, None after the last."""
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
