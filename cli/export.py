"""``kbe export`` and ``report``: the questions and the results of a run as files."""

from typing import Annotated

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import Output, command
from kbe_graph.cli.printing import say_outcome, say_written
from kbe_graph.export.formats import EXPORTS
from kbe_graph.export.release_format import left_out
from kbe_graph.workspace.verbs import ExportOptions, ReportOptions

FORMATS = "\n".join(f"  {name:<12}  {row.about}" for name, row in EXPORTS.items())


@command(
    "kbe -w W export jsonl evolved.jsonl",
    "kbe -w W export vlmevalkit out --hops 1-2 --images-as none",
    about=f"Export the questions to OUT, a file or folder that other programs read.\n\n\b\nFormats:\n{FORMATS}",
)
def export(
    work: Workspace,
    format_: Annotated[str, click.Choice(list(EXPORTS)), "FORMAT"],
    out: Output,
    options: ExportOptions,
) -> None:
    """Write the questions, and print their number and why others were left out."""
    count = work.export(out, format=format_, **options)
    summary = {"questions": count, "format": format_}
    if not EXPORTS.require(format_).is_folder:
        say_written(summary, "wrote {questions} questions to {file}", out)
        return
    reasons = left_out(out)
    line = f"wrote {count} questions to {out}; its README.md explains how to use them"
    others = (f"left out {count}: {reason}" for reason, count in reasons.items())
    say_outcome(summary | {"left_out": reasons}, line, *others)


@command("kbe -w W report report.html", "kbe -w W report report.html --json figures.json --latex tables", json=False)
def report(work: Workspace, file: Annotated[Output, "OUT.html"], options: ReportOptions) -> None:
    """Write the results of a run to one HTML page: funnel, the paper's tables, charts, cost, and every question."""
    data = work.report(file, **options)
    questions = sum(len(item.questions) for item in data.items)
    say_written({"questions": questions}, "wrote a report of {questions} questions to {file}", file)
