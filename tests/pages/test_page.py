"""The page of a report in a real browser: it opens, filters, links, is gone through by keys, and asks for nothing."""

import importlib.resources
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

import pytest
from commands import kbe_here
from playwright.sync_api import expect
from report_cases import HOSTILE, SKILLS, answers_of, chain, hostile_source, source_of

import kbe_graph as kbe
from kbe_graph.pages.charts import charts
from kbe_graph.pages.page import encode_pictures, picture_parts, write_page
from kbe_graph.pages.report_data import report_data

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


A4 = 718  # pixels: 210 mm less margins of 10
NBSP = "\N{NO-BREAK SPACE}"
COLOUR = re.compile(r"#[0-9a-f]{6}\b|: *#[0-9a-f]{3}\b|\brgba?\(|\bhsla?\(", re.IGNORECASE)


@pytest.fixture(scope="module")
def report(demo_looked_at: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demo's run, answered by five models."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    with kbe.Workspace(demo_looked_at, progress=False) as work:
        predictions = answers_of([*work.questions(run="raw"), *work.questions(run="demo-0")])
        work.report(file, predictions=predictions, guess=False)
    return file


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """A page that must say nothing on its console, and ask for nothing but itself."""
    context = browser.new_context()
    page = context.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else heard.append(request.url)
    )
    yield page
    context.close()
    assert heard == []


def opened(page: "Page", report: Path, address: str = "") -> "Page":
    page.goto("about:blank")
    page.goto(report.as_uri() + address)
    page.wait_for_selector("html[data-ready]")
    return page


def entries(page: "Page") -> list[str]:
    return page.locator("#list button").all_inner_texts()


def test_the_command_writes_the_page_and_the_files_that_are_wanted(demo_looked_at: Path, tmp_path: Path) -> None:
    w, file = demo_looked_at, tmp_path / "r.html"
    wanted = (
        "--json",
        tmp_path / "f.json",
        "--csv",
        tmp_path / "c",
        "--latex",
        tmp_path / "l",
        "--figures",
        tmp_path / "d",
    )
    said = kbe_here("-w", w, "report", file, "--no-pictures", *wanted)
    assert re.fullmatch(rf"wrote a report of \d+ questions to {re.escape(str(file))}\n", said)
    tables = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert tables["run"] == "demo-0"
    assert {"funnel", "guesses", "relations", "table2"} <= set(tables)
    assert (tmp_path / "c" / "guesses.csv").exists()
    assert (tmp_path / "l" / "table2.tex").exists()
    assert (tmp_path / "d" / "guesses.png").read_bytes().startswith(b"\x89PNG")
    assert "no model calls, so no cost" in file.read_text(encoding="utf-8")
    assert "cannot write" in kbe_here("-w", w, "report", tmp_path / "no" / "r.html", "--no-guess", code=1)
    assert "no run 'other'" in kbe_here("-w", w, "report", file, "--run", "other", code=1)


def test_it_opens_with_all_its_parts(page: "Page", report: Path) -> None:
    opened(page, report)
    assert page.title() == "Report of run demo-0"
    assert page.locator("h2").all_inner_texts() == [
        *("Accuracy by hop", "A typical question", "Questions", "Kept at each stage", "From hop to hop"),
        *("Errors by relation and source", "The paper's tables", "Relations by hop", "Difficulty of the questions"),
        *("Judge and strict match", "Not in this report"),
    ]
    assert page.locator("figure svg").count() == 3
    assert page.locator("table.paper").count() == 7
    assert page.locator("#guesses").inner_text() == "Guessed without the picture: not measured."
    assert (
        page.locator("#item img").evaluate("async image => { await image.decode(); return image.naturalWidth }") > 100
    )


