"""A link to the console fills it and never runs it, and no page of another origin asks anything, in a real browser."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from explorers import Served, explored
from playwright.sync_api import Browser, Page, Request, Response, expect

CYPHER = "MATCH (s:Sample) RETURN s.id AS id"
LINKS = (
    "/console?cypher={}",
    "/console?cypher={}#console",
    "/console?cypher={}&data-asked=1&asked=1&submit=1&run=1&method=post&_method=POST",
    "/console?cypher=%22%20data-asked%20autofocus%20onfocus%3D%22this.form.submit()&parameters={}",
    "/console?cypher=%3C/textarea%3E%3Cscript%3Edocument.forms%5B1%5D.submit()%3C/script%3E{}",
    "/console?name=relation_frequency&p.limit=3#console",
    "/?cypher={}&next=/console",
)
SUBMIT = "<script>document.forms[0].submit()</script>"
QUERY = '<input name="cypher" value="RETURN 1">'
ATTACKS = {
    "form": f'<form method="post" action="BASE/console">{QUERY}</form>{SUBMIT}',
    "reading": f'<form method="post" action="BASE/again"></form>{SUBMIT}',
    "text": f'<form method="post" action="BASE/console" enctype="text/plain">{QUERY}</form>{SUBMIT}',
    "sandbox": "<iframe sandbox='allow-forms allow-scripts allow-top-navigation' srcdoc='"
    f"<form target=_top method=post action=BASE/console>{QUERY}</form>{SUBMIT}'></iframe>",
    "fetch": '<script>fetch("BASE/console", {method: "POST", mode: "no-cors", credentials: "include"})</script>',
    "beacon": '<script>navigator.sendBeacon("BASE/again")</script>',
    "silent": f'<meta name="referrer" content="no-referrer"><form method="post" action="BASE/again"></form>{SUBMIT}',
}


@pytest.fixture(scope="module")
def served(demo_looked_at: Path) -> Iterator[Served]:
    with explored(demo_looked_at) as served:
        yield served


@pytest.fixture
def page(served: Served, browser: Browser) -> Iterator[Page]:
    """A page of a browser that is let in."""
    context = browser.new_context(base_url=served.base)
    name, _, value = served.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": served.base, "sameSite": "Lax", "httpOnly": True}])
    yield context.new_page()
    context.close()


class Hostile(http.server.BaseHTTPRequestHandler):
    """Serves the page that ``html`` holds, as another site of this machine does: browsers send it our cookies."""

    html = ""

    def do_GET(self) -> None:
        """Answer with the page."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.html.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    """Another origin of the same site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def _noted(page: Page) -> list[str]:
    """Return the addresses that a page posts to, as it does."""
    posts: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            posts.append(request.url)

    page.on("request", note)
    return posts


def test_a_link_fills_the_console_and_never_runs_it(page: Page) -> None:
    posts = _noted(page)
    for link in LINKS:
        page.goto("about:blank")  # so that each is opened, and none is a jump within the page before
        page.goto(link.format(quote(CYPHER)))
        page.wait_for_load_state("networkidle")
        page.keyboard.press("Escape")
        assert posts == [], link
        expect(page.get_by_role("status")).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_count(0)
        if link.startswith("/console?cypher={}"):
            assert page.locator("#cypher").input_value() == CYPHER


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_page_of_another_origin_posts(page: Page, served: Served, hostile: str, attack: str) -> None:
    statuses: list[int] = []

    def note_status(response: Response) -> None:
        if response.url.startswith(served.base):
            statuses.append(response.status)

    page.on("response", note_status)
    Hostile.html = ATTACKS[attack].replace("BASE", served.base)
    with page.expect_request(lambda request: request.method == "POST" and request.url.startswith(served.base)):
        page.goto(hostile)
    page.wait_for_load_state("networkidle")
    assert set(statuses) <= {403}


def test_no_page_of_another_origin_shows_ours(page: Page, served: Served, hostile: str) -> None:
    Hostile.html = f'<iframe src="{served.base}/console"></iframe><img src="{served.base}/static/icon.svg">'
    page.goto(hostile)
    page.wait_for_load_state("networkidle")
    expect(page.frames[1].locator("#console")).to_have_count(0)
    assert page.locator("img").evaluate("image => image.naturalWidth") == 0
