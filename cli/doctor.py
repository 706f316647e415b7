"""``kbe doctor``: each setting with its origin, and the parts that work here."""

import os
from collections.abc import Iterator
from pathlib import Path

import click
from click.core import ParameterSource

from kbe_graph import ModelOptions
from kbe_graph.cli.command_settings import options_in_force
from kbe_graph.cli.group import examples
from kbe_graph.cli.model import endpoint_options
from kbe_graph.cli.options import json_option
from kbe_graph.cli.printing import print_json, print_table
from kbe_graph.config import Setting, read_config

_FROM = {ParameterSource.COMMANDLINE: "flag -w", ParameterSource.ENVIRONMENT: "environment KBE_WORKSPACE"}


@examples("kbe -w W doctor", "kbe -w W doctor --model Qwen/Qwen2.5-VL-7B-Instruct")
@click.command()
@endpoint_options
@json_option
@click.pass_context
def doctor(ctx: click.Context, model: ModelOptions, as_json: bool) -> None:
    """Check the parser, disk, graph and any configured models, and print every setting with its origin.

    Failures come first. Each model is asked one very short question. The exit code is 1 if a check fails.
    """
    from kbe_graph.workspace.diagnosis import diagnose

    findings = diagnose(ctx.obj, model, _options(ctx.find_root(), ctx.obj))
    if as_json:
        print_json([finding._asdict() for finding in findings])
    else:
        print_table(("what", "value", "origin"), [finding[:3] for finding in findings])
    if not all(finding.works for finding in findings):
        raise click.exceptions.Exit(1)


def _options(root: click.Context, folder: Path) -> Iterator[Setting]:
    origin = root.get_parameter_source("workspace") or ParameterSource.DEFAULT
    yield Setting("workspace", str(folder.absolute()), _FROM.get(origin, "default, the current folder"))
    if isinstance(root.command, click.Group):
        yield from options_in_force(read_config(folder), os.environ, root.command, root)
