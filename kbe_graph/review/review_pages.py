"""The pages of ``kbe review``: values in, escaped HTML out; decisions in, the next question out; on this machine."""

import getpass
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph.errors import InputError, KbeError
from kbe_graph.files.image import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.review.item_form import KEYS, FormPicture
from kbe_graph.review.review_queue import ItemQueue, Listing, Outcome
from kbe_graph.web.access import GUEST, AccessControl, origin_of
from kbe_graph.web.page_server import listen, run_server, warn_if_open
from kbe_graph.web.pages import in_thread, number_of, page_link, page_templates, pairs_of

PART = 60  # questions on a page of the gallery
SIZES = {"small": Encoding(side=240, quality=70), "page": Encoding(side=1280, quality=85)}
TONES = {
    "approved": "good",
    "revised": "good",
    "rated": "good",
    "rejected": "bad",
    "disputed": "doubt",
    "stale": "doubt",
}
KEPT = {"cache-control": "private, max-age=3600"}  # only pictures; pages that a decision changes are not cached
Endpoint = Callable[[Request], Awaitable[Response]]


class ReviewRequest(NamedTuple):
    """A reviewer's request: its fields, its list, and whether a script sent it."""

    reviewer: str
    pairs: Sequence[tuple[str, str]]
    listing: Listing
    by_script: bool

    @property
    def given(self) -> Mapping[str, str]:
        """The fields as a mapping; the last value of each name wins."""
        return dict(self.pairs)


class ReviewPages:
    """The handlers of reviewers' requests to one queue; each is named by its address."""

    def __init__(self, queue: ItemQueue) -> None:
        self._queue = queue
        self._lines: dict[str, str] = {}  # what the next page of a reviewer says
        self._environment = page_templates("kbe_graph.review")
        self._environment.globals |= {"link": page_link, "tones": TONES, "keys": KEYS}

    def page(self, name: str, asked: ReviewRequest, status: int = 200, **values: Any) -> Response:
        """Render a page."""
        queue, reviewer = self._queue, asked.reviewer
        own: dict[str, Any] = {
            "page": name,
            "reviewer": reviewer,
            "listing": _values(asked.listing),
            "queue_name": queue.scope.title,
        }
        own |= {"progress": queue.progress(reviewer), "told": self._lines.pop(reviewer, "")}
        return HTMLResponse(self._environment.get_template(f"{name}.html").render(own | values), status)

    def gallery(self, asked: ReviewRequest) -> Response:
        """Show the gallery, in parts."""
        queue = self._queue
        cards = queue.listed(asked.listing)
        start = number_of(asked.given, "from", 0, most=max(len(cards) - 1, 0))
        shown = cards[start : start + PART]
        pictured = {sample for sample, files in queue.pictures(card.sample for card in shown).items() if files}
        return self.page(
            "gallery",
            asked,
            cards=shown,
            pictured=pictured,
            counts=queue.counts(),
            start=start,
            total=len(cards),
            part=PART,
            open_count=sum(queue.states[card.id].needs(asked.reviewer) for card in cards),
        )

    def item(self, asked: ReviewRequest) -> Response:
        """Show a question in its newest version, and claim it for the reviewer."""
        queue, reviewer, listing = self._queue, asked.reviewer, asked.listing
        given = asked.given.get("id", "")
        card = queue.card(queue.newest(given) or given)
        queue.claim(card.id, reviewer)
        files = queue.pictures([card.sample]).get(card.sample, ())
        pictures = [
            FormPicture(
                page_link("picture", sample=card.sample, size="page", number=place),
                page_link("picture", sample=card.sample, number=place),
            )
            for place, _ in enumerate(files)
        ]
        ids = [each.id for each in queue.listed(listing)]
        place = ids.index(card.id) if card.id in ids else -1
        return self.page(
            "item",
            asked,
            form=queue.form(card.id, reviewer)._replace(pictures=pictures),
            card=card,
            is_broken=card.state == "rejected" and not queue.states[card.id].counted,
            can_undo=queue.last_of(reviewer) is not None,
            place=place + 1,
            total=len(ids),
            previous=_to_item(ids[place - 1], listing) if place > 0 else "",
            following=_to_item(ids[place + 1], listing) if place + 1 < len(ids) else "",
        )

    def next(self, asked: ReviewRequest) -> Response:
        """Claim and show the next question that waits for the reviewer."""
        id_ = self._queue.next_of(asked.listing, asked.reviewer, after=asked.given.get("after", ""))
        if not id_:
            return self.page("done", asked)
        self._queue.claim(id_, asked.reviewer)
        return RedirectResponse(_to_item(id_, asked.listing), 303)

    def decide(self, asked: ReviewRequest) -> Response:
        """Save a decision, then go to the next question, or ask again."""
        return self._answer(asked, self._queue.decide(asked.pairs, asked.reviewer, asked.listing))

    def undo(self, asked: ReviewRequest) -> Response:
        """Undo the reviewer's last decision, and go to its question."""
        return self._answer(asked, self._queue.undo(asked.reviewer))

    def _answer(self, asked: ReviewRequest, outcome: Outcome) -> Response:
        if outcome.warning and asked.by_script:
            return JSONResponse({"asking": outcome.warning}, 409)
        if outcome.warning:
            raise InputError(outcome.warning)
        if outcome.shown:
            self._queue.claim(outcome.shown, asked.reviewer)
        self._lines[asked.reviewer] = outcome.line
        address = (
            _to_item(outcome.shown, asked.listing) if outcome.shown else page_link("next", **_values(asked.listing))
        )
        return JSONResponse({"to": address}) if asked.by_script else RedirectResponse(address, 303)

    def picture(self, asked: ReviewRequest) -> Response:
        """Send a picture of a sample in the queue: the first one, or that at ``number``."""
        sample = asked.given.get("sample", "")
        files = self._queue.pictures([sample]).get(sample)
        if not files:
            raise InputError(f"no picture of {sample!r} in the folders that its benchmark was loaded with")
        file = files[number_of(asked.given, "number", 0, most=len(files) - 1)]
        if encoding := SIZES.get(asked.given.get("size", "")):
            return Response(encode_jpeg(file, encoding), media_type="image/jpeg", headers=KEPT)
        content = publish_picture(file)
        return Response(content, media_type=mime_of(content), headers=KEPT)

    def error(self, request: Request, error: Exception) -> Response:
        """Tell an error, to a script as JSON."""
        status = 404 if isinstance(error, InputError) and request.method == "GET" else 400
        asked = ReviewRequest(str(request.scope[GUEST]), (), Listing(), _is_script(request))
        if asked.by_script:
            return JSONResponse({"error": str(error)}, status)
        return self.page("error", asked, status, message=str(error))


