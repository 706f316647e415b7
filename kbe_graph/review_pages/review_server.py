"""The server of the review pages, with a personal link for each reviewer."""

import getpass
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kbe_graph.review.release_set import read_release
from kbe_graph.review.state import Overlap
from kbe_graph.review_pages.review_app import review_app
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.review_pages.review_scope import ReviewScope
from kbe_graph.types import RAW
from kbe_graph.web.access import AccessControl, origin_of
from kbe_graph.web.page_server import listen, run_server, warn_if_open
from kbe_graph.workspace.workspace import Workspace

COMMAND = "kbe review"


def serve_review(
    work: Workspace,
    *,
    ready: Callable[[Mapping[str, str]], None],
    run: str | None = None,
    incomplete: bool = False,
    benchmark: str | None = None,
    release: Path | None = None,
    reviewers: Sequence[str] = (),
    overlap: float = 0.0,
    seed: int = 0,
    blind: bool = False,
    host: str = "127.0.0.1",
    port: int = 0,
    public: str = "",
) -> None:
    """Serve the pages of a review; ``ready`` receives the address of each reviewer, by name.

    The questions are those of a run, chosen as in ``Workspace.export``, the raw ones of a benchmark, or those in an
    exported ``release``; ``overlap`` is the share that two reviewers review. An address can be opened repeatedly until
    the server stops. ``public`` is the address of a TLS proxy in front of the server. Warns (KbeWarning) if other
    machines can reach the pages. Raises ConfigError if the host or the port is not available, StoreError, DatasetError,
    and InputError if there is nothing to review.
    """
    beginning = origin_of(public) if public else ""
    name = work.review.choose_run(run, incomplete=incomplete, benchmark=benchmark, release=release)
    released = None if release is None else read_release(release)
    names = tuple(reviewers) or (_user(),)
    scope = ReviewScope(name or RAW, benchmark or "", names, Overlap(overlap, seed), blind, released)
    with listen(host, port) as place:
        tokens = {secrets.token_urlsafe(24): reviewer for reviewer in scope.reviewers}
        app = AccessControl(
            review_app(ReviewQueue(work, scope)),
            port=place.port,
            guests=tokens,
            command=COMMAND,
            hosts=place.hosts,
            public=public,
            again=True,
        )
        warn_if_open(place)
        ready({reviewer: f"{beginning or place.address}/?token={token}" for token, reviewer in tokens.items()})
        run_server(app, place)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "reviewer"
