"""A report as one self-contained HTML file: styles, script, charts, questions and pictures are inlined."""

import base64
import hashlib
import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from kbe_graph.extras import __version__, missing_line
from kbe_graph.figures.comparisons import SOUGHT
from kbe_graph.files.whole import replacing
from kbe_graph.models.images import Encoding
from kbe_graph.show.charts import Chart, inline_svg
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.report_tables import headline, report_tables
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.show.tables import page_table
from kbe_graph.web.pages import page_style, page_templates

DRAW = 200  # samples whose questions a page shows; the explorer shows all
PICTURE = Encoding(480, 60)


class Section(NamedTuple):
    """A section of tables: its title, the tables that fill it, and what they show."""

    title: str
    tables: tuple[str, ...]
    about: str = ""


FIRST_LINE = "<!doctype html><!-- report of kbe_graph -->"
BALANCED = "Balanced: only samples that have a question in every row."
SECTIONS: Mapping[str, Section] = {
    "accuracy": Section(
        "Accuracy by hop", ("accuracy", "scored"), f"The 95 % intervals account for shared images. {BALANCED}"
    ),
    "rounds": Section(
        "Accuracy by round",
        ("rounds",),
        "By answers that chose none of the round's questions. bias: what the answers of the round say too much "
        "of the questions that they leave, by repeated splits.",
    ),
    "funnel": Section("Kept at each stage", ("funnel",)),
    "hops": Section(
        "From hop to hop",
        ("hops", "trends", "power", "chains", "right_after_wrong"),
        "Differences: accuracy after minus accuracy before, over pairs of questions on the same sample. p: sign "
        "flips of whole pictures. holm: p corrected for all comparisons with the same judge and samples.",
    ),
    "surface": Section(
        "Surface or knowledge",
        ("surface-knowledge", "surface"),
        "Control: the picture is re-encoded and nothing else changes. Surface: the picture or the wording is "
        "perturbed, and the answer stays the same. Knowledge: the raw questions compared with the hops of the same "
        "samples.",
    ),
    "errors": Section("Errors by relation and source", ("errors",), "With many rows, some shares are high by chance."),
    "relations": Section("Questions by hop, drafts by shape", ("statistics", "variety", "shapes")),
    "difficulty": Section(
        "Difficulty of the questions",
        ("review", "edges"),
        "To review: questions that better models fail more often, which is often due to chance. Key edges: Pearson's r "
        "between the number of key edges and failure.",
    ),
    "memory": Section("Memory or difficulty", ("memory",), "Raw questions as published, and paraphrases of them."),
    "variants": Section(
        "Variants of the questions", ("variant-differences", "gain", "composition", "circular", "stability")
    ),
    "twins": Section(
        "Questions and their twins",
        ("pairs", "groups"),
        "A twin asks the same words about another picture, where the answer differs: 'same' is the share of pairs that "
        "got the same answer, of which one at least is wrong.",
    ),
    "guesses": Section("Guessed without the picture", ("guesses", "named")),
    "costs": Section("Cost", ("costs",)),
}


def is_report(text: str) -> bool:
    """Return True if a text begins as the page of a report does."""
    return text.startswith(FIRST_LINE)


def write_page(data: ReportData, charts: Sequence[Chart], file: Path, *, pictures: bool = True) -> None:
    """Write the page of a report; on failure the old file is kept. Raises InputError if it cannot be written."""
    with replacing(file) as stream:
        stream.write(page_text(data, charts, pictures=pictures))


def page_text(data: ReportData, charts: Sequence[Chart], *, pictures: bool = True) -> str:
    """Return the page of a report; all data in it is escaped."""
    script = files("kbe_graph.show").joinpath("report.js").read_text(encoding="utf-8")
    tables = {table.name: page_table(table) for table in report_tables(data)}
    absent = {name for name, section in SECTIONS.items() if tables.keys().isdisjoint(section.tables)}
    drawn = draw(data.items)
    return (
        page_templates("kbe_graph.show")
        .get_template("report.html")
        .render(
            first_line=Markup(FIRST_LINE),  # noqa: S704 - our own
            data=data,
            version=__version__,
            digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
            script=Markup(script),  # noqa: S704 - our own file
            style=Markup(page_style("kbe_graph.show", "report.css")),  # noqa: S704 - our own files
            drawings={chart.name: (chart.about, Markup(inline_svg(chart))) for chart in charts},  # noqa: S704 - escaped
            tables=tables,
            headline=[(result, page_table(result.models)) for result in headline(data)],
            sections=SECTIONS,
            absent=absent,
            missing=[line.partition("; run:")[0] for line in map(missing_line, ("figures", "guess")) if line],
            sought=SOUGHT,
            drawn=[(item, item.shown_pictures(PICTURE) if pictures else []) for item in drawn],
        )
    )


def draw(items: Sequence[SampleStory], most: int = DRAW) -> list[SampleStory]:
    """Draw the samples whose questions a page shows, the same ones each time, in order."""
    places = random.Random(0).sample(range(len(items)), min(most, len(items)))
    return [items[place] for place in sorted(places)]
