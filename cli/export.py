"""``kbe export``: write the questions to a file."""

from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import (
    OutputFile,
    benchmark_option,
    chosen_run_option,
    incomplete_option,
    json_option,
    open_work,
)
from kbe_graph.cli.printing import say_outcome, say_written
from kbe_graph.export.formats import EXPORTS, Export
from kbe_graph.export.release_format import left_out
from kbe_graph.export.selection import ImagesAs
from kbe_graph.review.consequences import REVIEWED
from kbe_graph.types import FORMS

IMAGES_HELP = "How to include images: as files, as links, or embedded in the tables (default: depends on the format)."
hops_option = click.option(
    "--hops", metavar="1-3", help="Hops to export (default: all); raw questions are always included."
)
form_option = click.option(
    "--form",
    default="open",
    show_default=True,
    type=click.Choice(FORMS),
    help="Form of the questions; questions without it are left out.",
)
reviewed_option = click.option(
    "--reviewed",
    default="not-rejected",
    show_default=True,
    type=click.Choice(REVIEWED),
    help="Which questions to export, by the outcome of 'kbe review'.",
)
variants_option = click.option("--variants", is_flag=True, help="Include the variants made by 'kbe perturb'.")


class ExportGroup(Group):
    """A group with one command per export format, including those of plug-ins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of the formats."""
        del ctx
        return list(EXPORTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Build the command of a format."""
        del ctx
        return _command(cmd_name, EXPORTS[cmd_name]) if cmd_name in EXPORTS else None


@examples("kbe -w W export jsonl evolved.jsonl")
@click.group(cls=ExportGroup)
def export() -> None:
    """Export the questions to files that other programs read."""


def _command(name: str, row: Export) -> click.Command:
    return _folder_command(name, row.about) if row.is_folder else _file_command(name, row.about)


def _file_command(name: str, about: str) -> click.Command:
    @examples(f"kbe -w W export {name} evolved.{name}", f"kbe -w W export {name} - --all")
    @click.command(name, help=about)
    @click.argument("file", type=OutputFile())
    @chosen_run_option
    @incomplete_option
    @click.option("--all", "everything", is_flag=True, help="Include dropped questions, with their reasons.")
    @hops_option
    @benchmark_option
    @form_option
    @variants_option
    @reviewed_option
    @json_option
    @click.pass_obj
    def command(folder: Path, /, file: Path, as_json: bool, **options: Any) -> None:
        """Write the questions to FILE and print their number; raises as ``Workspace.export`` does."""
        with open_work(folder) as work:
            count = work.export(file, format=name, **options)
        summary = {"questions": count, "format": name}
        say_written(summary, "wrote {questions} questions to {file}", file, as_json=as_json)

    return command


def _folder_command(name: str, about: str) -> click.Command:
    @examples(f"kbe -w W export {name} {name}", f"kbe -w W export {name} {name} --hops 1-2 --no-images")
    @click.command(name, help=about)
    @click.argument("out", type=click.Path(path_type=Path, file_okay=False))
    @chosen_run_option
    @incomplete_option
    @hops_option
    @benchmark_option
    @form_option
    @variants_option
    @reviewed_option
    @click.option("--images-as", type=click.Choice(["copy", "link", "embed"]), help=IMAGES_HELP)
    @click.option("--no-images", is_flag=True, help="Write only the names of images, as in the benchmark.")
    @json_option
    @click.pass_obj
    def command(
        folder: Path, /, out: Path, images_as: ImagesAs | None, no_images: bool, as_json: bool, **options: Any
    ) -> None:
        """Write the questions to the folder OUT, and print their number and why others were left out."""
        if images_as and no_images:
            raise click.UsageError("--images-as and --no-images exclude each other")
        with open_work(folder) as work:
            count = work.export(out, format=name, images_as="none" if no_images else images_as or "", **options)
        summary = {"questions": count, "format": name, "left_out": left_out(out)}
        lines = [f"left out {count}: {reason}" for reason, count in left_out(out).items()]
        say_outcome(
            summary,
            f"wrote {count} questions to {out}; its README.md explains how to use them",
            *lines,
            as_json=as_json,
        )

    return command
