"""The tree of click commands, and parsing of command lines found in documents."""

import shlex
from collections.abc import Iterator

import click

from kbe_graph.cli.main import kbe


def commands(
    group: click.Group = kbe, path: tuple[str, ...] = (), context: click.Context | None = None
) -> Iterator[tuple[str, click.Command]]:
    """Yield each command and group below ``group``, with the words that call it."""
    context = context or click.Context(group, info_name="kbe", auto_envvar_prefix="KBE")
    for name in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [name])
        assert command is not None
        words = (*path, name)
        yield " ".join(words), command
        if isinstance(command, click.Group):
            yield from commands(command, words, click.Context(command, info_name=name, parent=context))


def read_line(line: str) -> None:
    """Parse a command line without running it; raises click's UsageError."""
    words = shlex.split(line, comments=True)
    assert words.pop(0) == "kbe", line
    if words[:1] == ["-w"]:
        del words[:2]
    command: click.Command = kbe
    context = click.Context(kbe)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words.pop(0))
        assert inner is not None, line
        command = inner
    command.make_context(command.name, words, parent=context)
