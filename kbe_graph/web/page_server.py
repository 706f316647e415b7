"""The web server, which listens at an address of this machine and limits its connections."""

import asyncio
import errno
import os
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from kbe_graph.errors import ConfigError, KbeWarning

CONNECTIONS = 100  # at the same time; a browser opens six
OPEN = "other machines can reach these pages at this machine's addresses; the connection is not encrypted"
OF_PORT = (errno.EADDRINUSE, errno.EACCES)


class ListeningPlace(NamedTuple):
    """A bound socket, with the host names and the port under which it is reached."""

    listener: socket.socket
    hosts: tuple[str, ...]
    port: int

    @property
    def address(self) -> str:
        """The address of the home page."""
        return f"http://{self.hosts[0]}:{self.port}"


@contextmanager
def listen(host: str, port: int) -> Iterator[ListeningPlace]:
    """Listen at a host and port, 0 for a free port; raises ConfigError if unavailable."""
    if not host:
        raise ConfigError(
            "the host is empty; leave `host` out to serve only this machine, or give 0.0.0.0 to serve others"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with_ipv4 = host == "::" and socket.has_dualstack_ipv6()
    try:
        listener = socket.create_server((host, port), family=family, dualstack_ipv6=with_ipv4)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else "there is no such name"
        option = "`port`" if number in OF_PORT else "`host`"
        raise ConfigError(f"cannot serve at {host!r} port {port}: {reason}; choose another {option}") from None
    with listener:
        bound, port = listener.getsockname()[:2]
        if ip_address(bound).is_unspecified:
            names: tuple[str, ...] = (socket.gethostname(), socket.getfqdn())
        else:
            names = (f"[{bound}]" if ":" in bound else bound, host)
        yield ListeningPlace(listener, names, port)


def warn_if_open(place: ListeningPlace) -> None:
    """Warn (KbeWarning) if other machines can reach the pages."""
    if not ip_address(place.listener.getsockname()[0]).is_loopback:
        warnings.warn(OPEN, KbeWarning, stacklevel=3)


def run_server(app: ASGIApp, place: ListeningPlace, *, end: Callable[[], None] = lambda: None) -> None:
    """Serve an application until interrupted; ``end`` then stops any running work."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http="h11",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=2,
    )
    PageServer(config, end).run(sockets=[place.listener])


class PageServer(uvicorn.Server):
    """A server that stops its work as soon as it is interrupted."""

    def __init__(self, config: uvicorn.Config, end: Callable[[], None]) -> None:
        super().__init__(config)
        self._end = end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop running work, then close the connections."""
        await asyncio.to_thread(self._end)
        await super().shutdown(sockets)
