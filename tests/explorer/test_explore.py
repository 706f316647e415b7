"""The pages of ``kbe explore`` in a real browser, and what their door keeps out."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_faults import grave_faults
from explorers import Served, explored
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

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
        stated = Triplet(Entity(HOSTILE), "chases", Entity("CAT"), "textual", "model m", "0a1b")
        graph = SampleGraph(SAMPLE, (depicts, *more), (stated,), (depicts,))
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
    expect(quiet_page.locator(".chain table").first).to_contain_text("<i>llava</i>")
    expect(quiet_page.locator("#triplets")).to_contain_text("stated by the model, call 0a1b")
    expect(quiet_page.locator(".chain script, td i")).to_have_count(0)
    quiet_page.locator("#triplets").get_by_role("link", name="<SCRIPT>").or_(
        quiet_page.locator("#triplets").get_by_role("link", name="<script>")
    ).first.click()
    assert "script" in quiet_page.locator("h1").inner_text()
    assert "bad" not in quiet_page.title().split(" ")


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
    quiet_page.goto("/samples")
    quiet_page.get_by_role("link", name="all models wrong: 1", exact=True).click()
    expect(quiet_page.locator(".cards li")).to_have_count(1)
    assert HOSTILE in quiet_page.locator(".cards li").first.inner_text()
    quiet_page.goto("/samples?q=sky+nowhere")
    expect(quiet_page.get_by_text("No question contains all of these words.")).to_be_visible()
    quiet_page.goto("/run?name=demo-0")
    expect(quiet_page.locator("tr", has_text="<i>llava</i>")).to_contain_text("0.0 % of 1")
    quiet_page.get_by_role("link", name="hop 2: 4", exact=True).click()
    assert set(quiet_page.locator(".cards .chip:nth-of-type(1)").all_inner_texts()) == {"hop 2"}
    expect(quiet_page.locator(".cards li")).to_have_count(4)
    quiet_page.locator(".cards a").first.click()
    expect(quiet_page.locator("#hop")).to_have_value("2")


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


def test_axe_finds_nothing_serious(quiet_page: Page, evolved: str) -> None:
    pages = ("/", "/samples?q=dog", f"/sample?id={evolved}", "/entity?name=thing+12", "/run?name=demo-0&reason=leak")
    for address in (*pages, "/console?name=relation_frequency"):
        quiet_page.goto(address)
        assert grave_faults(quiet_page) == [], address
