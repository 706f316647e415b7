"""The pages of ``kbe explore`` in a real browser, and what their door keeps out."""

import importlib.resources
import json
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
SIZES = {"desktop": (1280, 720), "phone": (390, 844)}


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
        work.folder.manifest("other").parent.mkdir(parents=True, exist_ok=True)
        shares = {"raw": {"nearest": 0.1}, "hop 1": {"relation": 0.0357, "chain": 0.05, "nearest": 0.047}}
        guesses = {"samples": 700, "guessed from": 500, "shares": shares}
        work.folder.manifest("other").write_text(json.dumps({"run": "other", "guesses": guesses}))
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
        "/search?q=thing+12",
        "/sample?id=",
        "/entity?name=thing+12",
        "/relation?name=is+with+12",
        "/run?name=demo-0&reason=leak&beside=other",
        "/benchmark?name=demo",
        "/samples?run=demo-0&hop=2",
        "/console?name=relation_frequency",
    ],
)
def test_axe_finds_nothing_serious(quiet_page: Page, evolved: str, address: str) -> None:
    own = evolved if address.endswith("id=") else ""
    assert _grave_faults(quiet_page, address + own, "{resultTypes: ['violations']}") == []


@pytest.mark.parametrize("address", ["/", "/search?q=demo", "/run?name=demo-0&hop=1", "/sample?id="])
def test_axe_finds_enough_contrast_in_the_dark(quiet_page: Page, evolved: str, address: str) -> None:
    quiet_page.emulate_media(color_scheme="dark")
    grave = _grave_faults(
        quiet_page, address + (evolved if address.endswith("id=") else ""), "{runOnly: ['color-contrast']}"
    )
    quiet_page.emulate_media(color_scheme="light")
    assert grave == []


def test_the_overview_tells_what_became_of_the_samples(quiet_page: Page) -> None:
    quiet_page.goto("/")
    assert "58" in quiet_page.get_by_role("row", name="loaded").inner_text()
    expect(quiet_page.get_by_role("link", name="Run demo-0", exact=True)).to_be_visible()
    expect(quiet_page.locator(".growth polyline")).to_have_count(1)


def test_the_overview_tells_how_often_a_run_is_guessed_without_pictures(quiet_page: Page) -> None:
    quiet_page.goto("/")
    table = quiet_page.get_by_role("region", name="guesses of run other")
    assert table.get_by_role("row").all_inner_texts() == [
        "questions\tnearest\trelation\tchain",
        "raw\t10.0 %\t\t",
        "hop 1\t4.7 %\t3.6 %\t5.0 %",
    ]
    expect(quiet_page.get_by_text("Too few samples to measure how many")).to_be_visible()


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


def test_relations_of_questions_come_first(quiet_page: Page) -> None:
    quiet_page.goto("/")
    quiet_page.get_by_role("link", name="relations", exact=False).last.click()
    quiet_page.wait_for_url("**/relations")
    relations = _by_heading(quiet_page.get_by_role("region", name="relations by hop"))
    hops, graphs = ["hop 1", "hop 2", "hop 3"], ["textual", "visual"]
    used = [sum(int(row[hop] or 0) for hop in hops) for row in relations]
    assert list(relations[0]) == ["relation", "facts in questions", *hops, *graphs, "triplets"]
    assert [int(row["facts in questions"] or 0) for row in relations] == sorted(used, reverse=True)
    assert all(int(row["triplets"]) == sum(int(row[place] or 0) for place in (*hops, *graphs)) for row in relations)
    quiet_page.locator("a[rel=next]").click()
    assert "from=50" in quiet_page.url


