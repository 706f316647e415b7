"""Groups of commands that know what was meant where a name is mistyped."""

from difflib import get_close_matches

import click


class Group(click.Group):
    """A group that names the commands that a mistyped one is like."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; raises UsageError, which names those that are like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            like = get_close_matches(args[0], self.list_commands(ctx))
            if not like or "Did you mean" in error.message:  # a newer click says so of commands that are imported
                raise
            words = f"{error.message.rstrip('.')}. Did you mean {' or '.join(map(repr, like))}?"
            raise click.UsageError(words, ctx) from None
