"""``kbe report``: the results of a run as one HTML file, and its figures for papers and programs."""

from pathlib import Path

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import OutputFile, chosen_run_option, incomplete_option, open_work
from kbe_graph.cli.printing import say_written

FOLDER = click.Path(path_type=Path, file_okay=False)


@examples("kbe -w W report report.html", "kbe -w W report report.html --json figures.json --latex tables")
@click.command()
@click.argument("file", metavar="OUT.html", type=OutputFile())
@chosen_run_option
@incomplete_option
@click.option("--pictures/--no-pictures", default=True, show_default=True, help="Include the pictures in the page.")
@click.option(
    "--guess/--no-guess", default=True, show_default=True, help="Compute the accuracy of guessing without pictures."
)
@click.option("--judge", metavar="NAME", help="Judge whose verdicts to report (default: all, each in separate rows).")
@click.option("--json", "json_file", metavar="FILE", type=OutputFile(), help="Also write the figures as JSON.")
@click.option("--csv", metavar="DIR", type=FOLDER, help="Also write the tables as CSV files.")
@click.option("--latex", metavar="DIR", type=FOLDER, help="Also write the tables as LaTeX files (booktabs).")
@click.option("--figures", metavar="DIR", type=FOLDER, help="Also write the charts as SVG and PNG files.")
@click.pass_obj
def report(
    folder: Path,
    file: Path,
    run: str | None,
    incomplete: bool,
    pictures: bool,
    guess: bool,
    judge: str | None,
    json_file: Path | None,
    csv: Path | None,
    latex: Path | None,
    figures: Path | None,
) -> None:
    """Write the results of a run to one HTML page: funnel, the paper's tables, charts, cost, and every question."""
    with open_work(folder) as work:
        data = work.report(
            file,
            run=run,
            pictures=pictures,
            guess=guess,
            judge=judge,
            incomplete=incomplete,
            json=json_file,
            csv=csv,
            latex=latex,
            figures=figures,
        )
    questions = sum(len(item.questions) for item in data.items)
    say_written({"questions": questions}, "wrote a report of {questions} questions to {file}", file, as_json=False)
