"""Groups of commands that suggest names for mistyped ones, and the names of options in settings."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

import click

Command = TypeVar("Command", bound=click.Command)


class Group(click.Group):
    """A group that suggests commands similar to a mistyped one, and names the variables of their options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command; raises UsageError."""
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            like = get_close_matches(args[0], self.list_commands(ctx))
            if not like or "Did you mean" in error.message:  # newer versions of click already suggest imported commands
                raise
            words = f"{error.message.rstrip('.')}. Did you mean {' or '.join(map(repr, like))}?"
            raise click.UsageError(words, ctx) from None
        for option in command.params if command else ():
            if isinstance(option, click.Option):
                option.envvar = variable_of(option, f"{ctx.auto_envvar_prefix}_{name}")
        return name, command, rest


def key_of(option: click.Option) -> str:
    """Name an option as in ``kbe.toml``: as users type it, but with underscores.

    >>> key_of(click.Option(["--max-length", "longest"]))
    'max_length'
    """
    return option.opts[-1].lstrip("-").replace("-", "_")


def variable_of(option: click.Option, prefix: str) -> str:
    """Name the environment variable of an option; ``prefix`` stands for its command.

    >>> variable_of(click.Option(["--all", "everything"]), "KBE_status")
    'KBE_STATUS_ALL'
    """
    return f"{prefix}_{key_of(option)}".replace("-", "_").upper()


def epilog(*examples: str) -> str:
    """Return examples as the end of a help, ready to copy."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in examples)))


def examples(*lines: str) -> Callable[[Command], Command]:
    """Append examples to a command's help."""

    def add(command: Command) -> Command:
        command.epilog = epilog(*lines)
        return command

    return add
