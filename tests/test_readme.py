"""The README is held to its word: each command in it is one that there is."""

import re
import shlex
from pathlib import Path

import click
import pytest

from kbe_graph.cli.main import kbe

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line for block in BLOCKS for line in block.splitlines() if line.startswith("kbe -w W ") and not line.endswith("...")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_can_be_given(line: str) -> None:
    _, _, _, *words = shlex.split(line, comments=True)
    command: click.Command = kbe
    context = click.Context(kbe)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
    command.make_context(command.name, words, parent=context)


def test_there_are_commands_to_hold() -> None:
    assert len(COMMANDS) > 15


def test_files_that_the_readme_names_are_there() -> None:
    root = Path(__file__).parents[1]
    for name in re.findall(r"`((?:docs|kbe_graph|\.ci)/[\w./-]+)`", README):
        assert (root / name).exists(), name
