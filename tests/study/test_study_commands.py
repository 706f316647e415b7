"""``kbe study`` and ``kbe judge`` on the demo: a form filled in by a real browser, sheets, and what comes of both."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from commands import kbe_here
from form_files import downloaded, opened
from playwright.sync_api import Browser

from kbe_graph import Workspace
from kbe_graph.types import Prediction

ASKED = ("reasonable", "triplets", "aligned", "path", "image")


@pytest.fixture(scope="module")
def drawn(demo_kept_up: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of six questions and one of four pairs, with their forms and sheets."""
    out = tmp_path_factory.mktemp("studies")
    study = json.loads(kbe_here("-w", demo_kept_up, "study", "new", out / "quality", "--number", 6, "--json"))
    assert (study["items"], study["missing_pictures"], study["run"]) == (6, 0, "demo-0")
    said = kbe_here("-w", demo_kept_up, "study", "new", out / "pairs", "--number", 4, "--pairwise")
    assert f"4 items of run 'demo-0' in {out}/pairs/study.html and {out}/pairs/study.csv" in said
    return out


def test_a_study_is_kept_before_there_is_a_sheet_to_fill_in(demo_kept_up: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "study.html").mkdir(parents=True)
    kbe_here("-w", demo_kept_up, "study", "new", tmp_path / "out", "--number", 3, "--seed", 9, code=1)
    before = {*(demo_kept_up / ".kbe" / "studies").iterdir()}
    kbe_here("-w", demo_kept_up, "study", "new", tmp_path / "other", "--number", 3, "--seed", 9)
    assert {*(demo_kept_up / ".kbe" / "studies").iterdir()} == before


def test_a_form_is_filled_in_by_keyboard_and_what_it_downloads_is_imported(
    browser: Browser, drawn: Path, demo_kept_up: Path, tmp_path: Path
) -> None:
    page, wrong = opened(browser, drawn / "quality" / "study.html")
    assert page.is_disabled("#download")
    assert page.is_hidden("#clear")
    assert "6 questions, about 6 minutes" in page.inner_text("#content")
    assert page.inner_text("#content .scope").startswith("study quality-")
    page.keyboard.type("=Ann")
    page.keyboard.press("Enter")
    assert page.locator(".photos img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.locator(".path .source").count() > 0
    assert page.is_disabled(".moves [value=undo]")
    page.keyboard.press("w")
    page.keyboard.type('=a "note"')
    for key in ("Escape", "y", "y", "y", "y", "n"):  # then the next item is shown
        page.keyboard.press(key)
    assert (page.inner_text(".where"), page.inner_text("#progress p")) == ("2 of 6", "1 of 6 done")
    page.keyboard.press("u")
    assert (page.inner_text(".where"), page.inner_text("#progress p")) == ("1 of 6", "0 of 6 done")
    for key in ("y", "y", "y", "y", "n"):
        page.keyboard.press(key)
    page.keyboard.press("5")
    page.reload()  # what was said is still there
    assert page.locator("input[name=image][value=yes]").is_checked()
    result = json.loads(kbe_here("-w", demo_kept_up, "study", "import", downloaded(page, tmp_path), "--json"))
    assert result["raters"] == ["=Ann"]
    assert result["seconds"] > 0
    rows = {row["asked"]: row for row in result["rows"] if row["group"] == "all"}
    assert [rows[asked]["share"]["items"] for asked in ASKED] == [1, 1, 1, 1, 2]
    assert rows["image"]["share"]["value"] == 0.5
    assert wrong == []
    page.close()


def test_pairs_are_told_apart_on_a_phone_in_the_dark(
    browser: Browser, drawn: Path, tmp_path: Path, demo_kept_up: Path
) -> None:
    options = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    page, wrong = opened(browser, drawn / "pairs" / "study.html", **options)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 20, 24)"
    page.fill("#rater", "bea")
    page.click("#begin")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for place in range(4):
        page.locator(".opinions label").nth(place % 2).click()
        page.get_by_role("button", name="Next open item").click()
    assert "4 of 4 done" in page.inner_text("#progress")
    lines = kbe_here("-w", demo_kept_up, "study", "import", downloaded(page, tmp_path)).splitlines()
    assert lines[0].split("\t") == [
        "asked",
        "of",
        "items",
        "more key edges harder",
        "percent",
        "AC1",
        "alpha",
        "Pearson",
    ]
    assert lines[1].split("\t")[:3] == ["harder", "all", "4"]
    assert wrong == []
    page.close()


