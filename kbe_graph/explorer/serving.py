"""Server of the explorer's pages for one browser."""

import secrets
from collections.abc import Callable

from kbe_graph.explorer.explorer import Explorer
from kbe_graph.explorer.web_app import web_app
from kbe_graph.web.access import AccessControl
from kbe_graph.web.page_server import listen, run_server, warn_if_open
from kbe_graph.workspace.workspace import Workspace


def serve(work: Workspace, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a workspace; ``ready`` receives the address, whose token works once.

    ``port`` 0 chooses a free one. Warns (KbeWarning) if other machines can reach the pages. Raises ConfigError if the
    host or port is unavailable, and StoreError.
    """
    with listen(host, port) as place:
        token = secrets.token_urlsafe(24)
        explorer = Explorer(work)
        app = AccessControl(
            web_app(explorer), port=place.port, guests={token: "guest"}, command="kbe explore", hosts=place.hosts
        )
        warn_if_open(place)
        ready(f"{place.address}/?token={token}")
        run_server(app, place, end=explorer.end)
