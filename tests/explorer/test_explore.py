"""The pages of ``kbe explore`` in a real browser, and what their door keeps out."""

import importlib.resources
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from commands import kbe
from explorers import Served, explored
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from kbe_graph import Workspace
from kbe_graph.store.nodes import Evolved
from kbe_graph.types import (
    IMAGE,
    RAW,
    Alternative,
    Entity,
    Guess,
    Prediction,
    Question,
    RunRecord,
    Sample,
    SampleGraph,
    Triplet,
    question_id,
)

HOSTILE = "<script>document.title='bad'</script> \"it's\""
SAMPLE = "odd/<b>&\"'"
LONG = " AND MORE" * 20


@pytest.fixture(scope="module")
def filled(demo_kept_up: Path) -> Path:
    """The demo, and beside it a sample with hostile names, a second run, and what a model answered."""
    (demo_kept_up / ".kbe" / "images").mkdir(exist_ok=True)
    (demo_kept_up / ".kbe" / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with Workspace(demo_kept_up, progress=False) as work:
        sample = Sample(SAMPLE, "odd", "", HOSTILE, HOSTILE, (HOSTILE,), image="../secret.png")
        depicts = Triplet(IMAGE, "depicts", Entity(HOSTILE), source="drawn", evidence=HOSTILE)
        more = [
            Triplet(IMAGE, f"is with {place}", Entity(f"THING {place}{LONG * (place == 7)}")) for place in range(130)
        ]
        graph = SampleGraph(SAMPLE, (depicts, *more), (), (depicts,))
        raw = Question(question_id(SAMPLE, RAW, 0), SAMPLE, RAW, 0, "raw", HOSTILE, HOSTILE, graph.key)
        work.store.save_samples([sample])
        work.store.save_graphs([graph], [raw])
        question = work.questions(run="demo-0", hop=1)[0]
        other = replace(question, id=question_id(question.sample, "other", 1), run="other", text="Which one is it?")
        settings = (("knowledge", f"{'0123456789abcdef' * 4} of a pack"),)
        work.store.save_run(RunRecord("other", 1, settings))
        guess = Guess(other.text, other.answer, HOSTILE, right=False, model="<i>m</i>")
        others = (Alternative(HOSTILE, "x"), Alternative("y", ""))
        work.store.save_questions([Evolved(other, guesses=(guess, replace(guess, right=True)), alternatives=others)])
        work.store.save_guesses("other", [(raw, [guess])])
        work.store.save_predictions([Prediction("<i>llava</i>", raw.id, HOSTILE, verdict="wrong", judge="rule")])
    return demo_kept_up


@pytest.fixture(scope="module")
def served(filled: Path) -> Iterator[Served]:
    with explored(filled) as served:
        yield served


@pytest.fixture(scope="module")
def evolved(filled: Path) -> str:
    """A sample with a run to look at."""
    with Workspace(filled, progress=False) as work:
        return max(work.questions(run="demo-0"), key=lambda each: each.hop).sample


@pytest.fixture(scope="module")
def page(served: Served, browser: Browser) -> Page:
    context = browser.new_context(base_url=served.base)
    name, _, value = served.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": served.base}])
    return context.new_page()


@pytest.fixture
def quiet_page(page: Page) -> Iterator[Page]:
    """A page that the browser has nothing to complain of."""
    said: list[str] = []

    def note(fault: object) -> None:
        said.append(str(fault))

    def note_line(line: ConsoleMessage) -> None:
        if line.type == "error":
            said.append(line.text)

    page.on("pageerror", note)
    page.on("console", note_line)
    yield page
    page.remove_listener("pageerror", note)
    page.remove_listener("console", note_line)
    assert said == []


def _grave_faults(page: Page, address: str, options: str) -> list[tuple[str, str]]:
    """Return what axe finds serious or critical on a page: the rule, and the first element that breaks it."""
    page.goto(address)
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate(f"axe.run({options}).then(result => result.violations)")
    return [
        (fault["id"], fault["nodes"][0]["html"]) for fault in violations if fault["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/samples?q=dog",
        "/sample?id=",
        "/entity?name=thing+12",
        "/run?name=demo-0&reason=leak",
        "/samples?run=demo-0&hop=2",
        "/console?name=relation_frequency",
    ],
)
def test_axe_finds_nothing_serious(quiet_page: Page, evolved: str, address: str) -> None:
    own = evolved if address.endswith("id=") else ""
    assert _grave_faults(quiet_page, address + own, "{resultTypes: ['violations']}") == []


def test_the_overview_tells_what_became_of_the_samples(quiet_page: Page) -> None:
    quiet_page.goto("/")
    assert "58" in quiet_page.get_by_role("row", name="loaded").inner_text()
    expect(quiet_page.get_by_role("link", name="Run demo-0", exact=True)).to_be_visible()


def _by_heading(table: Locator) -> list[dict[str, str]]:
    """Return the rows of a table as a reader takes them: each cell by the heading that it stands under."""
    heads = [head.bounding_box() for head in table.locator("thead th").all()]
    names = table.locator("thead th").all_inner_texts()
    rows = []
    for row in table.locator("tbody tr").all():
        cells = [(cell.bounding_box(), cell.inner_text()) for cell in row.locator("th, td").all()]
        rows.append(
            {
                name: text
                for name, head in zip(names, heads, strict=True)
                for box, text in cells
                if head and box and head["x"] < box["x"] + box["width"] / 2 < head["x"] + head["width"]
            }
        )
    return rows


def test_a_sample_shows_its_chain_and_its_graph_hop_by_hop(quiet_page: Page, evolved: str) -> None:
    quiet_page.goto(f"/sample?id={evolved}&run=demo-0")
    assert quiet_page.locator("figure img").evaluate("image => image.complete && image.naturalWidth") > 0
    assert quiet_page.locator(".chain > li").count() >= 3
    assert quiet_page.locator(".chain mark").count() > 0
    rows = quiet_page.locator("#triplets tbody tr:not(.away)")
    all_of_them = rows.count()
    quiet_page.locator("#hop").focus()
    quiet_page.keyboard.press("Home")
    assert quiet_page.locator("output[for=hop]").inner_text() == "raw"
    assert rows.count() < all_of_them
    assert "hop=0" in quiet_page.url
    quiet_page.reload()
    assert quiet_page.locator("#hop").input_value() == "0"


def test_names_are_shown_and_never_run(quiet_page: Page) -> None:
    quiet_page.goto(f"/sample?id={quote(SAMPLE)}")
    assert quiet_page.title() == f"{SAMPLE} – kbe explore"
    assert HOSTILE in quiet_page.locator(".chain .text").first.inner_text()
    answers = _by_heading(quiet_page.locator(".chain table").first)
    assert answers == [{"model": "<i>llava</i>", "asked": "image", "answer": HOSTILE, "verdict": "wrong by rule"}]
    expect(quiet_page.locator(".chain script, td i")).to_have_count(0)
    quiet_page.locator("#triplets").get_by_role("link", name="<SCRIPT>").or_(
        quiet_page.locator("#triplets").get_by_role("link", name="<script>")
    ).first.click()
    assert "script" in quiet_page.locator("h1").inner_text()
    assert "bad" not in quiet_page.title().split(" ")


def test_a_big_graph_is_cut_and_says_so(quiet_page: Page) -> None:
    quiet_page.goto(f"/sample?id={quote(SAMPLE)}")
    expect(quiet_page.get_by_text("Showing 120 of 131 edges. The tables list all of them.")).to_be_visible()
    expect(quiet_page.locator("#triplets tbody tr")).to_have_count(131)
    expect(quiet_page.locator("#triplets tbody tr:visible")).to_have_count(1)
    quiet_page.get_by_text("130 more", exact=True).click()
    expect(quiet_page.locator("#triplets tbody tr:visible")).to_have_count(131)


def test_samples_lead_to_those_beside_them(quiet_page: Page, evolved: str) -> None:
    quiet_page.goto(f"/sample?id={evolved}&run=demo-0")
    first = quiet_page.url
    quiet_page.locator("a[rel=next], a[rel=prev]").last.click()
    assert quiet_page.url != first
    assert "run=demo-0" in quiet_page.url
    quiet_page.locator("a[rel=prev], a[rel=next]").first.click()
    expect(quiet_page.locator(".chain")).to_be_visible()


def test_the_list_is_taken_by_words_run_and_hop(quiet_page: Page) -> None:
    quiet_page.goto("/")
    quiet_page.keyboard.press("/")
    quiet_page.keyboard.type("which ONE")
    quiet_page.keyboard.press("Enter")
    quiet_page.wait_for_url("**/samples?q=which+ONE")
    hit = quiet_page.locator(".cards li", has_text="Which one is it?")
    assert hit.locator(".source").inner_text().endswith(", run other")
    quiet_page.goto(f"/samples?q={quote('<script> bad')}")
    assert HOSTILE in quiet_page.locator(".cards li").first.inner_text()
    expect(quiet_page.locator("main script")).to_have_count(0)
    quiet_page.goto("/samples?q=sky+nowhere")
    expect(quiet_page.get_by_text("No question contains all of these words.")).to_be_visible()
    quiet_page.goto("/run?name=demo-0")
    quiet_page.get_by_role("link", name="hop 2: 10", exact=True).click()
    assert set(quiet_page.locator(".cards .chip:nth-of-type(1)").all_inner_texts()) == {"hop 2"}
    expect(quiet_page.locator(".cards li")).to_have_count(10)
    quiet_page.locator(".cards a").first.click()
    expect(quiet_page.locator("#hop")).to_have_value("2")


def test_an_entity_has_its_relations_and_its_samples(quiet_page: Page) -> None:
    quiet_page.goto("/entity?name=Table")
    relations = _by_heading(quiet_page.get_by_role("region", name="relations"))
    assert {row["direction"] for row in relations} <= {"in", "out"}
    assert quiet_page.locator(".cards li").count() > 0
    quiet_page.get_by_role("link", name="on", exact=True).first.click()
    expect(quiet_page.locator("#p-relation")).to_have_value("on")


def test_the_dropped_candidates_of_a_run_are_taken_by_hop_and_reason(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=demo-0")
    quiet_page.get_by_role("link", name="cycle: ", exact=False).first.click()
    quiet_page.get_by_role("navigation", name="hops of dropped candidates").get_by_role("link", name="hop 1").click()
    rows = _by_heading(quiet_page.get_by_role("region", name="dropped candidates"))
    assert {(row["reason"], row["hop"]) for row in rows} == {("cycle", "1")}


def test_the_page_in_sight_is_marked(quiet_page: Page) -> None:
    for address, name in (("/", "kbe explore"), ("/run?name=demo-0", "run demo-0"), ("/console", "console")):
        quiet_page.goto(address)
        assert quiet_page.locator("header [aria-current=page]").all_inner_texts() == [name]


def test_a_hash_is_cut_for_readers(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=other")
    quiet_page.get_by_text("Settings", exact=True).click()
    assert quiet_page.locator("details dd").all_inner_texts() == ["0123456789ab… of a pack"]
    assert quiet_page.locator("dd span").get_attribute("title") == "0123456789abcdef" * 4


def test_a_graph_shows_where_else_the_same_thing_is(quiet_page: Page, evolved: str) -> None:
    quiet_page.goto(f"/sample?id={evolved}&run=demo-0")
    copy = quiet_page.locator("#graph .node.copy").first
    copy.hover()
    same = quiet_page.locator("#graph .node.same")
    assert same.count() >= 2
    assert set(same.all_inner_texts()) == {copy.inner_text()}


@pytest.mark.parametrize("address", ["/", "/run?name=demo-0", "/samples?q=demo"])
def test_a_phone_shows_no_page_wider_than_itself(quiet_page: Page, address: str) -> None:
    quiet_page.set_viewport_size({"width": 390, "height": 800})
    quiet_page.goto(address)
    assert quiet_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cut = "cells => cells.filter(cell => cell.getBoundingClientRect().right > innerWidth).length"
    assert quiet_page.locator(".funnel td").evaluate_all(cut) == 0
    quiet_page.set_viewport_size({"width": 1280, "height": 720})


def test_a_run_and_its_questions_tell_what_was_named_without_the_picture(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=other")
    table = quiet_page.get_by_role("region", name="named without the picture")
    assert table.get_by_role("row").all_inner_texts()[1:] == [
        "raw\t1\t0\t0.0 %\t<i>m</i>",
        "hop 1\t2\t1\t50.0 %\t<i>m</i>",
    ]
    quiet_page.goto(f"/sample?id={quote(SAMPLE)}&run=other")
    lines = quiet_page.locator(".chain .note").all_inner_texts()
    assert f"not named without the picture by <i>m</i>: {HOSTILE}" in lines


def test_the_console_asks_and_can_be_shared(quiet_page: Page) -> None:
    quiet_page.goto("/console")
    quiet_page.fill("#cypher", "MATCH (a:Entity)-[e:VISUAL]->(b:Entity) RETURN a, e, b")
    quiet_page.fill("#rows", "3")
    quiet_page.locator("#cypher").press("Control+Enter")
    assert quiet_page.get_by_role("status").inner_text() == "The first 3 rows; there are more."
    quiet_page.wait_for_url("**cypher=MATCH**")
    quiet_page.goto(quiet_page.url)
    assert quiet_page.locator("#cypher").input_value().startswith("MATCH (a:Entity)")
    expect(quiet_page.get_by_role("status")).to_have_count(0)
    quiet_page.goto("/console?name=samples_about")
    quiet_page.fill("#p-entity", "thing 1")
    quiet_page.get_by_role("button", name="Run").click()
    expect(quiet_page.get_by_role("region", name="rows").get_by_role("cell", name=SAMPLE).first).to_be_visible()


def test_a_create_in_the_console_changes_nothing(served: Served, filled: Path) -> None:
    for text in (
        "CREATE (a:Hacked)",
        "MATCH (s:Sample) SET s.answer = 'x' RETURN s",
        "MATCH (s:Sample) DETACH DELETE s",
    ):
        status, answer = served.ask("/console", method="POST", body=f"cypher={quote(text)}", Origin=served.base)
        assert status == 400
        assert 'role="alert"' in answer
    with Workspace(filled, progress=False) as work:
        left = work.graph.cypher("MATCH (n) WHERE n:Hacked OR n.answer = 'x' RETURN count(n) AS many")["many"][0]
        assert left == 0
        assert len(work.samples()) == 58


def test_what_is_wrong_with_a_query_is_told(served: Served) -> None:
    for body, words in (
        ("cypher=", "the query is empty"),
        ("cypher=RETURN+1&parameters=nonsense", "the parameters are not JSON"),
        ("name=samples_about", "needs &#39;entity&#39;"),
    ):
        status, answer = served.ask("/console", method="POST", body=body, Origin=served.base)
        assert status == 400
        assert words in answer


def test_what_is_not_there_is_told(served: Served) -> None:
    for path in ("/sample?id=nothing", "/entity?name=nothing", "/run?name=nothing", "/samples?benchmark=nothing"):
        status, answer = served.ask(path)
        assert status == 404
        assert "nothing" in answer


def test_a_picture_outside_of_its_folder_is_refused(served: Served) -> None:
    status, answer = served.ask(f"/picture?sample={quote(SAMPLE)}")
    assert status == 404
    assert "no picture of" in answer
    for path in ("/picture?sample=../secret.png", "/static/../../web_app.py", "/static/%2e%2e/web_app.py"):
        assert served.ask(path)[0] == 404


def test_a_foreign_host_and_a_foreign_origin_are_refused(served: Served) -> None:
    assert served.ask("/", Host="evil.example")[0] == 400
    assert served.ask("/", Origin="http://evil.example")[0] == 403
    assert served.ask("/console", method="POST", body="cypher=RETURN+1")[0] == 403
    assert served.ask("/console", method="POST", body="cypher=RETURN+1", Origin="null")[0] == 403
    assert served.ask("/again", method="POST", Origin="http://evil.example")[0] == 403
    assert served.ask("/console", method="POST", body="cypher=RETURN+1", Origin=served.base)[0] == 200


def test_nobody_comes_in_without_the_token(served: Served) -> None:
    for path in ("/", "/static/explorer.css", "/design/design.css", "/picture?sample=x", "/?token=guess"):
        assert served.ask(path, Cookie="kbe_1=x")[0] == 403


def test_what_was_written_since_is_there_once_it_is_read_again(served: Served) -> None:
    assert served.ask("/again", method="POST", Origin=served.base)[0] == 303
    assert served.ask("/")[0] == 200


def test_a_port_that_is_taken_is_told(filled: Path, served: Served) -> None:
    port = urlsplit(served.base).port
    said = kbe("-w", filled, "explore", "--port", port, "--no-browser", code=1)
    assert f"port {port}" in said
    assert "choose another `port`" in said


def test_pages_send_a_policy_that_runs_no_script_of_theirs(quiet_page: Page) -> None:
    answer = quiet_page.goto("/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


def test_a_long_query_is_ended_at_its_limit_and_other_pages_are_served_meanwhile(served: Served, evolved: str) -> None:
    endless = "MATCH (a:Entity), (b:Entity), (c:Entity), (d:Entity), (e:Entity) RETURN count(a.name + b.name) AS many"
    with ThreadPoolExecutor() as pool:
        query = pool.submit(
            served.ask, "/console", method="POST", body=f"seconds=4&cypher={quote(endless)}", Origin=served.base
        )
        time.sleep(0.5)
        assert served.ask(f"/sample?id={evolved}")[0] == 200
        assert not query.done()
        status, answer = query.result()
    assert (status, "longer than its limit of 4 seconds" in answer) == (400, True)
    assert served.ask(f"/sample?id={evolved}")[0] == 200
