"""The pages of ``kbe review``: values in, escaped HTML out; decisions in, the next question out; on this machine."""

import getpass
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph.errors import InputError, KbeError
from kbe_graph.review.doubt import address_of, origin_of
from kbe_graph.review.review_desk import NotInsistedError
from kbe_graph.review.review_queue import ItemQueue, Listing
from kbe_graph.web.access import GUEST
from kbe_graph.web.pages import in_thread, number_of, page_link, page_templates, pairs_of, shown_picture

PART = 60  # questions on a page of the gallery
TONES = {
    "approved": "good",
    "revised": "good",
    "rated": "good",
    "rejected": "bad",
    "disputed": "doubt",
    "stale": "doubt",
}
KEPT = {"cache-control": "private, max-age=3600"}  # only pictures; pages that a decision changes are not cached


class ReviewRequest(NamedTuple):
    """A reviewer's request: its fields and its list."""

    reviewer: str
    pairs: Sequence[tuple[str, str]]
    listing: Listing

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
        self._environment.globals |= {"link": page_link, "tones": TONES}
        self._environment.filters |= {"origin_of": origin_of, "address_of": address_of}

    def page(self, name: str, asked: ReviewRequest, status: int = 200, **values: Any) -> Response:
        """Render a page."""
        queue, reviewer = self._queue, asked.reviewer
        values |= {"page": name, "reviewer": reviewer, "told": self._lines.pop(reviewer, "")}
        values |= {"queue_name": queue.scope.title, "progress": queue.progress(reviewer)}
        values |= {"listing": _values(asked.listing)}
        return HTMLResponse(self._environment.get_template(f"{name}.html").render(values), status)

    def gallery(self, asked: ReviewRequest) -> Response:
        """Show the gallery, in parts."""
        queue = self._queue
        cards = queue.listed(asked.listing)
        start = number_of(asked.given, "from", 0, most=max(len(cards) - 1, 0))
        shown = cards[start : start + PART]
        return self.page(
            "gallery",
            asked,
            cards=shown,
            pictured={sample for sample, files in queue.pictures(card.sample for card in shown).items() if files},
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
        ids = [each.id for each in queue.listed(listing)]
        place = ids.index(card.id) if card.id in ids else -1
        return self.page(
            "item",
            asked,
            form=queue.form(card.id, reviewer),
            card=card,
            pictures=len(queue.pictures([card.sample]).get(card.sample, ())),
            disputed=queue.states[card.id].counted,
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
        """Save a decision, then go to the next question; or undo the last one, and go to its question."""
        outcome = self._queue.decide(asked.pairs, asked.reviewer, asked.listing)
        if outcome.shown:
            self._queue.claim(outcome.shown, asked.reviewer)
        self._lines[asked.reviewer] = outcome.line
        following = page_link("next", **_values(asked.listing))
        return JSONResponse({"to": _to_item(outcome.shown, asked.listing) if outcome.shown else following})

    def picture(self, asked: ReviewRequest) -> Response:
        """Send a picture of a sample in the queue: the first one, or that at ``number``."""
        sample = asked.given.get("sample", "")
        content, kind = shown_picture(self._queue.pictures([sample]).get(sample, ()), asked.given)
        return Response(content, media_type=kind, headers=KEPT)

    def error(self, request: Request, error: Exception) -> Response:
        """Tell an error, of a decision to the page's script."""
        if isinstance(error, NotInsistedError):
            return JSONResponse({"asking": str(error)}, 409)
        if request.method == "POST":
            return JSONResponse({"error": str(error)}, 400)
        asked = ReviewRequest(str(request.scope[GUEST]), (), Listing())
        return self.page("error", asked, 404 if isinstance(error, InputError) else 400, message=str(error))


def _values(listing: Listing) -> dict[str, str]:
    return {name: value for name, value in listing._asdict().items() if value}


def _to_item(id_: str, listing: Listing) -> str:
    return page_link("item", id=id_, **_values(listing))


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
            return await in_thread(locked, ReviewRequest(reviewer, pairs, listing))

        return Route(path, endpoint, methods=[method])

    routes = [
        route("/", pages.gallery),
        route("/item", pages.item),
        route("/next", pages.next),
        route("/decide", pages.decide, "POST"),
        route("/picture", pages.picture),
        Mount("/static", StaticFiles(packages=[("kbe_graph.review", "static")])),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: pages.error})


def user_name() -> str:
    """Return the name of the user who runs this, ``reviewer`` if it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "reviewer"
