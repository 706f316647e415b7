"""The form of ``kbe review`` as a file: filled in by keys without a connection, and taken in as by the page."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from form_files import downloaded, grave_faults, opened
from playwright.sync_api import Browser, Page, expect
from reviewers import reviewed

from kbe_graph import Workspace
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.review.html_sheet import read_html_sheet
from kbe_graph.store.nodes import Evolved
from kbe_graph.types import QuestionForm, RunRecord, question_id

HOSTILE = "</script></template><script>document.title='bad'</script> \"it's\""
KEYS = (
    ("1", "2", "2", "y", "a"),
    ("3", "3", "3", "f", "Space", "w", "*not so", "Escape", "x"),
    ("r", "Tab", "Tab", "Control+a", "*another name", "Control+Enter"),
    ("f", "f", "Space", "Space", "x"),
    ("a",),
)
RUNS = ("page", "file", "blind", "hostile")
PLACE = ("id", "question", "time", "seconds")  # what two decisions alike differ in


@pytest.fixture(scope="module")
def workspace(demo_kept_up: Path) -> Path:
    """The demo with runs of the same five questions, each with options, and one of a hostile question."""
    with Workspace(demo_kept_up, progress=False) as work:
        own = [question for question in work.questions(run="demo-0") if question.kind == "explored"][:5]
        for run in RUNS:
            work.store.save_run(RunRecord(run, 0))
            questions = [replace(each, id=question_id(each.sample, run, each.hop), run=run, parent="") for each in own]
            if run == "hostile":
                questions = [replace(questions[0], text=f"What is {HOSTILE}?", answer=HOSTILE, aliases=(HOSTILE,))]
            work.store.save_questions([Evolved(question) for question in questions])
            options = [("a first one", each.answer, HOSTILE) for each in questions]
            forms = zip(questions, options, strict=True)
            work.store.save_forms([QuestionForm(each.id, "choice", "?", own, (each.answer,)) for each, own in forms])
    return demo_kept_up


def sheet(workspace: Path, folder: Path, run: str, **options: Any) -> Path:
    file = folder / "sheet.html"
    with Workspace(workspace, progress=False) as work:
        work.review.export(file, format="html", run=run, **options)
    return file


def take(workspace: Path, file: Path) -> tuple[int, int]:
    with Workspace(workspace, progress=False) as work:
        return tuple(work.review.take(file))  # type: ignore[return-value]


def decisions(workspace: Path, run: str) -> list[dict[str, Any]]:
    """The decisions on the questions of a run as the log has them, but for what tells two alike apart."""
    lines = map(json.loads, (workspace / ".kbe" / "reviews.jsonl").read_text().splitlines())
    own = [each for each in lines if f"@{run}/" in each["question"]]
    assert all(each["seconds"] > 0 for each in own)
    for each in own:
        each.get("after", {}).pop("question", None)
    return [{name: value for name, value in each.items() if name not in PLACE} for each in own]


def press(page: Page, keys: Sequence[str]) -> None:
    """Press keys, write what begins with a star, and wait until another question is shown."""
    before = page.locator("#review").get_attribute("data-item")
    for key in keys:
        if key.startswith("*"):
            page.keyboard.type(key[1:])
        else:
            page.keyboard.press(key)
    page.wait_for_function("before => document.querySelector('#review')?.dataset.item !== before", arg=before)


def test_a_sheet_filled_in_by_keys_alone_gives_what_the_page_gives(
    workspace: Path, browser: Browser, tmp_path: Path
) -> None:
    with reviewed(workspace, "ann", options=("--run", "page")) as server:
        page = server.open(browser, "ann")
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#review")
        page.wait_for_selector("html[data-ready]")
        for keys in KEYS:
            press(page, keys)
    page, wrong = opened(browser, sheet(workspace, tmp_path, "file"))
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    for keys in KEYS[:2]:
        press(page, keys)
    page.keyboard.press("2")
    again = page.context.new_page()  # a half-filled sheet outlives its window
    page.close()
    again.goto((tmp_path / "sheet.html").as_uri())
    assert (again.inner_text(".where"), again.inner_text("#progress p")) == ("3 of 5", "2 of 5 done")
    expect(again.locator("input[name=consistent][value=yes]")).to_be_checked()
    for key in ("2", "2", "2"):  # and back to nothing
        again.keyboard.press(key)
    for keys in KEYS[2:]:
        press(again, keys)
    again.keyboard.press("u")
    press(again, KEYS[-1])
    file = downloaded(again, tmp_path)
    assert take(workspace, file) == (5, 0)
    assert take(workspace, file) == (0, 5)
    assert decisions(workspace, "file") == decisions(workspace, "page")
    assert [each["verdict"] for each in decisions(workspace, "file")] == [
        "approve",
        "reject",
        "revise",
        "reject",
        "approve",
    ]
    assert wrong == []


def test_a_sheet_hides_the_key_until_its_reader_has_answered(workspace: Path, browser: Browser, tmp_path: Path) -> None:
    page, wrong = opened(browser, sheet(workspace, tmp_path, "blind", number=1, blind=True))
    page.fill("#rater", "bea")
    page.click("#begin")
    expect(page.locator("#content .path")).to_have_count(0)
    expect(page.locator("#content .right")).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#content .path")).to_have_count(1)
    expect(page.locator("#pick")).to_have_text("your pick: a first one")
    page.locator("[name=wrong]").first.check()
    page.locator("h1").click()
    page.keyboard.press("a")
    expect(page.get_by_text("can only be rejected")).to_be_visible()
    press(page, ["x"])
    assert take(workspace, downloaded(page, tmp_path)) == (1, 0)
    [made] = decisions(workspace, "blind")
    assert (made["reviewer"], made["verdict"], made["pick"], len(made["wrong_facts"])) == (
        "bea",
        "reject",
        "a first one",
        1,
    )
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_words_are_text_on_a_phone_and_axe_finds_nothing_serious(
    workspace: Path, browser: Browser, tmp_path: Path, scheme: str
) -> None:
    options = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    page, wrong = opened(browser, sheet(workspace, tmp_path, "hostile"), **options)
    assert grave_faults(page) == []
    page.fill("#rater", HOSTILE)
    page.click("#begin")
    assert HOSTILE in page.locator("h1").inner_text()
    assert page.title() == "Review"
    expect(page.locator("main script")).to_have_count(0)
    for key in ("1", "2", "2", "3", "3", "3", "r"):
        page.keyboard.press(key)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert grave_faults(page) == []
    assert wrong == []


ANSWER = {"id": "own/1@r/1", "version": "0", "verdict": "approve"}


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"review": "r", "answers": [ANSWER | {"verdict": "maybe"}]}, "answer 1: 'verdict' is 'maybe'; give approve"),
        (
            {"review": "r", "answers": [ANSWER | {"path": {"x": 1}}]},
            "answer 1: 'path' is \"{'x': '1'}\"; give yes or no",
        ),
        ({"review": "r", "answers": [ANSWER, ANSWER]}, "'ann' decides 'own/1@r/1' here and at answer 1; keep one"),
        ({"review": "r", "answers": [{"id": "own/1@r/1"}]}, "no question is decided; fill in 'verdict'"),
        ({"study": "q", "answers": [ANSWER]}, "answer 1: no 'review' field"),
        ({"review": "r", "answers": 7}, "no list 'answers' of objects; give the official file"),
        ({"review": "r", "rater": "a\nb", "answers": [ANSWER]}, "answer 1: 'rater' is 'a\\nb'"),
    ],
)
def test_a_file_that_no_sheet_gave_is_told_with_its_place(tmp_path: Path, document: Any, problem: str) -> None:
    file = tmp_path / "ann.json"
    file.write_text(json.dumps(document))
    with pytest.raises(DatasetError, match=re.escape(problem)):
        read_html_sheet(file)


def test_a_number_takes_the_most_doubtful_that_need_a_reviewer(workspace: Path, tmp_path: Path) -> None:
    with Workspace(workspace, progress=False) as work:
        order = [doubt.question for doubt in work.review.doubts(run="demo-0")]
        with pytest.raises(InputError, match="number is 0; it must be a whole number of 1 or more"):
            work.review.export(tmp_path / "a.csv", format="csv", run="hostile", number=0)
        assert work.review.export(tmp_path / "a.csv", format="csv", run="demo-0", number=3) == 3
        first = [line.split(",")[2] for line in (tmp_path / "a.csv").read_text().splitlines()[1:]]
        assert first == order[:3]
        work.review.decide(first[0], "approve", reviewer="cy")
        work.review.export(tmp_path / "b.csv", format="csv", run="demo-0", number=2)
        assert [line.split(",")[2] for line in (tmp_path / "b.csv").read_text().splitlines()[1:]] == first[1:]
