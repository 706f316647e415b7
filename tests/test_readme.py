"""README and documents are held to their word: each command in them is one that there is."""

import re
import shlex
from pathlib import Path

import click
import pytest

from kbe_graph.cli.main import kbe

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = (README, *(file.read_text() for file in sorted((ROOT / "docs").glob("**/*.md"))))
BLOCKS = [
    block for page in PAGES for language, block in re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL) if not language
]
COMMANDS = sorted({line for block in BLOCKS for line in block.splitlines() if line.startswith("kbe -w W ")})


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_documents_can_be_given(line: str) -> None:
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
    for name in re.findall(r"`((?:docs|kbe_graph|\.ci)/[\w./-]+)`", README):
        assert (ROOT / name).exists(), name
