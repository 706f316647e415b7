"""The pages under their addresses: values in, escaped HTML out."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from anyio import to_thread
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph import __version__
from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.console import SECONDS, answer_page, cell_text, console_page, link_of
from kbe_graph.explorer.explorer import CrowdedError, Explorer, Given, PageMaker, PageView
from kbe_graph.explorer.gallery import gallery_page
from kbe_graph.explorer.lookup_pages import entity_page, relation_page, search_page
from kbe_graph.explorer.overview import overview_page, run_page
from kbe_graph.explorer.sample_page import picture_of, sample_page

PAGES: dict[str, PageMaker] = {
    "/": overview_page,
    "/samples": gallery_page,
    "/search": search_page,
    "/sample": sample_page,
    "/entity": entity_page,
    "/relation": relation_page,
    "/run": run_page,
    "/console": console_page,
}
LONGEST = 200_000  # bytes of a form
PATIENCE = 10.0  # seconds that a form may take to come
AGAIN = (429, 503)  # what asking again may help
CLOSE = {"connection": "close"}  # the rest of a form is not waited for
HASH = re.compile(r"\b[0-9a-f]{32,}\b")
T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]


def web_app(explorer: Explorer) -> Starlette:
    """Return the pages of an explorer, without the access control around them."""
    environment = _environment()

    def tell(request: Request, error: Exception) -> Response:
        """Return the page of an error."""
        view = PageView("error.html", {"message": str(error)}, _status(error))
        return _html(explorer, view, dict(request.query_params), environment)

    routes = [
        *(Route(path, _page(explorer, make, environment), methods=["GET"]) for path, make in PAGES.items()),
        Route("/console", _page(explorer, answer_page, environment), methods=["POST"]),
        Route("/again", _again(explorer), methods=["POST"]),
        Route("/picture", _picture(explorer), methods=["GET"]),
        Mount("/static", StaticFiles(packages=[("kbe_graph.explorer", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: tell})


def _status(error: Exception) -> int:
    if isinstance(error, CrowdedError):
        return 429
    return 404 if isinstance(error, InputError) else 503


def page_link(page: str, **values: Any) -> str:
    """Return the address of a page; values that are None are left out.

    >>> page_link("sample", id="own/val/1", run=None)
    '/sample?id=own%2Fval%2F1'
    """
    query = urlencode({name.rstrip("_"): value for name, value in values.items() if value is not None})
    return f"/{page}?{query}" if query else f"/{page}"


def short_hashes(text: str) -> str:
    """Return a text with its hashes cut to their first twelve digits.

    >>> short_hashes("pack 0123456789abcdef0123456789abcdef")
    'pack 0123456789ab…'
    """
    return HASH.sub(lambda match: f"{match[0][:12]}…", text)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kbe_graph.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"link": page_link, "link_of": link_of, "version": __version__}
    environment.filters |= {"cell_text": cell_text, "short_hashes": short_hashes}
    return environment


def _page(explorer: Explorer, make: PageMaker, environment: Environment) -> Endpoint:
    def render(given: Given) -> Response:
        """Return the page for the given values. Raises KbeError."""
        return _html(explorer, make(explorer, given), given, environment)

    async def endpoint(request: Request) -> Response:
        """Return the page for a request."""
        return await _in_thread(render, await _values_of(request))

    return endpoint


async def _in_thread(work: Callable[..., T], *values: Any) -> T:
    """Do blocking work in a thread, which is abandoned when the server ends."""
    return await to_thread.run_sync(partial(work, *values), abandon_on_cancel=True)


async def _values_of(request: Request) -> Given:
    """Return the values of address and form; raises HTTPException for a form that is too long or does not come."""
    given = dict(request.query_params)
    if request.method != "POST":
        return given
    try:
        async with asyncio.timeout(PATIENCE):
            body = await _body_of(request)
    except TimeoutError:
        raise HTTPException(408, f"the form did not come within {PATIENCE:g} seconds; send it again", CLOSE) from None
    except ClientDisconnect:
        raise HTTPException(400, "the form did not come whole; send it again", CLOSE) from None
    return given | dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


async def _body_of(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            raise HTTPException(413, f"a form may hold {LONGEST} bytes; send less", CLOSE)
    return body


def _html(explorer: Explorer, view: PageView, given: Given, environment: Environment) -> Response:
    values = {"given": given, "snapshot": explorer.snapshot, **view.values}
    text = environment.get_template(view.template).render(values)
    return HTMLResponse(text, view.status, {"retry-after": str(SECONDS)} if view.status in AGAIN else None)


def _again(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        """Read the graph again, and redirect to the first page."""
        del request
        await _in_thread(explorer.read_again)
        return RedirectResponse("/", 303)

    return endpoint


def _picture(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        """Return the picture that the request names."""
        content, kind = await _in_thread(picture_of, explorer, dict(request.query_params))
        return Response(content, media_type=kind)

    return endpoint
