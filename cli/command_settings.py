"""Options in ``kbe.toml`` and the environment: their names, and validation of names and values."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from kbe_graph.config import ADDRESS, FOR_TESTS, VARIABLES, Config, Setting, leaves, refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.secret import shown_setting

READ_ELSEWHERE = {"facts": {"contact", "endpoint", "offline"}, "wiki": {"server", "language"}}
SHARED = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")
OF_COMMAND = {
    "base_url": "name the address in [models] base_url, the command or the environment",
    "judge_base_url": "name the address in [models.judge] base_url, the command or the environment",
    "images": "name folders of pictures in the command or the environment",
    "local_hosts": "allow addresses of this machine in the command or the environment",
}
"""What the file of a workspace may not set, and where it stands instead."""
OTHER_SECTIONS = ("datasheet", "graph", "filters", "models", "prompts")


class Group(click.Group):
    """A group that names the environment variables of its commands' options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command; raises UsageError."""
        name, command, rest = super().resolve_command(ctx, args)
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


def with_flags(text: str, ctx: click.Context | None) -> str:
    """Write the options that a text names as in Python (`replace`) as on the command line (`--replace`).

    A name that is also a command means the option only where the command at work has it.
    """
    if ctx is None or "`" not in text:
        return text
    root = ctx.find_root()
    others = {option.opts[-1] for _, option in variables(root.command, "", root)}
    commands = {f"--{name}" for name in root.command.list_commands(root)} if isinstance(root.command, Group) else set()
    flags = (others - commands) | {option.opts[-1] for option in _options(ctx.command)}
    flag_of = {flag.lstrip("-").replace("-", "_"): flag for flag in flags}
    return re.sub("`([a-z_]+)`", lambda word: f"`{flag_of.get(word[1], word[1])}`", text)


def epilog(*examples: str) -> str:
    """Return examples as the end of a help, ready to copy."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in examples)))


def command_settings(config: Config, group: click.Group, ctx: click.Context) -> dict[str, Any]:
    """Read the file's settings by command and parameter, for click; raises ConfigError for an invalid one."""
    return {
        name: _of_section(section, f"{config.file} [{name}", _command(group, name, ctx), ctx, READ_ELSEWHERE.get(name))
        for name, section in config.sections.items()
        if name not in OTHER_SECTIONS
    }


def check_variables(config: Config, environ: Mapping[str, str], group: click.Group, ctx: click.Context) -> None:
    """Raise ConfigError for a variable ``KBE_...`` that nothing reads, or whose value is invalid for its option.

    Variables that the file refers to as keys (``"$KBE_MY_KEY"``) are accepted.
    """
    own = (variable_of(option, "KBE") for option in _options(group))
    others = {*VARIABLES, *FOR_TESTS, *own, *named_keys(config.sections)}
    for variable, value in sorted(environ.items()):
        if not variable.startswith("KBE_") or not value or variable in others:
            continue
        name = variable.removeprefix("KBE_").lower()
        command = next((each for each in group.list_commands(ctx) if name.startswith(f"{each}_")), None)
        if command is None:
            every = (each for each, _ in variables(group, "KBE", ctx))
            refuse_stranger("environment", variable, VARIABLES, further=every)
            continue
        options = dict(variables(_command(group, command, ctx), f"KBE_{command}".upper(), ctx))
        refuse_stranger("environment", variable, options)
        _convert(options[variable], value, f"environment {variable}", ctx)


def options_in_force(
    config: Config, environ: Mapping[str, str], group: click.Group, ctx: click.Context
) -> Iterator[Setting]:
    """Yield the settings that the environment or the file makes, each with its origin; keys are hidden."""
    options = {variable: key_of(option) for variable, option in variables(group, "KBE", ctx)}
    for variable in (*VARIABLES, *ADDRESS.values(), *SHARED, *options):
        if value := environ.get(variable):
            name = variable.removeprefix("KBE_").lower().replace("_", " ", 1) if variable in options else variable
            yield Setting(name, shown_setting(options.get(variable, name), value), f"environment {variable}")
    for section, values in config.sections.items():
        for key, leaf in leaves(values):
            shown = ", ".join(map(str, leaf)) if isinstance(leaf, list) else str(leaf)
            yield Setting(f"{section} {key}", shown_setting(key, shown), f"{config.file} [{section}]")


def named_keys(value: object) -> set[str]:
    """Collect the variables that a file's values refer to as ``"$NAME"``."""
    if isinstance(value, Mapping):
        return {name for inner in value.values() for name in named_keys(inner)}
    return {value[1:]} if isinstance(value, str) and value.startswith("$") else set()


def variables(command: click.Command, prefix: str, ctx: click.Context) -> Iterator[tuple[str, click.Option]]:
    """Yield the options of a command and its subcommands, each with the name of its environment variable."""
    for option in _options(command):
        yield variable_of(option, prefix), option
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            yield from variables(_command(command, name, ctx), f"{prefix}_{name}".upper().replace("-", "_"), ctx)


def _command(group: click.Group, name: str, ctx: click.Context) -> click.Command:
    command = group.get_command(ctx, name)
    if command is None:
        raise ConfigError(f"no command {name!r}; there are {', '.join(group.list_commands(ctx))}")
    return command


def _of_section(
    section: Mapping[str, Any], place: str, command: click.Command, ctx: click.Context, elsewhere: set[str] | None
) -> dict[str, Any]:
    options = {key_of(option): option for option in _options(command)}
    inner = command.list_commands(ctx) if isinstance(command, click.Group) else []
    values: dict[str, Any] = {}
    for key, value in section.items():
        refuse_stranger(f"{place}]", key, [*options, *inner, *(elsewhere or ())])
        if key in OF_COMMAND:
            raise ConfigError(f"{place}] {key}: a workspace may be another's; {OF_COMMAND[key]}")
        if key in options:
            _convert(options[key], value, f"{place}] {key}", ctx)
            values[str(options[key].name)] = value
        elif key in inner and isinstance(command, click.Group):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{place}] {key} is {value!r}; it must be a section of its own, {place}.{key}]")
            values[key] = _of_section(value, f"{place}.{key}", _command(command, key, ctx), ctx, None)
    return values


def _options(command: click.Command) -> Iterator[click.Option]:
    return (option for option in command.params if isinstance(option, click.Option))


def _convert(option: click.Option, value: object, place: str, ctx: click.Context) -> None:
    """Convert the value as text would be, so that a number with decimals, say, is no whole number."""
    try:
        for each in value if option.multiple and isinstance(value, list) else [value]:
            option.type(each if isinstance(each, str) else str(each), option, ctx)
    except click.BadParameter as error:
        raise ConfigError(f"{place}: {error.message}") from None
