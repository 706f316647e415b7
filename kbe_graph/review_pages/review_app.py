"""The routes of the review pages: values in, escaped HTML out; decisions in, the next question out."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.explorer_pages import shown_picture
from kbe_graph.review_pages.decision import Outcome, decide, undo
from kbe_graph.review_pages.item_page import item_values
from kbe_graph.review_pages.listing import Listing, read_listing
from kbe_graph.review_pages.review_gallery import gallery_values
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.study.item_form import KEYS, PACKAGE
from kbe_graph.web.access import GUEST
from kbe_graph.web.pages import in_thread, page_link, page_templates, pairs_of

KEYS_HERE = KEYS | {"g": "gallery"}
TONES = {
    "open": "",
    "approved": "good",
    "revised": "good",
    "rejected": "bad",
    "disputed": "doubt",
    "stale": "doubt",
}
KEPT = {"cache-control": "private, max-age=3600"}  # only pictures; pages that a decision changes are not cached
Pairs = Sequence[tuple[str, str]]
Endpoint = Callable[[Request], Awaitable[Response]]


class ReviewRequest(NamedTuple):
    """A reviewer's request: its fields, its list, and whether a script sent it."""

    reviewer: str
    pairs: Pairs
    listing: Listing
    by_script: bool

    @property
    def given(self) -> Mapping[str, str]:
        """The fields as a mapping; the last value of each name wins."""
        return dict(self.pairs)


def review_app(queue: ReviewQueue) -> Starlette:
    """Build the web app of a queue, without access control."""
    pages = ReviewPages(queue)

    def tell(request: Request, error: Exception) -> Response:
        status = 404 if isinstance(error, InputError) and request.method == "GET" else 400
        if "json" in request.headers.get("accept", ""):
            return JSONResponse({"error": str(error)}, status)
        return pages.page("error.html", _reviewer(request), Listing(), {"page": "error", "message": str(error)}, status)

    routes = [
        Route("/", _endpoint(pages.gallery), methods=["GET"]),
        Route("/item", _endpoint(pages.item), methods=["GET"]),
        Route("/next", _endpoint(pages.following), methods=["GET"]),
        Route("/decide", _endpoint(pages.decided), methods=["POST"]),
        Route("/undo", _endpoint(pages.undone), methods=["POST"]),
        Route("/pick", _endpoint(pages.picked), methods=["POST"]),
        Route("/picture", _endpoint(pages.picture), methods=["GET"]),
        Mount("/static", StaticFiles(packages=[("kbe_graph.review_pages", "static")])),
        Mount("/form", StaticFiles(packages=[(PACKAGE, "static")])),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: tell})


