"""Validation of command settings in ``kbe.toml`` and the environment: names of options, and types of values."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from kbe_graph.cli.group import key_of, variable_of
from kbe_graph.config import FOR_TESTS, VARIABLES, Config, Setting, refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.secret import shown_setting

READ_ELSEWHERE = {"facts": {"contact", "endpoint", "offline"}, "wiki": {"server", "language"}}
OTHER_SECTIONS = ("graph", "filters", "models", "prompts")
NUMBERS = ((click.types.IntParamType, int, "a whole number"), (click.types.FloatParamType, int | float, "a number"))


def command_settings(config: Config, group: click.Group, ctx: click.Context) -> dict[str, Any]:
    """Read the file's settings by command and parameter, for click; raises ConfigError for an invalid one."""
    sections = {name: section for name, section in config.sections.items() if name not in OTHER_SECTIONS}
    return {
        name: _of_section(section, f"{config.file} [{name}]", name, _command(group, name, ctx), ctx)
        for name, section in sections.items()
    }


def check_variables(config: Config, environ: Mapping[str, str], group: click.Group, ctx: click.Context) -> None:
    """Raise ConfigError for a variable ``KBE_...`` that nothing reads, or whose value is invalid for its option.

    Variables that the file refers to as keys (``"$KBE_MY_KEY"``) are accepted.
    """
    others = {
        *VARIABLES,
        *FOR_TESTS,
        *(variable_of(option, "KBE") for option in _options(group)),
        *named_keys(config.sections),
    }
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
    config: Config, environ: Mapping[str, str], group: click.Group, ctx: click.Context, path: tuple[str, ...] = ()
) -> Iterator[Setting]:
    """Yield the options of all commands that have a value, each with its origin; keys are hidden."""
    for name in group.list_commands(ctx):
        command, words = _command(group, name, ctx), (*path, name)
        place = f"{config.file} [{'.'.join(words)}]"
        for option in _options(command):
            variable, key = variable_of(option, f"KBE_{'_'.join(words)}"), key_of(option)
            places = (environ.get(variable), f"environment {variable}"), (_section(config, words).get(key), place)
            usual = option.to_info_dict()["default"], "default"
            value, origin = next((pair for pair in places if pair[0] not in (None, "")), usual)
            if origin != "default" or not (value is None or value is False or value == ""):
                yield Setting(f"{' '.join(words)} {key}", shown_setting(key, _text(value)), origin)
        if isinstance(command, click.Group):
            yield from options_in_force(config, environ, command, ctx, words)


def _section(config: Config, words: tuple[str, ...]) -> Mapping[str, Any]:
    section: Any = config.sections
    for word in words:
        section = section.get(word, {})
    return section if isinstance(section, Mapping) else {}


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def named_keys(value: object) -> set[str]:
    """Collect the variables that a file's values refer to as ``"$NAME"``."""
    if isinstance(value, Mapping):
        return {name for inner in value.values() for name in named_keys(inner)}
    return {value[1:]} if isinstance(value, str) and value.startswith("$") else set()


def _command(group: click.Group, name: str, ctx: click.Context) -> click.Command:
    command = group.get_command(ctx, name)
    if command is None:
        raise ConfigError(f"no command {name!r}; there are {', '.join(group.list_commands(ctx))}")
    return command


def _of_section(
    section: Mapping[str, Any], place: str, name: str, command: click.Command, ctx: click.Context
) -> dict[str, Any]:
    options = {key_of(option): option for option in _options(command)}
    inner = command.list_commands(ctx) if isinstance(command, click.Group) else []
    elsewhere = READ_ELSEWHERE.get(name, set())
    values: dict[str, Any] = {}
    for key, value in section.items():
        refuse_stranger(place, key, [*options, *inner, *elsewhere])
        if key in inner and isinstance(command, click.Group):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{place} {key} is {value!r}; it must be a separate section, [{name}.{key}]")
            deeper = _command(command, key, ctx)
            values[key] = _of_section(value, f"{place.removesuffix(']')}.{key}]", f"{name}.{key}", deeper, ctx)
        elif key in options:
            _require_type(options[key], value, f"{place} {key}")
            _convert(options[key], value, f"{place} {key}", ctx)
            values[str(options[key].name)] = value
    return values


def _options(command: click.Command) -> Iterator[click.Option]:
    return (option for option in command.params if isinstance(option, click.Option))


def variables(command: click.Command, prefix: str, ctx: click.Context) -> Iterator[tuple[str, click.Option]]:
    """Yield the options of a command and its subcommands, each with the name of its environment variable."""
    for option in _options(command):
        yield variable_of(option, prefix), option
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            yield from variables(_command(command, name, ctx), f"{prefix}_{name}".upper().replace("-", "_"), ctx)


def _require_type(option: click.Option, value: object, place: str) -> None:
    values = value if option.multiple and isinstance(value, list) else [value]
    flag = (bool, "true or false")
    numbers = ((kind, words) for type_, kind, words in NUMBERS if isinstance(option.type, type_))
    kind, words = flag if option.is_flag else next(numbers, (str, "text"))
    for each in values:
        if not isinstance(each, kind) or (isinstance(each, bool) and kind is not bool):
            raise ConfigError(f"{place} is {shown_setting(key_of(option), repr(each))}; it must be {words}")


def _convert(option: click.Option, value: object, place: str, ctx: click.Context) -> None:
    if option.multiple and isinstance(value, str):
        return
    try:
        option.type_cast_value(ctx, value)
    except click.BadParameter as error:
        raise ConfigError(f"{place}: {error.message}") from None
