"""Model proxy: one process calls the models for many, and owns the rate limits, the budget and the call store.

A worker sends requests through a channel and parses the replies itself; a reply that it cannot parse is sent back, and
requested again. On one machine the channel is a socket in a folder that only the user can access. A message is pickled
and preceded by its length in four bytes: ``(number, method, arguments)``, then ``(number, outcome)``.
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
from kbe_graph.models.reply import CallFailed
from kbe_graph.models.request import Check, Reply, Request, checked
from kbe_graph.steps.session import open_budget, open_session

LENGTH = 4  # bytes of a message's length prefix
HAS_SOCKETS = hasattr(asyncio, "start_unix_server")  # not on Windows
GONE = "the process that calls the model has ended; run the same command again"


class SharedModel:
    """Model that serves other processes, returning errors instead of raising them so that they travel as replies."""

    def __init__(self, model: DirectModel) -> None:
        self._model = model

    async def ask(self, request: Request) -> Reply | KbeError:
        """Return a complete reply, or the error that ``Model.ask`` raises."""
        try:
            return await self._model.ask(request)
        except KbeError as error:
            return error

    async def refuse(self, request: Request, kind: str, reason: str) -> bool | KbeError:
        """Store an unusable reply as a failure; return whether to ask again, or the error to stop with."""
        try:
            return await self._model.refuse(request, CallFailed(kind, reason))
        except KbeError as error:
            return error


class ModelActor(SharedModel):
    """Model of the workspace in ``folder``, opened with ``open_session``, for processes without a workspace.

    ``dollars`` and ``calls`` limit all of these processes together.
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
        """Report the calls made and the dollars spent so far."""
        return self._model.progress

    async def close(self) -> None:
        """Wait for calls in flight, and close the call store."""
        await self._model.close()
        self._stack.close()


class Channel(Protocol):
    """Connection to a shared model in another process: a socket, or an actor of a cluster."""

    async def call(self, method: str, *arguments: object) -> Any:
        """Call a method of the shared model and return its result."""


class ProxyModel:
    """Model that is called through a channel; see ``Model``."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a complete reply that passes ``check``."""
        while True:
            reply: Reply | KbeError = await self._channel.call("ask", request)
            if isinstance(reply, KbeError):
                raise reply
            try:
                checked(check, reply, b"")
            except CallFailed as failed:
                again = await self._channel.call("refuse", request, failed.kind, failed.message)
                if isinstance(again, KbeError):
                    raise again from None
                if again:
                    continue
                raise failed.error(model=reply.model, url="the endpoint", step=request.step) from None
            return reply


@contextmanager
def socket_place() -> Iterator[Path]:
    """Yield a path for a socket, which is deleted at the end."""
    with temporary_folder("kbe-model") as folder:
        yield folder / "socket"


@asynccontextmanager
async def serving_model(shared: SharedModel, place: Path) -> AsyncIterator[None]:
    """Serve other processes through a socket at ``place``; at the end, those still waiting get an error."""
    writers: set[asyncio.StreamWriter] = set()
    is_over = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
        try:
            outcome = await getattr(shared, method)(*arguments)
        except Exception as error:  # noqa: BLE001 - raised in the calling process
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
    """Channel to the shared model at the other end of a socket, for one event loop; connects at the first call."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._wire: asyncio.Task[_Wire] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the connection, for the process that will use the channel."""
        return SocketChannel, (self._place,)

    async def call(self, method: str, *arguments: object) -> Any:
        """Call a method of the shared model; raises its errors, and ModelError if the model's process is gone."""
        self._wire = self._wire or asyncio.create_task(_open_wire(self._place))
        return await (await asyncio.shield(self._wire)).outcome(method, arguments)


@dataclass(eq=False)
class _Wire:
    """Connection with the callers waiting for replies at this end."""

    writer: asyncio.StreamWriter
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    listening: asyncio.Task[None] | None = None

    async def outcome(self, method: str, arguments: tuple[object, ...]) -> Any:
        """Send a message and return the reply."""
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
        """Deliver replies to the callers until no more arrive."""
        try:
            while message := await _read(reader):
                number, outcome = message
                future = self.waiting.get(number)
                if future is None or future.done():
                    continue  # the caller is no longer waiting
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
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH), "big")
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - sent by this user's own processes
    except (asyncio.IncompleteReadError, OSError):
        return None


def _write(writer: asyncio.StreamWriter, message: object) -> None:
    if writer.is_closing():
        return
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    writer.write(len(content).to_bytes(LENGTH, "big") + content)
