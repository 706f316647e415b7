"""``kbe export`` and ``report``: the questions and the results of a run as files."""

from typing import Annotated, Any

import click

from kbe_graph import Workspace
from kbe_graph.cli import endpoint
from kbe_graph.cli.face import Output, command, keywords
from kbe_graph.cli.printing import say_outcome, say_written
from kbe_graph.export.formats import EXPORTS
from kbe_graph.export.release_format import left_out
from kbe_graph.options import About
from kbe_graph.review.consequences import REVIEWED
from kbe_graph.types import FORMS

FORMATS = "\n".join(f"  {name:<12}  {row.about}" for name, row in EXPORTS.items())
EXPORT = keywords(
    Workspace.export,
    run=endpoint.RUN,
    incomplete=endpoint.INCOMPLETE,
    everything=About("Include dropped questions, with their reasons (only jsonl).", flag="all"),
    hops=About("Hops to export (default: all); raw questions are always included.", metavar="1-3"),
    benchmark=endpoint.BENCHMARK,
    form=About("Form of the questions; questions without it are left out.", choices=FORMS),
    variants="Include the variants made by 'kbe perturb'.",
    reviewed=About("Which questions to export, by the outcome of 'kbe review'.", choices=REVIEWED),
    images_as=About(
        "How to include images: as files, as links, embedded in the tables, or only by name (default: depends on the "
        "format).",
        choices=("copy", "link", "embed", "none"),
    ),
)


@command(
    "kbe -w W export jsonl evolved.jsonl",
    "kbe -w W export vlmevalkit out --hops 1-2 --images-as none",
    about=f"Export the questions to OUT, a file or folder that other programs read.\n\n\b\nFormats:\n{FORMATS}",
)
def export(
    work: Workspace,
    format_: Annotated[str, click.Choice(list(EXPORTS)), "FORMAT"],
    out: Output,
    **options: Annotated[Any, EXPORT],
) -> None:
    """Write the questions, and print their number and why others were left out."""
    count = work.export(out, format=format_, **options | {"images_as": options["images_as"] or ""})
    summary = {"questions": count, "format": format_}
    if not EXPORTS.require(format_).is_folder:
        say_written(summary, "wrote {questions} questions to {file}", out)
        return
    reasons = left_out(out)
    line = f"wrote {count} questions to {out}; its README.md explains how to use them"
    others = (f"left out {count}: {reason}" for reason, count in reasons.items())
    say_outcome(summary | {"left_out": reasons}, line, *others)


REPORT = keywords(
    Workspace.report,
    run=endpoint.RUN,
    incomplete=endpoint.INCOMPLETE,
    pictures="Whether to include the pictures in the page.",
    guess="Whether to compute the accuracy of guessing without pictures.",
    judge=About("Judge whose verdicts to report (default: all, each in separate rows).", metavar="NAME"),
    json=About("Also write the figures as JSON.", metavar="FILE"),
    csv=About("Also write the tables as CSV files.", metavar="DIR"),
    latex=About("Also write the tables as LaTeX files (booktabs).", metavar="DIR"),
    figures=About("Also write the charts as SVG and PNG files.", metavar="DIR"),
)


@command("kbe -w W report report.html", "kbe -w W report report.html --json figures.json --latex tables", json=False)
def report(work: Workspace, file: Annotated[Output, "OUT.html"], **options: Annotated[Any, REPORT]) -> None:
    """Write the results of a run to one HTML page: funnel, the paper's tables, charts, cost, and every question."""
    data = work.report(file, **options)
    questions = sum(len(item.questions) for item in data.items)
    say_written({"questions": questions}, "wrote a report of {questions} questions to {file}", file)