def _values(listing: Listing) -> dict[str, str]:
    return {name: value for name, value in listing._asdict().items() if value}


def _to_item(id_: str, listing: Listing) -> str:
    return page_link("item", id=id_, **_values(listing))


def _is_script(request: Request) -> bool:
    return "json" in request.headers.get("accept", "")


def review_app(queue: ItemQueue) -> Starlette:
    """Build the web app of a queue, without access control."""
    pages = ReviewPages(queue)

    def route(path: str, answer: Callable[[ReviewRequest], Response], method: str = "GET") -> Route:
        def locked(asked: ReviewRequest) -> Response:
            if answer == pages.picture:
                return answer(asked)
            with queue.work():
                return answer(asked)

        async def endpoint(request: Request) -> Response:
            pairs = await pairs_of(request) if method == "POST" else request.query_params.multi_items()
            prefix, given = "list-" if method == "POST" else "", dict(pairs)
            listing = Listing(*(given.get(f"{prefix}{name}", "")[:200] for name in Listing._fields))
            reviewer = str(request.scope[GUEST])
            return await in_thread(locked, ReviewRequest(reviewer, pairs, listing, _is_script(request)))

        return Route(path, endpoint, methods=[method])

    routes = [
        route("/", pages.gallery),
        route("/item", pages.item),
        route("/next", pages.next),
        route("/decide", pages.decide, "POST"),
        route("/undo", pages.undo, "POST"),
        route("/picture", pages.picture),
        Mount("/static", StaticFiles(packages=[("kbe_graph.review", "static")])),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: pages.error})


def serve_review(
    make_queue: Callable[[], ItemQueue],
    *,
    ready: Callable[[Mapping[str, str]], None],
    host: str = "127.0.0.1",
    port: int = 0,
    public: str = "",
) -> None:
    """Serve the pages of a queue; ``ready`` receives the address of each reviewer, by name.

    An address can be opened repeatedly until the server stops. ``public`` is the address of a TLS proxy in front of the
    server. Warns (KbeWarning) if other machines can reach the pages. Raises ConfigError if the host or the port is not
    available, and what ``make_queue`` raises.
    """
    beginning = origin_of(public) if public else ""
    with listen(host, port) as place:
        queue = make_queue()
        tokens = {secrets.token_urlsafe(24): reviewer for reviewer in queue.scope.reviewers}
        app = AccessControl(
            review_app(queue),
            port=place.port,
            guests=tokens,
            command="kbe review",
            hosts=place.hosts,
            public=public,
            again=True,
        )
        warn_if_open(place)
        ready({reviewer: f"{beginning or place.address}/?token={token}" for token, reviewer in tokens.items()})
        run_server(app, place)


def user_name() -> str:
    """Return the name of the user who runs this, ``reviewer`` if it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "reviewer"
