"""``kbe report``: the outcome of a run, as one HTML file, and its figures for papers and programs."""

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
@click.option("--pictures/--no-pictures", default=True, show_default=True, help="Put the pictures into the page.")
@click.option("--guess/--no-guess", default=True, show_default=True, help="Reckon what guessing is worth.")
@click.option("--judge", metavar="NAME", help="The judge whose verdicts count (default: each in rows of its own).")
@click.option("--json", "json_file", metavar="FILE", type=OutputFile(), help="Write the figures as JSON too.")
@click.option("--csv", metavar="DIR", type=FOLDER, help="Write the tables as CSV files too.")
@click.option("--latex", metavar="DIR", type=FOLDER, help="Write the tables as LaTeX files too (booktabs).")
@click.option("--figures", metavar="DIR", type=FOLDER, help="Write the drawings as SVG and PNG files too.")
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
    """Write the outcome of a run as one page: funnel, the paper's tables, drawings, cost, and every question."""
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
