"""A report as one self-contained HTML file: styles, script, charts, questions and pictures are inlined."""

import base64
import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from kbe_graph import __version__
from kbe_graph.evaluate.comparisons import SOUGHT
from kbe_graph.extras import missing_line
from kbe_graph.files.whole import replacing
from kbe_graph.models.images import Encoding
from kbe_graph.show.charts import Chart, inline_svg
from kbe_graph.show.findings import headline, surface_lines, typical_question
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.report_tables import report_tables
from kbe_graph.show.sample_story import SampleStory, picture_data
from kbe_graph.show.tables import frame_html, page_table
from kbe_graph.web.pages import page_style, page_templates

DRAW = 200  # samples whose questions a page shows; the explorer shows all
PICTURE = Encoding(480, 60)
UNJUDGED = "no judged model answers yet"


class Section(NamedTuple):
    """A section of tables: its title, the tables that fill it, what they show, and why they may be missing."""

    title: str
    tables: tuple[str, ...]
    about: str
    lack: str


SECTIONS: Mapping[str, Section] = {
    "accuracy": Section(
        "Accuracy by hop",
        ("accuracy",),
        "The 95 % intervals treat the questions of one image as a cluster. Balanced: only samples that have a question "
        "in every row.",
        f"{UNJUDGED}; run 'kbe evaluate'",
    ),
    "funnel": Section("Kept at each stage", ("funnel",), "", "no samples yet; load a benchmark with 'kbe load'"),
    "hops": Section(
        "From hop to hop",
        ("hops", "trends", "power", "chains", "right_after_wrong"),
        "Differences: accuracy after minus accuracy before, over pairs of questions on the same sample. Balanced: only "
        "samples that reach every hop. p: exact McNemar test. holm: p corrected for all comparisons with the same "
        "judge and samples. Any other p is not corrected.",
        "no model has judged answers at two hops of the same sample",
    ),
    "surface": Section(
        "Surface or knowledge",
        ("surface", "surface-knowledge", "flips", "brittle", "operations", "surface-published"),
        "Control: the picture is re-encoded and nothing else changes. Surface: the picture or the wording is "
        "perturbed, and the answer stays the same. Knowledge: the raw questions compared with the hops of the same "
        "samples. Flips: the share of a question's perturbed askings whose answer differs from the "
        "unperturbed one. Published figures are in points and use other benchmarks, models and settings.",
        "no answers to perturbed questions yet; run 'kbe perturb', then 'kbe evaluate --variants'",
    ),
    "errors": Section(
        "Errors by relation and source",
        ("errors",),
        "With many rows, some shares are high by chance. Check the intervals.",
        "no judged answers to explored questions yet",
    ),
    "relations": Section("Relations by hop", ("relations", "variety"), "", "no questions yet"),
    "difficulty": Section(
        "Difficulty of the questions",
        ("difficulty", "review", "abilities", "edges"),
        "To review: questions that better models fail more often, which is often due to chance. Abilities are from a "
        "Rasch model, in logits. Key edges: Pearson's r between the number of key edges and failure.",
        UNJUDGED,
    ),
    "memory": Section(
        "Memory or difficulty",
        ("memory",),
        "Accuracy on the raw questions as published, compared with paraphrases of them. Cap alarm: the model gives "
        "exactly the key more often than chance predicts, although other names are also right.",
        "no answers to paraphrased raw questions yet; run 'kbe evaluate --variant image --variant paraphrase'",
    ),
    "variants": Section(
        "Variants of the questions",
        ("variants", "circular", "stability", "variant-differences"),
        "",
        "questions were asked in one variant only",
    ),
    "guesses": Section("Guessed without the picture", ("guesses", "named"), "", "not measured"),
    "judges": Section("Judge and strict match", ("judges", "answered"), "", UNJUDGED),
    "costs": Section("Cost", ("costs",), "", "no model calls, so no cost"),
}


def write_page(data: ReportData, charts: Sequence[Chart], file: Path, *, pictures: bool = True) -> None:
    """Write the page of a report; on failure the old file is kept. Raises InputError if it cannot be written."""
    with replacing(file) as stream:
        stream.write(page_text(data, charts, pictures=pictures))


def page_text(data: ReportData, charts: Sequence[Chart], *, pictures: bool = True) -> str:
    """Return the page of a report; all data in it is escaped."""
    script = files("kbe_graph.show").joinpath("report.js").read_text(encoding="utf-8")
    tables = {table.name: page_table(table) for table in report_tables(data)}
    typical = typical_question(data)
    drawn = draw(data.items, [typical.item] if typical else [])
    return (
        page_templates("kbe_graph.show")
        .get_template("report.html")
        .render(
            data=data,
            version=__version__,
            digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
            script=Markup(script),  # noqa: S704 - our own file
            style=Markup(page_style("kbe_graph.show", "report.css")),  # noqa: S704 - our own files
            drawings={chart.name: Markup(inline_svg(chart)) for chart in charts},  # noqa: S704 - names are escaped
            charts={chart.name: chart for chart in charts},
            tables=tables,
            headline=headline(data),
            typical=typical,
            surface_lines=surface_lines(data),
            sections=SECTIONS,
            papers=[(table, Markup(frame_html(table.wide(), index=True))) for table in data.tables],  # noqa: S704 - escaped
            absent=absent_sections(tables),
            missing=[line for line in [missing_line("figures")] if line],
            sought=SOUGHT,
            drawn=[(item, _pictures(item) if pictures else []) for item in drawn],
        )
    )


def draw(items: Sequence[SampleStory], always: Iterable[SampleStory], most: int = DRAW) -> list[SampleStory]:
    """Draw the samples whose questions a page shows, the same ones each time, in their order."""
    places = random.Random(0).sample(range(len(items)), min(most, len(items)))
    chosen = {items[place].sample.id for place in places} | {item.sample.id for item in always}
    return [item for item in items if item.sample.id in chosen]


def _pictures(item: SampleStory) -> list[tuple[str, str]]:
    files: Sequence[Path | None] = item.pictures or [None for _ in item.sample.images]
    return [(name, picture_data(file, PICTURE)) for name, file in zip(item.sample.images, files, strict=True)]


def absent_sections(present: Iterable[str]) -> dict[str, str]:
    """Map each section that has none of its tables in ``present`` to the reason."""
    names = set(present)
    absent = {name: section.lack for name, section in SECTIONS.items() if names.isdisjoint(section.tables)}
    if "guesses" in absent:
        absent["guesses"] = missing_line("guess") or absent["guesses"]
    return absent
