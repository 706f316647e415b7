"""``kbe judge``: measure how reliable judges are, with sheets for people and statistics of agreement."""

from pathlib import Path

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import OutputFile, chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.printing import print_rows, say_written

_DIGITS = 4


@examples("kbe -w W judge sheet labels.csv", "kbe -w W judge agree labels.csv")
@click.group(cls=Group)
def judge() -> None:
    """Have people label answers, and measure how well judges agree with them and with each other."""


@examples("kbe -w W judge sheet labels.csv", "kbe -w W judge sheet labels.csv --number 100 --seed 1")
@judge.command()
@click.argument("out", type=OutputFile())
@chosen_run_option
@incomplete_option
@click.option("--number", default=200, show_default=True, type=click.IntRange(min=1), help="Number of answers.")
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@json_option
@click.pass_obj
def sheet(folder: Path, out: Path, run: str | None, incomplete: bool, number: int, seed: int, as_json: bool) -> None:
    """Write OUT, a sheet (CSV) of answers to label without seeing the model or the verdict.

    The answers are spread over verdicts and hops. Enter 'right' or 'wrong' in the label column, then pass the sheet to
    'kbe judge agree'.
    """
    with open_work(folder) as work:
        count = work.people.judge_sheet(out, run=run, incomplete=incomplete, number=number, seed=seed)
    say_written({"answers": count}, "{answers} answers to label in {file}", out, as_json=as_json)


@examples("kbe -w W judge agree labels.csv", "kbe -w W judge agree --json")
@judge.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@chosen_run_option
@incomplete_option
@json_option
@click.pass_obj
def agree(folder: Path, file: Path | None, run: str | None, incomplete: bool, as_json: bool) -> None:
    """Measure how well judges agree with people's labels in FILE, or with each other.

    FILE is a completed sheet, or a table with the columns id, label and optionally rater. Without FILE, the votes of
    several judges are compared.
    """
    from kbe_graph.statistics.rater_agreement import AgreementRow

    with open_work(folder) as work:
        rows = work.people.judge_agreement(file, run=run, incomplete=incomplete)
    cells = [tuple(round(cell, _DIGITS) if isinstance(cell, float) else cell for cell in row) for row in rows]
    print_rows(AgreementRow._fields, cells, as_json=as_json)
