"""The page on commands lists every command with its options; ``python tests/docs/test_commands_page.py`` writes it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1]))
from command_tree import commands

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
HEAD, END = "| command | options |\n| --- | --- |\n", "\n\n## Exit codes"


def rows() -> Iterator[str]:
    """Yield a row for each command."""
    for words, command in commands():
        options = [max(param.opts, key=len) for param in command.params if isinstance(param, click.Option)]
        if options or not isinstance(command, click.Group):
            yield f"| `{words}` | {', '.join(f'`{name}`' for name in options)} |"


def test_every_command_is_there_with_its_options() -> None:
    listed = PAGE.read_text(encoding="utf-8").partition(HEAD)[2].partition(END)[0]
    assert listed.splitlines() == list(rows())


if __name__ == "__main__":
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    PAGE.write_text(before + HEAD + "\n".join(rows()) + END + rest.partition(END)[2], encoding="utf-8")
