"""Options of a verb, written once: the command line, Python's keywords, ``kbe.toml`` and the docs are made from them.

The options of a verb are the fields of a frozen dataclass derived from ``Options``, each made with ``option``.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, isfunction, signature
from numbers import Integral
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, TypeVar, Union, get_args, get_origin

from kbe_graph.errors import InputError

Class = TypeVar("Class", bound=type)
Method = TypeVar("Method", bound=Callable[..., Any])
Runner = Literal["direct", "file", "batch"]
"""How calls are sent: over the network, as files, or through a provider's batch endpoint."""
Choices = Collection[str] | Callable[[], Collection[str]]


class About(NamedTuple):
    """What an option means, and which values it takes, in addition to its field's type and default.

    A number lies from ``least`` to ``most``, or is greater than ``above``. ``choices`` are the words that a text may
    be, or a function that returns them. ``flag`` is the name on the command line if it is not the field's.
    ``setting`` is its name in a run's settings, which record values that are not the default, and all values of options
    with ``always``.
    """

    help: str
    least: int | None = None
    most: float | None = None
    above: int | None = None
    choices: Choices = ()
    flag: str = ""
    metavar: str | None = None
    setting: str = ""
    always: bool = False

    def allowed(self) -> Collection[str]:
        """Return the words that a text may be; empty if any."""
        return self.choices() if callable(self.choices) else self.choices


def option(default: Any, help: str, **more: Any) -> Any:  # noqa: A002 - the option's help
    """Make a field that is an option; ``more`` are the fields of ``About``."""
    return field(default=default, metadata={"option": About(help, **more)})


@dataclass(frozen=True, slots=True)
class Options:
    """Base of the options of a verb; a value that an option does not take raises InputError."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if "option" in each.metadata:
                object.__setattr__(self, each.name, _checked(each, getattr(self, each.name)))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Build the options from keyword arguments; raises InputError for an unknown name or a wrong value."""
        names = [each.name for each in fields(cls)]
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise InputError(f"no option {name!r}; {hint}the options are {', '.join(names)}")
        return cls(**given)

    def keys(self) -> Iterator[str]:
        """Name the options, so that ``**options`` passes them on."""
        return (each.name for each in fields(self))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def about_of(each: "Field[Any]") -> About:
    """Read the option of a field."""
    about: About = each.metadata["option"]
    return about


def plain_type(kind: Any) -> Any:
    """Read the type of an option's value, without None, and a path for a text or a path."""
    kinds = [part for part in get_args(kind) if part is not NoneType] if get_origin(kind) in (Union, UnionType) else []
    return Path if Path in kinds else kinds[0] if kinds else kind


def takes(*options: type[Options]) -> Callable[[Method], Method]:
    """Add the fields of options to the signature of a method that takes them as keyword arguments."""

    def add(method: Method) -> Method:
        own = signature(method)
        given = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        more = [
            Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
            for kind in options
            for each in fields(kind)
        ]
        method.__signature__ = own.replace(parameters=[*given, *more])  # type: ignore[attr-defined]  # inspect reads it
        return method

    return add


def check_number(name: str, value: object, *, least: int | None, kind: type = int) -> None:
    """Raise InputError for a value that is not a ``kind`` or is below ``least``."""
    option = About("", least=least)
    if not _is_number(value, kind, option):
        raise InputError(f"{name} is {value!r}; it must be {_range(kind, option)}")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise InputError for a value that is not one of the choices."""
    if value not in choices:
        raise InputError(f"{name} is {value!r}; it must be {_one_of(choices)}")


def _checked(each: "Field[Any]", value: Any) -> Any:
    kind, option = plain_type(each.type), about_of(each)
    if value is None and each.default is None:
        return None
    choices = get_args(kind) if get_origin(kind) is Literal else option.allowed()
    if choices:
        check_choice(each.name, value, choices)
    elif kind in {int, float}:
        value = int(value) if not isinstance(value, bool) and isinstance(value, Integral) else value
        if not _is_number(value, kind, option):
            raise InputError(f"{each.name} is {value!r}; it must be {_range(kind, option)}")
    elif kind is Path and isinstance(value, str):
        return Path(value)
    elif not isinstance(value, kind):
        wanted = {bool: "True or False", str: "text", Path: "a path"}.get(kind, f"of {kind}")
        raise InputError(f"{each.name} is {value!r}; it must be {wanted}")
    return value


def _one_of(choices: Collection[str]) -> str:
    return f"one of {', '.join(map(repr, choices))}"


def _is_number(value: object, kind: type, option: About) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        return False
    low = -math.inf if option.least is None else option.least
    return (
        math.isfinite(value)
        and low <= value <= (option.most or math.inf)
        and (option.above is None or value > option.above)
    )


def _range(kind: type, option: About) -> str:
    number = "a whole number" if kind is int else "a number"
    low = f"from {option.least}" if option.most else f"of {option.least} or more"
    bounds = [low] if option.least is not None else []
    bounds += [f"of more than {option.above}"] if option.above is not None else []
    return " ".join([number, *bounds, *([f"to {option.most:g}"] if option.most else [])])


LEAST = {"hop": 0, "port": 0, "seed": None}
"""The least value of an argument that is a whole number, where it is not 1."""


def checked(cls: Class) -> Class:
    """Let each public method of a class refuse an argument that is no whole number in its bounds.

    The arguments are those whose annotation is ``int`` or ``int | None``. The methods then raise InputError, before
    any work.
    """
    for name, method in list(vars(cls).items()):
        if isfunction(method) and not name.startswith("_"):
            wholes = {name: kind for name, kind in method.__annotations__.items() if int in (kind, *get_args(kind))}
            wholes.pop("return", None)
            if wholes:
                setattr(cls, name, _refusing(method, wholes))
    return cls


def _refusing(method: Callable[..., Any], wholes: Mapping[str, Any]) -> Callable[..., Any]:
    names = tuple(signature(method).parameters)

    @wraps(method)
    def refusing(*args: Any, **options: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **options}
        for name, kind in wholes.items():
            if name in given and not (given[name] is None and NoneType in get_args(kind)):
                value = given[name]
                is_whole = type(value) is not bool and isinstance(value, Integral)  # those of numpy too
                check_number(name, int(value) if is_whole else value, least=LEAST.get(name, 1))
        return method(*args, **options)

    return refusing