def test_headings_stand_over_their_columns(quiet_page: Page) -> None:
    quiet_page.goto("/")
    guesses = _by_heading(quiet_page.get_by_role("region", name="guesses of run other"))
    assert guesses == [
        {"questions": "raw", "nearest": "10.0 %", "relation": "", "chain": ""},
        {"questions": "hop 1", "nearest": "4.7 %", "relation": "3.6 %", "chain": "5.0 %"},
    ]
    stages = _by_heading(quiet_page.get_by_role("region", name="stages of run demo-0"))
    assert [stage["stage"] for stage in stages] == ["with a root", "hop 1", "hop 2", "hop 3"]
    assert [stage["of"] for stage in stages[1:]] == [stage["kept"] for stage in stages[:-1]]


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/benchmark?name=demo",
        "/run?name=other&beside=demo-0",
        "/run?name=demo-0&hop=2",
        f"/sample?id={quote(SAMPLE)}",
        "/entity?name=table",
        "/relation?name=on",
        "/relations",
    ],
)
def test_each_cell_stands_under_its_heading(quiet_page: Page, address: str, size: tuple[int, int]) -> None:
    quiet_page.set_viewport_size({"width": size[0], "height": size[1]})
    quiet_page.goto(address)
    apart = quiet_page.locator("table").evaluate_all(
        """tables => tables.flatMap(table => {
          const heads = [...table.tHead.rows[0].cells].filter(each => each.checkVisibility());
          const rows = [...table.tBodies[0].rows].filter(row => row.checkVisibility() && row.cells[0].colSpan === 1);
          return rows.flatMap(row => heads.map((head, place) => [head, row.cells[place]]).filter(([head, cell]) => {
            const [one, other] = [head.getBoundingClientRect(), cell.getBoundingClientRect()];
            const isNumber = each => each.classList.contains("number");
            return Math.abs(one.left - other.left) > 1 || Math.abs(one.right - other.right) > 1
              || isNumber(head) !== isNumber(cell);
          }).map(([head, cell]) => [head.textContent, cell.textContent]));
        })"""
    )
    quiet_page.set_viewport_size({"width": 1280, "height": 720})
    assert quiet_page.locator("table").count() > 0
    assert apart == []


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
    answers = _by_heading(quiet_page.get_by_role("region", name="model answers"))
    assert answers == [{"model": "<i>llava</i>", "question": "raw", "answer": HOSTILE, "by rule": "wrong"}]
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


def test_the_search_finds_questions_entities_and_relations(quiet_page: Page) -> None:
    quiet_page.goto("/")
    quiet_page.keyboard.press("/")
    quiet_page.keyboard.type("thing 12")
    quiet_page.keyboard.press("Enter")
    quiet_page.wait_for_url("**/search?q=thing+12")
    expect(quiet_page.get_by_role("link", name="thing 120", exact=True)).to_be_visible()
    quiet_page.goto("/search?q=which+ONE")
    hit = quiet_page.locator(".hits li", has_text="Which one is it?")
    assert hit.locator("mark").all_inner_texts() == ["Which", "one"]
    assert hit.locator(".chip").inner_text() == "hop 1"
    assert hit.locator(".source").inner_text().endswith(", run other")
    quiet_page.goto("/search?q=is+with")
    expect(quiet_page.get_by_role("heading", name="Relations (130)")).to_be_visible()
    expect(quiet_page.get_by_text("first 100 of 130")).to_be_visible()
    quiet_page.goto("/search?q=sky+nowhere")
    expect(quiet_page.get_by_text("No question, entity or relation contains all of these words.")).to_be_visible()
    expect(quiet_page.locator("h2")).to_have_count(0)


def test_a_search_marks_words_and_runs_none(quiet_page: Page) -> None:
    quiet_page.goto(f"/search?q={quote('<script> bad')}")
    assert HOSTILE in quiet_page.locator(".hits li").inner_text()
    assert set(quiet_page.locator(".hits a mark").all_inner_texts()) == {"<script>", "bad"}
    expect(quiet_page.locator("main script")).to_have_count(0)


