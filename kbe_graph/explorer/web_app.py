"""The routes of the pages, values in and escaped HTML out, and the server for one browser."""

from collections.abc import Awaitable, Callable

from jinja2 import Environment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.console import SECONDS, answer_page, cell_text, console_page
from kbe_graph.explorer.explorer import CrowdedError, Explorer, PageMaker, PageView
from kbe_graph.explorer.explorer_pages import entity_page, list_page, overview_page, picture_of, run_page, sample_page
from kbe_graph.extras import __version__
from kbe_graph.show.question_story import reason_rules
from kbe_graph.web.access import serve_pages
from kbe_graph.web.pages import Given, in_thread, page_link, page_templates, pairs_of
from kbe_graph.workspace.workspace import Workspace

PAGES: dict[str, PageMaker] = {
    "/": overview_page,
    "/samples": list_page,
    "/sample": sample_page,
    "/entity": entity_page,
    "/run": run_page,
    "/console": console_page,
}
Endpoint = Callable[[Request], Awaitable[Response]]


def serve(work: Workspace, *, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a workspace on this machine; ``ready`` receives the address.

    ``port`` 0 chooses a free one. Raises ConfigError if the port is unavailable, and StoreError.
    """
    explorer = Explorer(work)
    serve_pages(
        lambda: web_app(explorer), ["guest"], lambda addresses: ready(addresses["guest"]), port=port, end=explorer.end
    )


def web_app(explorer: Explorer) -> Starlette:
    """Build the explorer's web application, without access control."""
    environment = page_templates("kbe_graph.explorer")
    environment.globals |= {"link": page_link, "version": __version__, "rules": reason_rules(), "explorer": explorer}
    environment.filters["cell_text"] = cell_text

    def tell(request: Request, error: Exception) -> Response:
        status = 429 if isinstance(error, CrowdedError) else 404 if isinstance(error, InputError) else 503
        view = PageView("error.html", {"message": str(error)}, status)
        return _html(view, dict(request.query_params), environment)

    async def read_again(_: Request) -> Response:
        await in_thread(explorer.read_again)
        return RedirectResponse("/", 303)

    async def picture(request: Request) -> Response:
        content, kind = await in_thread(picture_of, explorer, dict(request.query_params))
        return Response(content, media_type=kind)

    routes = [
        *(Route(path, _page(explorer, make, environment), methods=["GET"]) for path, make in PAGES.items()),
        Route("/console", _page(explorer, answer_page, environment), methods=["POST"]),
        Route("/again", read_again, methods=["POST"]),
        Route("/picture", picture, methods=["GET"]),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
        Mount("/static", StaticFiles(packages=[("kbe_graph.explorer", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: tell})


def _page(explorer: Explorer, make: PageMaker, environment: Environment) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        form = await pairs_of(request) if request.method == "POST" else []
        given = dict(request.query_params) | dict(form)
        return await in_thread(lambda: _html(make(explorer, given), given, environment))

    return endpoint


def _html(view: PageView, given: Given, environment: Environment) -> Response:
    text = environment.get_template(view.template).render({"given": given, "page": view.template, **view.values})
    return HTMLResponse(text, view.status, {"retry-after": str(SECONDS)} if view.status in {429, 503} else None)
