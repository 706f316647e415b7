"""The pages of ``kbe review`` in a real browser: decided by keys, alone and by several, and never lost."""

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_faults import grave_faults
from playwright.sync_api import Browser, Page, expect
from reviewers import reviewed

from kbe_graph import Workspace
from kbe_graph.store.nodes import Evolved
from kbe_graph.types import Question, QuestionForm, Review, RunRecord, question_id

HOSTILE = "<script>document.title='bad'</script> \"it's\""
RUNS = ("keys", "killed", "looked-at")


@pytest.fixture(scope="module")
def workspace(demo_kept_up: Path) -> Path:
    """The demo with runs that hold the same questions, a run a test; each question of ``keys`` has options."""
    with Workspace(demo_kept_up, progress=False) as work:
        own = sorted(work.questions(run="demo-0"), key=lambda question: question.kind)
        for run in RUNS:
            work.store.save_run(RunRecord(run, 0))
            questions = [_copied(question, run) for question in own]
            if run == "looked-at":
                questions[0] = replace(questions[0], text=f"What is {HOSTILE}?", answer=HOSTILE, aliases=(HOSTILE,))
            work.store.save_questions([Evolved(question) for question in questions])
            if run == "keys":
                forms = [_choice(question.id, question.answer) for question in questions]
                work.store.save_forms(forms)
    return demo_kept_up


def _copied(question: Question, run: str) -> Question:
    parent = question.parent.replace("@demo-0/", f"@{run}/")
    return replace(question, id=question_id(question.sample, run, question.hop), run=run, parent=parent)


def _choice(question: str, answer: str) -> QuestionForm:
    return QuestionForm(question, "choice", "Which?", ("a first one", answer, "a third one"), (answer,))


def _decisions(workspace: Path, run: str) -> list[Review]:
    """Return the decisions on the questions of a run, in the order of time."""
    with Workspace(workspace, progress=False) as work:
        return sorted(work.review.reviews(run=run), key=lambda review: review.time)


def _begin(page: Page) -> Page:
    """Go from the gallery to the first question."""
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review, #all-done")
    page.wait_for_selector("html[data-ready]")
    return page


def _shown(page: Page) -> str:
    return str(page.locator("#review").get_attribute("data-item"))


def _press(page: Page, *keys: str) -> None:
    """Press keys, and wait until another question is shown."""
    page.wait_for_selector("html[data-ready]")
    before = _shown(page)
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(
        "before => document.querySelector('#review, #all-done') && document.documentElement.dataset.ready"
        " && document.querySelector('#review')?.dataset.item !== before",
        arg=before,
    )


def test_twenty_questions_are_decided_by_keys_alone(workspace: Path, browser: Browser) -> None:
    with reviewed(workspace, "ann", options=("--run", "keys")) as server:
        page = _begin(server.open(browser, "ann"))
        _press(page, "1", "2", "2", "y", "a")
        page.keyboard.press("f")
        page.keyboard.press("Space")
        page.keyboard.press("w")
        page.keyboard.type("not so")
        _press(page, "Escape", "x")
        page.keyboard.press("r")
        for key in ("Tab", "Tab", "Control+a"):
            page.keyboard.press(key)
        page.keyboard.type("another name")
        expect(page.locator(".photos img").first).to_be_in_viewport()
        _press(page, "Control+Enter")
        for _ in range(17):
            _press(page, "a")
        expect(page.locator("#progress")).to_contain_text("20 by you")
    first, second, third, *others = _decisions(workspace, "keys")
    assert (first.verdict, first.criteria[:2]) == ("approve", (("factual", "yes"), ("consistent", "no")))
    assert len(first.criteria) == 7
    assert (second.verdict, second.reason) == ("reject", "not so")
    assert [flag for _, flag in second.options] == ["also right"]
    assert (third.verdict, json.loads(third.after)["aliases"]) == ("revise", ["another name"])
    assert [each.verdict for each in others] == ["approve"] * 17
    assert all(each.seconds > 0 for each in (first, second, third))


def test_a_killed_server_loses_no_decision(workspace: Path, browser: Browser) -> None:
    with reviewed(workspace, "ann", options=("--run", "killed"), killable=True) as server:
        page = _begin(server.open(browser, "ann"))
        _press(page, "a")
        _press(page, "x")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        page.keyboard.press("a")
        expect(page.get_by_text("nothing was saved")).to_be_visible()
    with reviewed(workspace, "ann", options=("--run", "killed")) as server:
        expect(server.open(browser, "ann").locator("#progress")).to_contain_text("2 by you")
    assert [each.verdict for each in _decisions(workspace, "killed")] == ["approve", "reject"]


@pytest.fixture(scope="module")
def page(workspace: Path, browser: Browser) -> Iterator[Page]:
    with reviewed(workspace, "ann", options=("--run", "looked-at")) as server:
        yield server.open(browser, "ann")


def _hostile(page: Page) -> None:
    page.goto("/?state=open")
    page.locator(".cards a").filter(has_text="What is <script>").click()


def test_names_are_shown_and_never_run(page: Page) -> None:
    _hostile(page)
    assert HOSTILE in page.locator("h1").inner_text()
    expect(page.locator("main script")).to_have_count(0)
    assert "bad" not in page.title().split(" ")
    steps = page.locator(".steps li.textual")
    assert steps.first.evaluate("step => getComputedStyle(step).borderStyle") == "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto("/")
    assert ("Most doubtful first" in page.content()) == (page.locator(".chip.doubt").count() > 0)
    assert grave_faults(page) == []
    _hostile(page)
    for key in ("1", "2", "2", "3", "3", "3", "r"):
        page.keyboard.press(key)
    assert grave_faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert grave_faults(page) == []