def test_samples_lead_to_those_beside_them(quiet_page: Page, evolved: str) -> None:
    quiet_page.goto(f"/sample?id={evolved}&run=demo-0")
    first = quiet_page.url
    quiet_page.locator("a[rel=next], a[rel=prev]").last.click()
    assert quiet_page.url != first
    assert "run=demo-0" in quiet_page.url
    quiet_page.locator("a[rel=prev], a[rel=next]").first.click()
    expect(quiet_page.locator(".chain")).to_be_visible()


def test_the_page_in_sight_is_marked(quiet_page: Page) -> None:
    for address, name in (("/", "kbe explore"), ("/run?name=demo-0", "run demo-0"), ("/console", "console")):
        quiet_page.goto(address)
        assert quiet_page.locator("header [aria-current=page]").all_inner_texts() == [name]


def test_an_entity_and_a_relation_lead_to_each_other(quiet_page: Page) -> None:
    quiet_page.goto("/entity?name=Table")
    quiet_page.get_by_role("link", name="on", exact=True).first.click()
    assert quiet_page.locator("h1").inner_text() == "on"
    quiet_page.get_by_role("region", name="objects by share").get_by_role("link").first.click()
    assert "An entity in" in quiet_page.locator("main").inner_text()
    quiet_page.locator(".cards a").last.click()
    assert quiet_page.url.split("/")[-1].startswith("sample?id=")


