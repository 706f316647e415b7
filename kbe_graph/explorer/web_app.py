"""The routes of the pages: values in, escaped HTML out."""

import re
from collections.abc import Awaitable, Callable

from jinja2 import Environment
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph import __version__
from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.console import SECONDS, answer_page, cell_text, console_page, link_of
from kbe_graph.explorer.explorer import CrowdedError, Explorer, PageMaker, PageView
from kbe_graph.explorer.gallery import gallery_page
from kbe_graph.explorer.lookup_pages import entity_page, marked_words, relation_page, search_page
from kbe_graph.explorer.overview import benchmark_page, overview_page, relations_page, run_page
from kbe_graph.explorer.sample_page import picture_of, sample_page
from kbe_graph.show.status import reason_rules
from kbe_graph.web.page_request import Given, in_thread, page_link, values_of
from kbe_graph.web.page_style import page_templates

PAGES: dict[str, PageMaker] = {
    "/": overview_page,
    "/benchmark": benchmark_page,
    "/samples": gallery_page,
    "/search": search_page,
    "/sample": sample_page,
    "/entity": entity_page,
    "/relation": relation_page,
    "/relations": relations_page,
    "/run": run_page,
    "/console": console_page,
}
AGAIN = (429, 503)  # statuses for which retrying may help
HASH = re.compile(r"\b([0-9a-f]{32,})\b")
CUT = Markup('<span title="{}">{}…</span>')
Endpoint = Callable[[Request], Awaitable[Response]]


def web_app(explorer: Explorer) -> Starlette:
    """Build the explorer's web application, without access control."""
    environment = _environment()

    def tell(request: Request, error: Exception) -> Response:
        view = PageView("error.html", {"message": str(error)}, _status(error))
        return _html(explorer, view, dict(request.query_params), environment)

    routes = [
        *(Route(path, _page(explorer, make, environment), methods=["GET"]) for path, make in PAGES.items()),
        Route("/console", _page(explorer, answer_page, environment), methods=["POST"]),
        Route("/again", _again(explorer), methods=["POST"]),
        Route("/picture", _picture(explorer), methods=["GET"]),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
        Mount("/static", StaticFiles(packages=[("kbe_graph.explorer", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: tell})


def _status(error: Exception) -> int:
    if isinstance(error, CrowdedError):
        return 429
    return 404 if isinstance(error, InputError) else 503


def short_hashes(text: str) -> Markup:
    """Return a text as HTML with hashes cut to twelve digits and the full hash as a title.

    >>> print(short_hashes("pack <1> 0123456789abcdef0123456789abcdef"))
    pack &lt;1&gt; <span title="0123456789abcdef0123456789abcdef">0123456789ab…</span>
    """
    pieces = HASH.split(text)  # every second piece is a hash
    return Markup("").join(CUT.format(piece, piece[:12]) if place % 2 else piece for place, piece in enumerate(pieces))


def _environment() -> Environment:
    environment = page_templates("kbe_graph.explorer")
    environment.globals |= {"link": page_link, "link_of": link_of, "version": __version__, "rules": reason_rules()}
    environment.filters |= {"cell_text": cell_text, "short_hashes": short_hashes, "marked_words": marked_words}
    return environment


def _page(explorer: Explorer, make: PageMaker, environment: Environment) -> Endpoint:
    def render(given: Given) -> Response:
        return _html(explorer, make(explorer, given), given, environment)

    async def endpoint(request: Request) -> Response:
        return await in_thread(render, await values_of(request))

    return endpoint


def _html(explorer: Explorer, view: PageView, given: Given, environment: Environment) -> Response:
    values = {"given": given, "snapshot": explorer.snapshot, "page": view.template, **view.values}
    text = environment.get_template(view.template).render(values)
    return HTMLResponse(text, view.status, {"retry-after": str(SECONDS)} if view.status in AGAIN else None)


def _again(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        del request
        await in_thread(explorer.read_again)
        return RedirectResponse("/", 303)

    return endpoint


def _picture(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        content, kind = await in_thread(picture_of, explorer, dict(request.query_params))
        return Response(content, media_type=kind)

    return endpoint
