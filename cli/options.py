"""Options that the commands of reviewers share."""

from collections.abc import Callable

import click

from kbe_graph.cli.face import FiniteFloat, OutputFile, open_work  # noqa: F401 - others take them from here

Command = Callable[..., None]
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _run_option(default: str) -> Callable[[Command], Command]:
    return click.option("--run", default=None, help=f"Run name (default: {default}).")


run_option = _run_option("all runs")
benchmark_option = click.option("--benchmark", help="Use only the samples of this benchmark.")
chosen_run_option = _run_option("the only run, or the newest")
incomplete_option = click.option("--incomplete", is_flag=True, help="Accept unfinished and failed runs too.")
