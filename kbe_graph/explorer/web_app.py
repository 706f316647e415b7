"""The pages under their addresses: values in, escaped HTML out."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph import __version__
from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.console import answer_page, console_page, link_of
from kbe_graph.explorer.entity_page import entity_page
from kbe_graph.explorer.explorer import Explorer, Given, PageMaker, PageView
from kbe_graph.explorer.lookup import search_page
from kbe_graph.explorer.overview import overview_page
from kbe_graph.explorer.relation_page import relation_page
from kbe_graph.explorer.run_page import run_page
from kbe_graph.explorer.sample_page import picture_of, sample_page

PAGES: dict[str, PageMaker] = {
    "/": overview_page,
    "/search": search_page,
    "/sample": sample_page,
    "/entity": entity_page,
    "/relation": relation_page,
    "/run": run_page,
    "/console": console_page,
}
LONGEST = 200_000  # bytes of a form
Endpoint = Callable[[Request], Awaitable[Response]]


def web_app(explorer: Explorer) -> Starlette:
    """Return the pages of an explorer, without the door before them."""
    environment = _environment()
    routes = [
        *(Route(path, _page(explorer, make, environment), methods=["GET"]) for path, make in PAGES.items()),
        Route("/console", _page(explorer, answer_page, environment), methods=["POST"]),
        Route("/again", _again(explorer), methods=["POST"]),
        Route("/picture", _picture(explorer), methods=["GET"]),
        Mount("/static", StaticFiles(packages=[("kbe_graph.explorer", "static")])),
    ]
    return Starlette(routes=routes)


def page_link(page: str, **values: Any) -> str:
    """Return the address of a page; values that are None are left out.

    >>> page_link("sample", id="own/val/1", run=None)
    '/sample?id=own%2Fval%2F1'
    """
    query = urlencode({name.rstrip("_"): value for name, value in values.items() if value is not None})
    return f"/{page}?{query}" if query else f"/{page}"


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kbe_graph.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"link": page_link, "link_of": link_of, "version": __version__}
    return environment


def _page(explorer: Explorer, make: PageMaker, environment: Environment) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        """Return the page for what the request gave, 413 where that is too long."""
        given = await _values_of(request)
        if given is None:
            return PlainTextResponse(f"a form may hold {LONGEST} bytes; send less", 413)
        return await run_in_threadpool(render, explorer, make, given, environment)

    return endpoint


async def _values_of(request: Request) -> Given | None:
    """Return what the address and the form give; None where the form is too long."""
    given = dict(request.query_params)
    if request.method != "POST":
        return given
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            return None
    return given | dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def render(explorer: Explorer, make: PageMaker, given: Given, environment: Environment) -> Response:
    """Return a page as HTML, or the page that says what is wrong."""
    try:
        view = make(explorer, given)
    except KbeError as error:
        view = PageView("error.html", {"message": str(error)}, 404 if isinstance(error, InputError) else 500)
    values = {"given": given, "snapshot": explorer.snapshot, **view.values}
    return HTMLResponse(environment.get_template(view.template).render(values), view.status)


def _again(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        """Have the graph read again, and lead to the first page."""
        del request
        await run_in_threadpool(explorer.read_again)
        return RedirectResponse("/", 303)

    return endpoint


def _picture(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        """Return the picture that the request names, 404 where it cannot be had."""
        try:
            return FileResponse(await run_in_threadpool(picture_of, explorer, dict(request.query_params)))
        except KbeError as error:
            return PlainTextResponse(str(error), 404)

    return endpoint
