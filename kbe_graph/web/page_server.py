"""The web server, which listens at an address of this machine and limits its connections."""

import asyncio
import errno
import os
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.web.page_request import PATIENCE

CONNECTIONS = 100  # at the same time; a browser opens six
OPEN = "other machines can reach these pages at this machine's addresses; the connection is not encrypted"
OF_PORT = (errno.EADDRINUSE, errno.EACCES)


class ListeningPlace(NamedTuple):
    """A bound socket, with the name and port under which it is reached."""

    listener: socket.socket
    name: str
    port: int

    @property
    def address(self) -> str:
        """The address of the home page."""
        return f"http://{self.name}:{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names of this machine at that address."""
        return self.name, socket.getfqdn(self.name)

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach it."""
        return not ip_address(self.listener.getsockname()[0]).is_loopback


@contextmanager
def listen(host: str, port: int) -> Iterator[ListeningPlace]:
    """Listen at a host and port, 0 for a free port; raises ConfigError if unavailable."""
    with _bind(host, port) as listener:
        bound, port = listener.getsockname()[:2]
        yield ListeningPlace(listener, _name(host, bound), port)


def run_server(app: ASGIApp, place: ListeningPlace, *, end: Callable[[], None] = lambda: None) -> None:
    """Serve an application until interrupted; ``end`` then stops any running work."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http=PageConnection,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    PageServer(config, end).run(sockets=[place.listener])


def warn_if_open(place: ListeningPlace) -> None:
    """Warn (KbeWarning) if other machines can reach the pages."""
    if place.is_open:
        warnings.warn(OPEN, KbeWarning, stacklevel=3)


class PageServer(uvicorn.Server):
    """A server that stops its work as soon as it is interrupted."""

    def __init__(self, config: uvicorn.Config, end: Callable[[], None]) -> None:
        super().__init__(config)
        self._end = end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop running work, and cancel all open requests."""
        await asyncio.to_thread(self._end)
        for task in self.server_state.tasks:
            task.cancel()
        await super().shutdown(sockets)


class PageConnection(H11Protocol):
    """A connection that is closed if no complete request arrives in time, or if there are too many connections."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, unless there are too many, and start its timeout."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.close()
        self.loop.call_later(PATIENCE, self._end_if_silent)

    def _end_if_silent(self) -> None:
        if not self.headers:  # headers of the last request
            self.transport.close()


def _bind(host: str, port: int) -> socket.socket:
    if not host:
        raise ConfigError(
            "the host is empty; leave `host` out to serve only this machine, or give 0.0.0.0 to serve others"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with_ipv4 = host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=with_ipv4)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:
        raise _not_served(host, port, error) from None


def _not_served(host: str, port: int, error: Exception) -> ConfigError:
    number = getattr(error, "errno", None) or 0
    reason = os.strerror(number) if number > 0 else "there is no such name"
    option = "`port`" if number in OF_PORT else "`host`"
    return ConfigError(f"cannot serve at {host!r} port {port}: {reason}; choose another {option}")


def _name(host: str, bound: str) -> str:
    if ip_address(bound).is_unspecified:
        return socket.gethostname()
    with suppress(OSError):
        socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)  # 127.1 and 0x7f000001 are numeric too
        return f"[{bound}]" if ":" in bound else bound
    return host
