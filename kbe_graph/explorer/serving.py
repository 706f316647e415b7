"""Serves the pages of a workspace until it is interrupted."""

import asyncio
import errno
import os
import secrets
import socket
import warnings
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.explorer.access import AccessControl
from kbe_graph.explorer.explorer import Explorer
from kbe_graph.explorer.web_app import PATIENCE, web_app
from kbe_graph.workspace.workspace import Workspace

CONNECTIONS = 100  # at once: a browser opens six
OPEN = "other machines can reach these pages, by this machine's addresses as well; what is sent is not encrypted"
OF_PORT = (errno.EADDRINUSE, errno.EACCES)


def serve(work: Workspace, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a workspace; ``ready`` gets the address, whose token serves once.

    ``port`` 0 takes one that is free. Warns (KbeWarning) if other machines can reach the pages. Raises ConfigError
    if the host or the port is not available, and StoreError.
    """
    with _listen(host, port) as listener:
        bound, port = listener.getsockname()[:2]
        name = _name(host, bound)
        token = secrets.token_urlsafe(24)
        explorer = Explorer(work)
        app = AccessControl(web_app(explorer), port=port, token=token, hosts=(name, socket.getfqdn(name)))
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
        if not ip_address(bound).is_loopback:
            warnings.warn(OPEN, KbeWarning, stacklevel=2)
        ready(f"http://{name}:{port}/?token={token}")
        PageServer(config, explorer).run(sockets=[listener])


class PageServer(uvicorn.Server):
    """A server that ends running queries as soon as it is interrupted."""

    def __init__(self, config: uvicorn.Config, explorer: Explorer) -> None:
        super().__init__(config)
        self._explorer = explorer

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the running query, and answer all open requests."""
        await asyncio.to_thread(self._explorer.end)
        for task in self.server_state.tasks:
            task.cancel()
        await super().shutdown(sockets)


class PageConnection(H11Protocol):
    """A connection that is closed if it sends no whole request in time, or if there are too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.close()
        self.loop.call_later(PATIENCE, self._end_if_silent)

    def _end_if_silent(self) -> None:
        if not self.headers:  # of the last request
            self.transport.close()


def _listen(host: str, port: int) -> socket.socket:
    if not host:
        raise ConfigError(
            "the host is empty; leave `host=...` out for this machine alone, or give 0.0.0.0 for all others"
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
    option = "`port=...`" if number in OF_PORT else "`host=...`"
    return ConfigError(f"cannot serve at {host!r} port {port}: {reason}; choose another {option}")


def _name(host: str, bound: str) -> str:
    """Return the host for an address: its name, or the bound address for a number."""
    if ip_address(bound).is_unspecified:
        return socket.gethostname()
    with suppress(OSError):
        socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)  # 127.1 and 0x7f000001 are numbers too
        return f"[{bound}]" if ":" in bound else bound
    return host