def test_a_run_tells_its_drops_and_what_another_asked_differently(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=demo-0")
    quiet_page.get_by_role("link", name="cycle: ", exact=False).first.click()
    reasons = (
        quiet_page.get_by_role("region", name="dropped candidates").locator("tbody td:nth-child(4)").all_inner_texts()
    )
    assert set(reasons) == {"cycle"}
    quiet_page.locator("#beside").select_option("other")
    quiet_page.get_by_role("button", name="Compare").click()
    expect(quiet_page.get_by_text("Which one is it?")).to_be_visible()
    assert "beside=other" in quiet_page.url


def test_a_run_shows_its_kept_questions_before_those_it_dropped(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=demo-0")
    whole = "42 kept questions: 2 re-selected, 29 at hop 1, 10 at hop 2, 1 at hop 3."
    expect(quiet_page.get_by_text(whole, exact=True)).to_be_visible()
    heads = quiet_page.locator("h2").all_inner_texts()
    assert heads == ["Stages", "Kept questions", "Compare with another run", "Dropped candidates"]
    expect(quiet_page.get_by_role("region", name="dropped candidates")).to_be_hidden()
    assert quiet_page.locator(".cards .chip").first.inner_text() == "hop 3"
    quiet_page.get_by_role("link", name="hop 2: 10", exact=True).click()
    assert set(quiet_page.locator(".cards .chip:nth-of-type(1)").all_inner_texts()) == {"hop 2"}
    expect(quiet_page.locator(".cards li")).to_have_count(10)
    quiet_page.locator(".cards a").first.click()
    assert "hop=2" in quiet_page.url
    expect(quiet_page.locator("#hop")).to_have_value("2")


def test_dropped_candidates_are_taken_by_hop(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=demo-0")
    hops = quiet_page.get_by_role("navigation", name="hops of dropped candidates")
    count = hops.get_by_role("link", name="hop 3").inner_text().split()[-1]
    hops.get_by_role("link", name="hop 3").click()
    quiet_page.wait_for_url("**hop=3")
    rows = _by_heading(quiet_page.get_by_role("region", name="dropped candidates"))
    assert [row["hop"] for row in rows] == ["3"] * int(count)
    expect(quiet_page.get_by_text(f"all reasons: {count}", exact=True)).to_be_visible()


def test_each_benchmark_has_its_samples_with_small_pictures(quiet_page: Page) -> None:
    quiet_page.goto("/")
    shelves = quiet_page.locator("section").filter(has=quiet_page.get_by_role("heading", name="Benchmarks"))
    assert shelves.locator(".text").all_inner_texts() == ["demo", "odd"]
    expect(shelves.locator("li").last.locator("img")).to_have_count(0)  # its picture lies outside of the folders
    shelves.get_by_role("link", name="odd").click()
    quiet_page.get_by_role("link", name="Browse the sample").click()
    expect(quiet_page.locator(".cards li")).to_have_count(1)
    assert HOSTILE in quiet_page.locator(".cards li").inner_text()
    expect(quiet_page.locator(".cards img")).to_have_count(0)
    quiet_page.get_by_role("link", name="demo", exact=True).click()
    size = "async image => { await image.decode(); return [image.naturalWidth, image.naturalHeight] }"
    assert max(quiet_page.locator(".cards img").first.evaluate(size)) == 240
    quiet_page.locator("a[rel=next]").click()
    expect(quiet_page.locator(".cards li")).to_have_count(7)


def test_a_benchmark_has_a_page_with_its_samples_its_states_and_its_runs(quiet_page: Page) -> None:
    quiet_page.goto("/")
    quiet_page.get_by_role("link", name="demo", exact=True).click()
    expect(quiet_page.locator("h1")).to_have_text("Benchmark demo")
    states = _by_heading(quiet_page.get_by_role("region", name="samples by stage"))
    assert [(state["stage"], state["kept"], state["of"]) for state in states] == [
        ("loaded", "57", "57"),
        ("with a graph", "57", "57"),
    ]
    runs = _by_heading(quiet_page.get_by_role("region", name="kept questions by run"))
    assert [run["run"] for run in runs] == ["demo-0", "other"]
    assert sum(int(runs[0][name] or 0) for name in ("re-selected", "hop 1", "hop 2", "hop 3")) == int(runs[0]["kept"])
    assert quiet_page.locator(".cards li").count() == 12
    quiet_page.get_by_role("link", name=runs[0]["hop 2"], exact=True).first.click()
    expect(quiet_page.locator(".cards li")).to_have_count(int(runs[0]["hop 2"]))
    quiet_page.locator("h1").get_by_role("link", name="demo", exact=True).click()
    quiet_page.wait_for_url("**/benchmark?name=demo")


def test_the_first_page_shows_photos_of_each_run_and_does_not_jump_when_they_come(page: Page) -> None:
    place = "cards => cards.map(card => JSON.stringify(card.getBoundingClientRect()))"
    page.route("**/picture?*", lambda route: route.abort())
    page.goto("/")
    without = page.locator(".shelves li, h2").evaluate_all(place)
    page.unroute("**/picture?*")
    page.goto("/")
    photos = page.locator(".shelves img")
    for photo in photos.all():
        assert photo.get_attribute("loading") == "lazy"
        assert photo.evaluate(
            "async photo => { photo.loading = 'eager'; await photo.decode(); return photo.naturalWidth }"
        )
    assert photos.count() >= 8
    assert page.locator(".shelves li, h2").evaluate_all(place) == without


@pytest.mark.parametrize("address", ["/samples?run=nosuch", "/samples?benchmark=nosuch", "/benchmark?name=nosuch"])
def test_a_gallery_of_what_is_not_there_is_refused(served: Served, address: str) -> None:
    status, text = served.ask(address)
    assert (status, "&#39;nosuch&#39;; available" in text) == (404, True)
    assert served.ask("/samples?hop=nosuch&run=demo-0")[0] == 200


def test_a_hash_is_cut_for_readers(quiet_page: Page) -> None:
    quiet_page.goto("/run?name=other")
    quiet_page.get_by_text("Settings", exact=True).click()
    assert quiet_page.locator("details dd").all_inner_texts() == ["0123456789ab… of a pack"]
    assert quiet_page.locator("dd span").get_attribute("title") == "0123456789abcdef" * 4


def test_the_growth_of_relations_has_its_axes(quiet_page: Page) -> None:
    quiet_page.goto("/")
    with_odd = quiet_page.locator(".growth text").all_text_contents()
    assert with_odd[1:] == ["0", "0", "58", "samples", "relations"]
    assert int(with_odd[0]) > 100


def _faults_of_graph(page: Page) -> dict[str, object]:
    """Return the faults of a drawn graph: small labels, labels over each other, and what its box cuts off."""
    return page.locator("#graph").evaluate(
        """graph => {
          const labels = [...graph.querySelectorAll(".node, .edge > span")].filter(each => each.checkVisibility());
          const boxes = labels.map(each => [each.title || each.textContent, each.getBoundingClientRect()]);
          const box = graph.getBoundingClientRect();
          return {
            labels: labels.length,
            small: labels.filter(each => parseFloat(getComputedStyle(each).fontSize) < 12).length,
            over: boxes.flatMap(([one, a], place) => boxes.slice(place + 1).filter(([, b]) =>
              a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
            ).map(([other]) => [one, other])),
            out: boxes.filter(([, b]) => b.left < box.left || b.right > box.right || b.bottom > box.bottom).length,
            scrolls: graph.scrollWidth > graph.clientWidth || graph.scrollHeight > graph.clientHeight,
          };
        }"""
    )


def _draw_many(page: Page) -> None:
    """Draw as many edges of all samples as the console draws."""
    page.goto("/console")
    page.fill("#cypher", "MATCH (a:Entity)-[e:VISUAL|TEXTUAL]->(b:Entity) RETURN a, e, b")
    page.fill("#rows", "1000")
    page.get_by_role("button", name="Run").click()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("shown", ["chain", "odd names", "many"])
def test_each_label_of_a_graph_can_be_read_at_first_sight(
    quiet_page: Page, evolved: str, shown: str, size: tuple[int, int]
) -> None:
    quiet_page.set_viewport_size({"width": size[0], "height": size[1]})
    if shown == "many":
        _draw_many(quiet_page)
    else:
        quiet_page.goto(f"/sample?id={quote(evolved if shown == 'chain' else SAMPLE)}")
    faults = _faults_of_graph(quiet_page)
    quiet_page.set_viewport_size({"width": 1280, "height": 720})
    assert int(str(faults.pop("labels"))) > 10
    assert faults == {"small": 0, "over": [], "out": 0, "scrolls": False}


def test_a_long_name_in_a_graph_is_cut_with_the_whole_one_as_its_title(quiet_page: Page) -> None:
    quiet_page.goto(f"/sample?id={quote(SAMPLE)}")
    node = quiet_page.locator(".node").filter(has_text="AND MORE")
    assert node.get_attribute("title") == f"THING 7{LONG}"
    assert node.evaluate("node => node.scrollWidth > node.clientWidth")


def test_a_graph_shows_where_else_the_same_thing_is(quiet_page: Page, evolved: str) -> None:
    quiet_page.goto(f"/sample?id={evolved}&run=demo-0")
    copy = quiet_page.locator("#graph .node.copy").first
    copy.hover()
    same = quiet_page.locator("#graph .node.same")
    assert same.count() >= 2
    assert set(same.all_inner_texts()) == {copy.inner_text()}


@pytest.mark.parametrize("address", ["/", "/benchmark?name=odd", "/run?name=demo-0", "/samples", "/search?q=demo"])
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
    lines = quiet_page.locator(".chain .source").all_inner_texts()
    assert f"not named without the picture by <i>m</i>: {HOSTILE}" in lines


def test_the_console_asks_draws_and_can_be_shared(quiet_page: Page) -> None:
    quiet_page.goto("/console")
    quiet_page.fill("#cypher", "MATCH (a:Entity)-[e:VISUAL]->(b:Entity) RETURN a, e, b")
    quiet_page.fill("#rows", "3")
    quiet_page.locator("#cypher").press("Control+Enter")
    assert quiet_page.get_by_role("status").inner_text() == "The first 3 rows; there are more."
    assert quiet_page.locator("#graph .node").count() >= 2
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
    for path in ("/sample?id=nothing", "/entity?name=nothing", "/relation?name=nothing", "/run?name=nothing"):
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
