"""Serves the pages of a review to its reviewers, each by a link of their own."""

import secrets
from collections.abc import Callable, Mapping

from kbe_graph.review_pages.review_app import review_app
from kbe_graph.review_pages.review_queue import ReviewQueue, ReviewScope
from kbe_graph.web.access import AccessControl, origin_of
from kbe_graph.web.page_server import listen, run_server, warn_if_open
from kbe_graph.workspace.workspace import Workspace


def serve_review(
    work: Workspace,
    scope: ReviewScope,
    *,
    host: str,
    port: int,
    ready: Callable[[Mapping[str, str]], None],
    public: str = "",
) -> None:
    """Serve the pages of a review; ``ready`` gets the address of each reviewer, by name.

    An address serves as often as it is opened until the server ends. ``public`` is the address of a proxy with TLS
    before the server. Warns (KbeWarning) if other machines can reach the pages. Raises ConfigError if the host or the
    port is not available, StoreError, and InputError if there is nothing to review.
    """
    beginning = origin_of(public) if public else ""
    with listen(host, port) as place:
        tokens = {secrets.token_urlsafe(24): name for name in scope.reviewers}
        app = AccessControl(
            review_app(ReviewQueue(work, scope)),
            port=place.port,
            guests=tokens,
            command="kbe review",
            hosts=place.hosts,
            public=public,
            again=True,
        )
        warn_if_open(place)
        ready({name: f"{beginning or place.address}/?token={token}" for token, name in tokens.items()})
        run_server(app, place)
