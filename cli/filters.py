"""``kbe filters``: explain what each check refuses, or try one on a table."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import json_option
from kbe_graph.cli.printing import print_json, print_rows, print_table

if TYPE_CHECKING:
    from kbe_graph.checks.check import Row


@examples("kbe filters", "kbe filters --json")
@click.group(cls=Group, invoke_without_command=True)
@json_option
@click.pass_context
def filters(ctx: click.Context, as_json: bool) -> None:
    """Print the rule behind each reason by stage, with one case refused and one passed; or try a check on a table."""
    if ctx.invoked_subcommand is not None:
        return
    from kbe_graph.checks import explanations

    if as_json:
        print_json([entry._asdict() for entry in explanations()])
        return
    rows = [
        (entry.stage, entry.name, entry.filters, entry.rule, _case(entry.refused), _case(entry.passed))
        for entry in explanations()
    ]
    print_table(("stage", "reason", "filters", "rule", "refused", "passed"), rows)


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from kbe_graph.checks import explanations

    del ctx, param
    return [
        CompletionItem(entry.name, help=entry.rule) for entry in explanations() if entry.name.startswith(incomplete)
    ]


@examples("kbe filters try noun --table answers.tsv")
@filters.command("try")
@click.argument("name", shell_complete=_complete)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    required=True,
    help="Table with the columns question and answer, and any others that the check reads.",
)
@json_option
@click.pass_obj
def try_(folder: Path, name: str, table: Path, as_json: bool) -> None:
    """Apply a check to a table and print the verdict and reason of each row.

    NAME is the name of the check, or a part that occurs in only one name.
    """
    del folder
    from kbe_graph.checks import try_check

    rows = list(try_check(name, table))
    columns = list(rows[0]) if rows else ["verdict", "reason"]
    print_rows(columns, [[row[column] for column in columns] for row in rows], as_json=as_json)


def _case(example: "Row") -> str:
    return "; ".join(f"{key}: {value}" for key, value in example._asdict().items() if value)
