"""``kbe export``: write the questions to a file."""

from pathlib import Path

import click

from kbe_graph.cli.common import chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.option_types import OutputFile
from kbe_graph.cli.printing import say_written
from kbe_graph.export.formats import exports


class ExportGroup(Group):
    """One command a format, those of plug-ins among them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the formats."""
        del ctx
        return list(exports())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a format."""
        del ctx
        return _command(cmd_name, exports()[cmd_name].about) if cmd_name in exports() else None


@examples("kbe -w W export jsonl evolved.jsonl")
@click.group(cls=ExportGroup)
def export() -> None:
    """Write the questions to a file that other programs read."""


def _command(name: str, about: str) -> click.Command:
    @examples(f"kbe -w W export {name} evolved.{name}", f"kbe -w W export {name} - --all")
    @click.command(name, help=about)
    @click.argument("file", type=OutputFile())
    @chosen_run_option
    @incomplete_option
    @click.option("--all", "everything", is_flag=True, help="Write dropped questions too, with their reason.")
    @json_option
    @click.pass_obj
    def command(folder: Path, file: Path, run: str | None, incomplete: bool, everything: bool, as_json: bool) -> None:
        with open_work(folder) as work:
            count = work.export(file, run=run, everything=everything, format=name, incomplete=incomplete)
        summary = {"questions": count, "format": name}
        say_written(summary, "wrote {questions} questions to {file}", file, as_json=as_json)

    return command
