"""``kbe filters``: what each filter refuses; try one on a table."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbe_graph.cli.common import json_option, print_json, print_table

if TYPE_CHECKING:
    from kbe_graph.filters.row import Row


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def filters(ctx: click.Context, as_json: bool) -> None:
    """Explain each filter with an example, or apply one to a table."""
    if ctx.invoked_subcommand is not None:
        return
    from kbe_graph.filters import catalogue

    if as_json:
        print_json([entry._asdict() for entry in catalogue()])
        return
    rows = [(entry.name, entry.stage, entry.rule, _case(entry.example)) for entry in catalogue()]
    print_table(("name", "reads", "refuses", "example"), rows)


@filters.command("try")
@click.argument("name")
@click.option("--table", type=click.Path(path_type=Path), required=True, help="Columns question, answer, and more.")
@json_option
@click.pass_obj
def try_(folder: Path, name: str, table: Path, as_json: bool) -> None:
    """Apply the filter NAME to each row of a table, and print verdict and reason, a row a row."""
    del folder
    from kbe_graph.filters import try_filter

    rows = list(try_filter(name, table))
    if as_json:
        print_json(rows)
        return
    writer = csv.DictWriter(
        sys.stdout, list(rows[0]) if rows else ["verdict", "reason"], delimiter="\t", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)


def _case(example: "Row") -> str:
    return "; ".join(f"{key}: {value}" for key, value in example._asdict().items() if value)