def test_it_begins_with_the_result(page: "Page", report: Path) -> None:
    opened(page, report)
    assert (
        page.inner_text(".headline .result") == "demo: 40 new questions on 57 samples (hop 1: 29, hop 2: 10, hop 3: 1)"
    )
    assert page.inner_text(".headline").count("57 raw + 2 re-selected + 40 new = 99 questions.") == 1
    rows = page.locator(".headline tbody tr").all()
    assert len(rows) == len(SKILLS)
    name, *shares, change, means = (cell.inner_text().replace(NBSP, " ") for cell in rows[0].locator("th, td").all())
    assert name == "model A"
    assert [bool(re.fullmatch(r"\d+ %", share)) for share in shares] == [True] * 3, "raw, hop 1 and hop 2 are drawn"
    assert re.fullmatch(
        r"[+-]\d+ points at hop 1 \(95 % interval [+-]\d+ to [+-]\d+\)\n"
        rf"on the same 29 samples, raw: \d+ % \({shares[0]} on all 57\)",
        change,
    )
    assert "Holm p" in means


def test_a_typical_question_stands_with_its_photo_and_answers_beside_the_result(page: "Page", report: Path) -> None:
    opened(page, report)
    assert page.locator("#typical img").evaluate("image => image.naturalWidth") > 100
    assert page.locator("#typical .row").all_inner_texts() == ["raw", "hop 1"]
    assert [line.split(":")[0] for line in page.locator("#typical li").all_inner_texts()] == list(SKILLS)
    page.click("#typical a")
    chosen = page.locator("#item .question[aria-current]")
    expect(chosen.locator(".text")).to_have_text(page.locator("#typical strong").inner_text())
    figure, typical, questions = (page.locator(part).bounding_box() for part in ("#accuracy", "#typical", "#items"))
    assert typical["x"] > figure["x"] + figure["width"], "at a desk it stands beside the drawing"
    assert questions["y"] < figure["y"] + figure["height"] + typical["height"], "the questions come next"


def test_no_part_of_the_page_is_empty(page: "Page", report: Path) -> None:
    opened(page, report)
    parts = page.locator("main section").evaluate_all(
        "all => all.filter(one => !one.querySelector('table, figure, ul, form, article')).map(one => one.id)"
    )
    heads = page.locator("main h3").evaluate_all(
        "all => all.filter(one => one.nextElementSibling?.matches('h3, .note')).map(one => one.textContent)"
    )
    assert (parts, heads) == ([], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: "Browser", report: Path, scheme: Literal["light", "dark"]) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = opened(context.new_page(), report)
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
    serious = [each for each in violations if each["impact"] in {"serious", "critical"}]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []
    context.close()


def test_on_paper_all_of_it_is_as_wide_as_a_sheet(browser: "Browser", report: Path) -> None:
    context = browser.new_context(viewport={"width": A4, "height": 1000})
    page = opened(context.new_page(), report)
    page.emulate_media(media="print")
    beyond = "all => all.filter(one => one.getBoundingClientRect().right > innerWidth).map(one => one.outerHTML)"
    assert page.locator("main :is(table, figure, img)").evaluate_all(beyond) == []
    assert page.evaluate("document.documentElement.scrollWidth") == A4
    context.close()


def test_colours_stand_in_the_look_that_all_pages_share_alone() -> None:
    package = Path(kbe.__file__).parent
    texts = [
        file for kind in ("css", "html", "js") for file in package.rglob(f"*.{kind}") if "vendor" not in file.parts
    ]
    own = {file.name for file in texts if COLOUR.search(file.read_text(encoding="utf-8"))}
    assert own == {"design.css"}


def test_a_row_of_few_questions_has_no_interval_and_no_p(page: "Page", report: Path) -> None:
    opened(page, report)
    table = page.get_by_role("region", name="Paired differences between hops")
    heads = table.locator("th").all_inner_texts()
    assert not {"benchmark", "judge"} & set(heads), "they are the same in each row"
    rows = [
        (row.is_visible(), dict(zip(heads, row.locator("td").all_inner_texts(), strict=True)))
        for row in table.locator("tbody tr").all()
    ]
    few = [(shown, row) for shown, row in rows if int(row["pairs"]) < 6]
    assert {(shown, bool(row["p"])) for shown, row in few} == {(False, False)}
    shown = [row for shown, row in rows if shown]
    assert [bool(row["p"] and row["low"]) for row in shown] == [True] * 12
    page.locator("#hops").get_by_text(f"Show all {len(rows)} rows (12 shown)").click()
    assert table.locator("tbody tr").last.is_visible()