def _endpoint(answer: Callable[[ReviewRequest], Response]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        is_post = request.method == "POST"
        pairs = await pairs_of(request) if is_post else request.query_params.multi_items()
        listing = read_listing(dict(pairs), "list-" if is_post else "")
        by_script = "json" in request.headers.get("accept", "")
        return await in_thread(answer, ReviewRequest(_reviewer(request), pairs, listing, by_script))

    return endpoint


def _reviewer(request: Request) -> str:
    return str(request.scope[GUEST])


class ReviewPages:
    """The handlers of reviewers' requests to one queue."""

    def __init__(self, queue: ReviewQueue) -> None:
        self._queue = queue
        self._environment = page_templates("kbe_graph.review_pages", PACKAGE)
        self._environment.globals |= {"link": page_link, "tones": TONES, "keys": KEYS_HERE}

    def page(
        self, template: str, reviewer: str, listing: Listing, values: Mapping[str, Any], status: int = 200
    ) -> Response:
        """Render a whole page."""
        return HTMLResponse(self._render(template, reviewer, listing, values), status)

    def _render(self, template: str, reviewer: str, listing: Listing, values: Mapping[str, Any]) -> str:
        own: dict[str, Any] = {"reviewer": reviewer, "listing": listing.values, "queue_name": self._queue.scope.title}
        if not template.endswith("_body.html"):
            own["progress"] = self._queue.progress(reviewer)
        return self._environment.get_template(template).render(own | dict(values))

    def gallery(self, asked: ReviewRequest) -> Response:
        """Show the gallery."""
        with self._queue.work():
            values = gallery_values(self._queue, asked.reviewer, asked.listing, asked.given)
            return self.page("gallery.html", asked.reviewer, asked.listing, values)

    def item(self, asked: ReviewRequest) -> Response:
        """Show a question in its newest version."""
        return self._show(asked, asked.given.get("id", ""))

    def following(self, asked: ReviewRequest) -> Response:
        """Claim and show the next question that waits for the reviewer."""
        with self._queue.work():
            id_ = self._queue.next_of(asked.listing, asked.reviewer, after=asked.given.get("after", ""))
            if id_:
                self._queue.claim(id_, asked.reviewer)
        return self._show(asked, id_) if asked.by_script or not id_ else _to_item(id_, asked.listing)

    def decided(self, asked: ReviewRequest) -> Response:
        """Save a decision, then show the next question, or the objection."""
        with self._queue.work():
            return self._answer(asked, decide(self._queue, asked.reviewer, asked.pairs, asked.listing))

    def undone(self, asked: ReviewRequest) -> Response:
        """Undo the reviewer's last decision, and show its question."""
        with self._queue.work():
            return self._answer(asked, undo(self._queue, asked.reviewer))

    def picked(self, asked: ReviewRequest) -> Response:
        """Save the reviewer's first answer, and show the key."""
        given = asked.given
        with self._queue.work():
            id_ = self._queue.item(given.get("id", "")).question.id
            self._queue.keep_pick(id_, asked.reviewer, "" if given.get("none") else given.get("pick", "").strip()[:500])
        return self._show(asked, id_)

    def _answer(self, asked: ReviewRequest, outcome: Outcome) -> Response:
        if outcome.warning and asked.by_script:
            return JSONResponse({"asking": outcome.warning}, 409)
        if outcome.warning:
            raise InputError(outcome.warning)
        if asked.by_script:
            return self._show(asked, outcome.shown, outcome.line)
        return _to_item(outcome.shown, asked.listing) if outcome.shown else RedirectResponse("/next", 303)

    def _show(self, asked: ReviewRequest, id_: str | None, line: str = "") -> Response:
        queue, listing = self._queue, asked.listing
        with queue.work():
            id_ = id_ and (queue.newest(id_) or id_)
            values = item_values(queue, id_, asked.reviewer, listing) if id_ else {"title": "All done", "page": "done"}
            name = "item" if id_ else "done"
            if not asked.by_script:
                return self.page(f"{name}.html", asked.reviewer, listing, values)
            page = {
                "html": self._render(f"{name}_body.html", asked.reviewer, listing, values),
                "progress": self._render("progress.html", asked.reviewer, listing, {}),
                "address": page_link("item", id=id_, **listing.values) if id_ else page_link("next", **listing.values),
                "title": f"{values['title']} – kbe review",
                "page": values["page"],
                "told": line,
                "coming": self._coming(asked, id_),
            }
        return JSONResponse(page)

    def _coming(self, asked: ReviewRequest, id_: str | None) -> str:
        coming = self._queue.next_of(asked.listing, asked.reviewer, after=id_) if id_ else None
        return page_link("picture", sample=self._queue.card(coming).sample, size="page") if coming else ""

    def picture(self, asked: ReviewRequest) -> Response:
        """Send a picture of a sample in the queue."""
        pictures = self._queue.pictures(asked.given.get("sample", ""))
        content, kind = shown_picture(pictures, asked.given)
        return Response(content, media_type=kind, headers=KEPT)


def _to_item(id_: str, listing: Listing) -> Response:
    return RedirectResponse(page_link("item", id=id_, **listing.values), 303)
