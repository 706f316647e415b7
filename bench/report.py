"""How large the page of a report is, how long it takes to make, and how soon it opens.

    python bench/report.py [FOLDER] [--openings 9]

Makes the report of 3,000 samples with a raw question and three hops each, 12,000 questions in all, a picture of 640 by
480 pixels a sample and answers of five models, in FOLDER or a temporary one; what FOLDER holds from before is opened
as it is. Then opens it so many times in headless Chromium, with its pictures and without, and prints the median and
the most of the milliseconds by the clock until the first question is there, its picture is drawn and the document is
read, and of the processor time of the page's main thread.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from kbe_graph.evaluate.outcomes import answers_frame
from kbe_graph.pages.charts import charts
from kbe_graph.pages.page import write_page
from kbe_graph.pages.report_data import report_data
from kbe_graph.pages.report_values import ReportSource
from kbe_graph.types import IMAGE, Entity, Kind, Prediction, Question, Sample, Triplet, question_id

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser import chromium

SAMPLES, HOPS, MODELS = 3_000, 3, 5
SIZE = (640, 480)
FIGURES = ("first question", "its picture", "document read", "work")


def draw_picture(file: Path, draw: random.Random) -> None:
    """Write a picture with as much detail as a photograph of its size."""
    noise = Image.frombytes("RGB", (80, 60), draw.randbytes(80 * 60 * 3))
    noise.resize(SIZE, Image.Resampling.BICUBIC).save(file, quality=85)


def chain(number: int, draw: random.Random) -> Iterator[Question]:
    """Give the questions of a sample."""
    sample = f"okvqa/val/{number}"
    key: tuple[Triplet, ...] = (
        Triplet(
            IMAGE, "depicts", Entity(f"THING {draw.randrange(900)}"), source="scene graph", source_ref=f"{number}.json"
        ),
    )
    for hop in range(HOPS + 1):
        kind: Kind = "explored" if hop else "raw"
        run = "bench" if hop else "raw"
        answer = Entity(f"THING {draw.randrange(900)}")
        key = (*key, Triplet(key[-1].object, f"relation {draw.randrange(120)}", answer, "textual", "pack"))
        text = "What is the " + " of the ".join(triplet.relation for triplet in reversed(key)) + " on the left here?"
        yield Question(question_id(sample, run, hop), sample, run, hop, kind, text, answer.name.lower(), key)


def source(folder: Path) -> ReportSource:
    """Return what the report is made of."""
    draw = random.Random(0)
    samples = {
        f"okvqa/val/{number}": Sample(f"okvqa/val/{number}", "okvqa", "val", "q", "a", image=f"{number}.jpg")
        for number in range(SAMPLES)
    }
    questions = [question for number in range(SAMPLES) for question in chain(number, draw)]
    predictions = (
        Prediction(
            *(f"model {model}", question.id, question.answer if right else f"thing {draw.randrange(900)}"),
            verdict="right" if right else "wrong",
            judge="judge",
        )
        for question in questions
        for model in range(MODELS)
        if (right := draw.random() < 0.6 - 0.1 * question.hop) in {True, False}
    )
    pictures = {name: folder / sample.image for name, sample in samples.items()}
    for picture in pictures.values():
        draw_picture(picture, draw)
    frame = answers_frame(predictions, {question.id: question for question in questions}, samples)
    status = {"samples": {"extracted": SAMPLES}, "runs": {"bench": {"questions": {"hop 1": {"kept": SAMPLES}}}}}
    return ReportSource("bench", samples, questions, frame, status, pictures=pictures)


def opening(browser: Browser, page_file: Path) -> tuple[float, float, float, float]:
    """Return the milliseconds to the first question, to its picture, to the document's end, and of the work."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.add_init_script(
        "new MutationObserver(() => { if (document.querySelector('#item h3')) window.first ??= performance.now();"
        " document.querySelector('#item img')?.decode().then(() => window.drawn ??= performance.now()); })"
        ".observe(document, {childList: true, subtree: true})"
    )
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready]")
    page.wait_for_timeout(100)
    first, drawn = page.evaluate("window.first"), page.evaluate("window.drawn ?? 0")
    parsed = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    page.close()
    return first, drawn, parsed, 1000 * metrics["TaskDuration"]


def make(folder: Path) -> None:
    """Write the two pages, and print how long that takes."""
    made = source(folder)
    begun = time.perf_counter()
    data = report_data(made)
    reckoned = time.perf_counter()
    drawn = charts(data)
    write_page(data, drawn, folder / "plain.html", pictures=False)
    plain = time.perf_counter()
    write_page(data, drawn, folder / "report.html")
    ended = time.perf_counter()
    pages = f"plain.html {plain - reckoned:.1f} s, report.html {ended - plain:.1f} s"
    print(f"figures reckoned in {reckoned - begun:.1f} s, written: {pages}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--openings", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        if not (folder / "report.html").is_file():
            make(folder)
        with chromium() as browser:
            for name in ("plain.html", "report.html"):
                rounds = [opening(browser, folder / name) for _ in range(arguments.openings)]
                told = (
                    f"{what} {statistics.median(times):.0f} (at most {max(times):.0f}) ms"
                    for what, times in zip(FIGURES, zip(*rounds, strict=True), strict=True)
                )
                print(f"{name}, {(folder / name).stat().st_size / 1e6:.1f} MB: {', '.join(told)}")


if __name__ == "__main__":
    main()