def test_a_long_table_is_not_the_whole_of_the_page(page: "Page", report: Path) -> None:
    opened(page, report)
    heights = [
        element.bounding_box()["height"] for element in page.locator("main .scroll").all() if element.is_visible()
    ]
    assert max(heights) < 900


def test_questions_are_filtered_by_words_hop_relation_model_and_verdict(page: "Page", report: Path) -> None:
    opened(page, report)
    total = page.inner_text("#count").split()[0]
    page.fill("#words", "visitor river")
    assert all("visitor" in entry and "river" in entry for entry in entries(page))
    page.click("button[type=reset]")
    expect(page.locator("#count")).to_have_text(f"{total} of {total} questions")
    page.select_option("#row", "hop 2")
    relation = page.locator("#relation option").nth(1).inner_text()
    assert all("hop 2" in entry for entry in entries(page))
    page.select_option("#row", "")
    page.select_option("#relation", relation)
    assert 0 < int(page.inner_text("#count").split()[0]) < 25
    page.select_option("#relation", "")
    page.select_option("#model", "model A")
    counts = []
    for verdict in "rw":
        page.select_option("#verdict", verdict)
        counts.append(int(page.inner_text("#count").split()[0]))
    assert sum(counts) == int(total)
    assert counts[0] > counts[1]


def test_the_questions_of_two_benchmarks_are_told_apart(page: "Page", report: Path, tmp_path: Path) -> None:
    opened(page, report)
    assert page.locator("#benchmark").is_hidden(), "there is one alone"
    questions = [question for number in range(3) for question in chain(number)]
    other = [
        replace(question, id=f"a{question.id}", sample=f"a{question.sample}", text=f"Another? {question.text}")
        for question in questions
    ]
    source = source_of([], count=3)
    samples = {f"a{id_}": replace(sample, id=f"a{id_}", benchmark="aokvqa") for id_, sample in source.samples.items()}
    data = report_data(replace(source, samples=source.samples | samples, questions=[*questions, *other]))
    write_page(data, [], tmp_path / "report.html")
    opened(page, tmp_path / "report.html")
    assert [line.split(":")[0] for line in page.locator(".headline .result").all_inner_texts()] == ["aokvqa", "okvqa"]
    page.select_option("#benchmark", "aokvqa")
    assert page.inner_text("#count") == "6 of 12 questions"
    assert all("Another?" in entry for entry in entries(page))


def test_a_link_leads_to_its_item_and_back(page: "Page", report: Path) -> None:
    opened(page, report, "#item=demo%2Fdemo%2F183709-country%40demo-0%2F2")
    chosen = page.locator("#item .question[aria-current] .row")
    assert chosen.inner_text().startswith("hop 2")
    assert page.locator("#item .question[aria-current] .answers tbody tr").count() == len(SKILLS)
    page.locator("#item a").first.click()
    expect(chosen).to_have_text(re.compile("^raw"))
    page.go_back()
    expect(chosen).to_have_text(re.compile("^hop 2"))
    opened(page, report, "#item=nothing")
    assert page.inner_text("#item") == "No question nothing in this report."


def test_what_is_right_without_ground_leads_to_its_question(page: "Page", report: Path) -> None:
    opened(page, report)
    link = page.locator("#hops a").first
    id_ = link.inner_text()
    link.click()
    address = page.locator("#item .question[aria-current] .row a").get_attribute("href")
    assert address == f"#item={quote(id_, safe='')}"
    assert "pairs of questions. These comparisons have" in page.inner_text("#hops")
    assert "no answers to paraphrased raw questions yet" in page.inner_text("#memory")


def test_filters_stand_in_the_address(page: "Page", report: Path) -> None:
    opened(page, report)
    page.select_option("#row", "hop 3")
    count = page.inner_text("#count")
    address = page.evaluate("location.hash")
    assert "row=hop+3" in address
    opened(page, report, address)
    assert page.inner_text("#count") == count
    opened(page, report, "#costs")
    assert len(entries(page)) == 10


def test_it_is_gone_through_by_keys(page: "Page", report: Path) -> None:
    opened(page, report)
    current = page.locator("#list [aria-current]")
    first = current.text_content() or ""
    page.keyboard.press("j")
    expect(current).not_to_have_text(first)
    page.keyboard.press("k")
    expect(current).to_have_text(first)
    page.keyboard.press("/")
    page.keyboard.type("jk/")
    assert page.input_value("#words") == "jk/"
    assert page.inner_text("#count").startswith("0 of")
    page.fill("#words", "")
    page.focus("#after")
    page.keyboard.press("Enter")
    assert page.inner_text("#page").startswith("page 2 of ")