def filled(sheet: Path, file: Path, no: int) -> Path:
    """A sheet that says yes to all but the first few questions' reasonableness."""
    lines = list(csv.DictReader(sheet.read_text().splitlines()))
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, lines[0].keys())
        writer.writeheader()
        for number, line in enumerate(lines):
            writer.writerow(line | dict.fromkeys(ASKED, "yes") | {"reasonable": "no" if number < no else "yes"})
    return file


def test_sheets_of_several_raters_give_shares_agreement_and_what_is_disputed(
    drawn: Path, demo_kept_up: Path, tmp_path: Path
) -> None:
    ann, bea = (
        filled(drawn / "quality" / "study.csv", tmp_path / f"{name}.csv", no) for name, no in (("ann", 0), ("bea", 2))
    )
    third = tmp_path / "third.csv"
    lines = kbe_here("-w", demo_kept_up, "study", "import", ann, bea, "--disputed", third).splitlines()
    assert lines[0].split("\t") == ["asked", "of", "items", "yes", "percent", "AC1", "alpha"]
    assert lines[1].split("\t")[3].startswith("83.3 (")
    assert len(list(csv.DictReader(third.read_text().splitlines()))) == 2
    bea.write_text(bea.read_text().replace(",no,", ",perhaps,", 1))
    wrong = kbe_here("-w", demo_kept_up, "study", "import", ann, bea, code=1)
    assert wrong == f"error: {bea} line 2: 'reasonable' is 'perhaps'; write yes or no, or leave it empty\n"
    other = tmp_path / "W"
    kbe_here("-w", other, "init")
    assert "in this workspace; studies drawn here are none" in kbe_here("-w", other, "study", "import", ann, code=1)


def test_answers_are_labelled_on_a_sheet_and_compared_with_their_judge(demo_kept_up: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "labels.csv"
    command = ("-w", demo_kept_up, "judge")
    assert "none of 0 answers is judged" in kbe_here(*command, "sheet", sheet, code=1)
    with Workspace(demo_kept_up, create=False, progress=False) as work:
        predictions = [
            Prediction(
                "llava",
                question.id,
                question.answer if n % 2 else "odd",
                verdict="right" if n % 3 else "wrong",
                judge="own",
            )
            for n, question in enumerate(work.questions(run="demo-0")[:20])
        ]
        work.store.save_predictions(predictions)
    assert kbe_here(*command, "sheet", sheet) == f"20 answers to label in {sheet}\n"
    lines = list(csv.DictReader(sheet.read_text().splitlines()))
    with sheet.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, lines[0].keys())
        writer.writeheader()
        writer.writerows(line | {"label": "wrong" if line["answer"] == "odd" else "right"} for line in lines)
    rows = {row["measure"]: row for row in json.loads(kbe_here(*command, "agree", sheet, "--json"))}
    agreed = sum((n % 2 > 0) == (n % 3 > 0) for n in range(20))
    assert (rows["percent"]["between"], rows["percent"]["items"]) == ("labels and own", 20)
    assert rows["percent"]["value"] == agreed / 20
    assert "nothing to compare" in kbe_here(*command, "agree", code=1)
    assert "no such file" in kbe_here(*command, "agree", tmp_path / "x.csv", code=1)
    shutil.copy(sheet, tmp_path / "bea.csv")
    assert kbe_here(*command, "agree", tmp_path / "bea.csv").splitlines()[1].startswith("bea and own\tpercent\t")
