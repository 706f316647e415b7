"""The page of a report: in a browser it filters, links, and asks for nothing; names in it are text."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import kbe_here
from report_cases import HOSTILE, answers_of, hostile_source, source_of

import kbe_graph as kbe
from kbe_graph.show.charts import charts
from kbe_graph.show.page import DRAW, draw, page_text, write_page
from kbe_graph.show.report_data import report_data

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def report(demo_looked_at: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demo's run, answered by five models."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    with kbe.Workspace(shutil.copytree(demo_looked_at, file.with_name("W")), progress=False) as work:
        work.store.save_predictions([*answers_of([*work.questions(run="raw"), *work.questions(run="demo-0")])])
        work.report(file, guess=False)
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


def test_the_command_writes_the_page_and_the_files_that_are_wanted(demo_looked_at: Path, tmp_path: Path) -> None:
    w, file = demo_looked_at, tmp_path / "r.html"
    places = {name: tmp_path / name for name in ("json", "csv", "latex", "figures")}
    wanted = [part for name, place in places.items() for part in (f"--{name}", place)]
    said = kbe_here("-w", w, "report", file, "--pictures", "off", *wanted)
    assert re.fullmatch(rf"wrote a report of \d+ questions to {re.escape(str(file))}\n", said)
    tables = json.loads(places["json"].read_text(encoding="utf-8"))
    assert tables["run"] == "demo-0"
    assert {"funnel", "guesses", "variety", "statistics"} <= set(tables)
    assert (places["csv"] / "guesses.csv").exists()
    assert (places["latex"] / "statistics.tex").exists()
    assert (places["figures"] / "guesses.png").read_bytes().startswith(b"\x89PNG")
    assert "give a name in '.html'" in kbe_here("-w", w, "report", tmp_path / "notes.csv", code=1)
    assert "cannot write" in kbe_here("-w", w, "report", tmp_path / "no" / "r.html", "--guess", "off", code=1)
    assert "no run 'other'" in kbe_here("-w", w, "report", file, "--run", "other", code=1)


def test_questions_are_filtered_and_the_address_keeps_it(page: "Page", report: Path) -> None:
    page.goto(report.as_uri())
    assert page.locator("#accuracy figure svg").count() == 1
    assert "Guessed without the picture" in page.locator("#absent").inner_text()
    assert page.locator(".sample img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    total = page.inner_text("#count").split()[0]
    assert page.inner_text("#count") == f"{total} of {total} questions"
    page.select_option("#row", "hop 2")
    assert page.inner_text("#count") == f"4 of {total} questions"
    page.fill("#words", "no such words")
    assert page.inner_text("#count") == f"0 of {total} questions"
    page.goto("about:blank")
    page.goto(f"{report.as_uri()}#?row=hop+3")
    assert page.inner_text("#count") == f"1 of {total} questions"


def test_hostile_data_is_shown_as_text(page: "Page", tmp_path: Path) -> None:
    data = report_data(hostile_source())
    write_page(data, charts(data), tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    assert page.title().startswith("Report of run r <script>")
    assert page.locator(".sample .text").first.inner_text() == HOSTILE
    assert page.locator(".sample .path .edge").first.inner_text() == HOSTILE
    assert page.locator("#funnel td").last.inner_text().startswith(HOSTILE)
    assert page.locator("script").count() == 1


def test_a_page_shows_a_draw_of_many_samples_and_says_so() -> None:
    data = report_data(source_of([], count=DRAW + 10))
    drawn = draw(data.items)
    assert len(drawn) == DRAW
    assert drawn == draw(data.items)
    assert f"of {DRAW + 10} samples, drawn at random. 'kbe explore' shows all" in page_text(data, [])