@pytest.mark.parametrize(
    "look", [{"viewport": {"width": 360, "height": 700}}, {"color_scheme": "dark"}], ids=["phone", "dark"]
)
def test_it_fits_a_phone_and_the_night(browser: "Browser", report: Path, look: dict[str, object]) -> None:
    context = browser.new_context(**look)
    page = opened(context.new_page(), report)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ink, back = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    assert (lightness(ink) > lightness(back)) == ("color_scheme" in look)
    drawn = page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert drawn == ink
    context.close()


def test_on_a_phone_no_reason_is_cut_and_the_first_column_stays(browser: "Browser", report: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = opened(context.new_page(), report)
    cut = "cells => cells.filter(cell => cell.getBoundingClientRect().right > innerWidth).length"
    assert page.locator(".funnel td").evaluate_all(cut) == 0
    table = page.get_by_role("region", name="Paired differences between hops")
    first = table.locator("tbody td").first
    before = first.bounding_box()
    table.evaluate("region => region.scrollLeft = 200")
    assert first.bounding_box() == before
    context.close()


def test_drawings_are_as_wide_as_a_desk_lets_them(page: "Page", report: Path) -> None:
    opened(page, report)
    widths = page.locator("figure svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert min(widths) >= 600
    assert max(widths) == 704
    assert "n = 57" in page.locator("#accuracy figure").inner_text()


def lightness(colour: str) -> int:
    return sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(","))


def test_hostile_data_is_shown_as_text(page: "Page", tmp_path: Path) -> None:
    data = report_data(hostile_source())
    write_page(data, charts(data), tmp_path / "report.html")
    opened(page, tmp_path / "report.html")
    assert page.title().startswith("Report of run r <script>")
    assert page.locator("#item .text").first.inner_text() == HOSTILE
    assert page.locator("#item .path .edge").first.inner_text() == HOSTILE
    assert page.locator("#item .answers td").first.inner_text() == HOSTILE
    said = page.locator("#item .question").last.locator("p.row").all_inner_texts()[1:]
    assert page.locator("#item .answers th").all_inner_texts()[:3] == ["model", "answer", f"by {HOSTILE}"]
    assert said == [
        f"not named without the picture by {HOSTILE}: {HOSTILE}",
        f"if the picture showed {HOSTILE}: {HOSTILE}",
    ]
    assert page.locator("#guesses tbody tr").last.locator("td, th").all_inner_texts() == [
        *(HOSTILE, "1", "0", "0 of 1", HOSTILE)
    ]
    assert page.locator("script:not([type])").count() == 1
    page.select_option("#model", HOSTILE)
    assert len(entries(page)) == 2


def test_without_pictures_it_says_so(page: "Page", report: Path, tmp_path: Path) -> None:
    data = report_data(hostile_source())
    write_page(data, [], tmp_path / "report.html", pictures=False)
    opened(page, tmp_path / "report.html")
    assert page.inner_text("#item > .note") == "This report has no pictures."
    assert "pictures-0" in report.read_text(encoding="utf-8")


def test_pictures_are_made_as_small_as_it_takes_and_what_is_none_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "none.jpg").write_text("no picture")
    files = [*sorted(kbe.demo().images.glob("*.jpg")), tmp_path / "none.jpg"]
    whole, small = (dict(encode_pictures(files, most_bytes)) for most_bytes in (32 << 20, 150_000))
    assert set(whole) == set(range(len(files) - 1))
    assert sum(map(len, small.values())) <= 150_000 < sum(map(len, whole.values()))
    assert dict(encode_pictures(files, 100)) == {}


def test_pictures_stand_in_parts_and_keep_their_numbers_where_one_is_left_out() -> None:
    pictures = [(0, "a"), (1, "b"), (3, "d"), (6, "g")]
    assert [json.loads(part) for part in picture_parts(pictures, 3)] == [["a", "b", None], ["d", None, None], ["g"]]
