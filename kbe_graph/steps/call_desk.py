"""One place that asks models for many workers: it holds the pace, the budget and the kept calls.

A worker sends requests and reads the replies itself; one that it cannot read goes back, and is asked for again.
"""

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from kbe_graph.errors import KbeError
from kbe_graph.folder import open_folder
from kbe_graph.models import DirectModel
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.paid_call import check_reply
from kbe_graph.models.request import Check, Reply, Request
from kbe_graph.steps.session import ModelSession, Work, open_budget, open_session


class Desk:
    """Asks a model for others; an error is given, not raised, so that it travels as a reply does."""

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


class CallDesk(Desk):
    """Asks the models of the workspace in ``folder``, as ``open_session`` opens it, for those who have no workspace.

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
        """Return what was asked and spent so far."""
        return self._model.progress

    async def close(self) -> None:
        """Wait for the calls that are out, and close the call store."""
        await self._model.close()
        self._stack.close()


class RemoteMethod(Protocol):
    """A method in another process."""

    def remote(self, *arguments: object) -> Awaitable[Any]:
        """Call it."""


class RemoteDesk(Protocol):
    """A desk that is in another process: an actor of a cluster, or at the other end of a socket."""

    @property
    def ask(self) -> RemoteMethod:
        """``Desk.ask``."""

    @property
    def accept(self) -> RemoteMethod:
        """``Desk.accept``."""

    @property
    def refuse(self) -> RemoteMethod:
        """``Desk.refuse``."""


class DeskModel:
    """Asks through a desk."""

    def __init__(self, desk: RemoteDesk) -> None:
        self._desk = desk

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a whole reply; see ``Model``."""
        while True:
            reply: Reply | KbeError = await self._desk.ask.remote(request)
            if isinstance(reply, KbeError):
                raise reply
            try:
                check_reply(check, reply, b"")
            except CallFailed as failed:
                again = await self._desk.refuse.remote(reply, request.step, failed.fault.kind, failed.message)
                if isinstance(again, KbeError):
                    raise again from None
                if again:
                    continue
                raise failed.error(model=reply.model, url="the endpoint", step=request.step) from None
            await self._desk.accept.remote(request.step)
            return reply


async def run_by_desk(session: ModelSession, work: Work, desk: RemoteDesk) -> None:
    """Do work whose calls a desk makes."""
    await work(session.asker(DeskModel(desk)))
