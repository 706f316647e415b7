"""Options of a verb, written once: the command line, Python's keywords, ``kbe.toml`` and the docs are made from them.

The options of a verb are the fields of a frozen dataclass derived from ``Options``, each made with ``option``.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, cleandoc, signature
from numbers import Integral
from pathlib import Path
from textwrap import fill
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, TypeVar, Union, get_args, get_origin

from kbe_graph.brief import brief
from kbe_graph.errors import InputError

T = TypeVar("T")
Runner = Literal["direct", "file", "batch"]
"""How calls are sent: over the network, as files, or through a provider's batch endpoint."""
RuleOrModel = Literal["rule", "model"]
"""Who does a step that rules can do and a model can do better."""
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


@brief()
@dataclass(frozen=True, slots=True)
class Options:
    """Base of the options of a verb; a value that an option does not take raises InputError."""

    def __init_subclass__(cls) -> None:
        brief()(cls)

    def __post_init__(self) -> None:
        for each in fields(self):
            if "option" in each.metadata:
                object.__setattr__(self, each.name, _checked(each, about_of(each), getattr(self, each.name)))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Build the options from keyword arguments; raises InputError for an unknown name or a wrong value."""
        refuse_unknown(given, [each.name for each in fields(cls)])
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


def takes(method: Callable[..., T]) -> Callable[..., T]:
    """Let a method take the fields of its parameters that are ``Options`` as arguments of its own.

    >>> @takes
    ... def load(file: str, options: Options) -> str:
    ...     return file
    >>> load("a.csv")
    'a.csv'
    """
    own = signature(method).parameters
    kinds = {each.name: each.annotation for each in own.values() if is_options(each.annotation)}
    plain = [each for each in own.values() if each.name not in kinds]
    keywords = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for kind in kinds.values()
        for each in fields(kind)
    ]
    several = next((each for each in plain if each.kind is Parameter.VAR_KEYWORD), None)
    names = [each.name for each in plain if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    names += [each.name for each in keywords]
    known = {each.name for each in (*plain, *keywords)}

    @wraps(method)
    def take(*args: Any, **given: Any) -> T:
        given |= zip(names, args, strict=False)
        if not several:
            refuse_unknown(given, [name for name in known if name != "self"])
        for name, kind in kinds.items():
            own_names = [each.name for each in fields(kind) if each.name in given]
            given[name] = kind(**{each: given.pop(each) for each in own_names})
        return method(**given)

    shown = [each for each in plain if each is not several]
    options = [each for kind in kinds.values() for each in fields(kind)]
    take.__doc__ = documented(method.__doc__ or "", options)
    take.__signature__ = signature(method).replace(  # type: ignore[attr-defined]  # inspect reads it
        parameters=[*shown, *keywords, *([several] if several else [])]
    )
    return take


def documented(words: str, options: Sequence["Field[Any]"]) -> str:
    """Add what each option means to a docstring, before its example."""
    before, prompt, example = cleandoc(words).partition(">>> ")
    lines = [f"{each.name}: {about_of(each).help}" for each in options if "option" in each.metadata]
    meanings = "\n".join(fill(line, 110, initial_indent="  ", subsequent_indent="    ") for line in lines)
    return f"{before.rstrip()}\n\nOptions:\n{meanings}\n\n{prompt}{example}".rstrip() if lines else words


def is_options(kind: Any) -> bool:
    """Whether an annotation is a class of options."""
    return isinstance(kind, type) and issubclass(kind, Options)


def refuse_unknown(given: Collection[str], names: Collection[str]) -> None:
    """Raise InputError for a name that no option has."""
    for name in given:
        if name not in {*names, "self"}:
            near = get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(f"no option {name!r}; {hint}the options are {', '.join(sorted(names))}")


def pairs_of(parts: Iterable[str], name: str) -> dict[str, str]:
    """Read parts such as ``a=b``; raises InputError, which names the option."""
    pairs: dict[str, str] = {}
    for part in parts:
        key, sign, value = map(str.strip, part.partition("="))
        if not (key and sign and value) or key in pairs:
            raise InputError(f"`{name}` has {part!r}; write name=value, and each name once")
        pairs[key] = value
    return pairs


def _checked(each: "Field[Any]", about: About, value: Any) -> Any:
    if value is None and each.default is None:
        return None
    kind = plain_type(each.type)
    if get_origin(kind) is tuple:
        values = (value,) if isinstance(value, str | Path) else value
        return tuple(_value(each.name, get_args(kind)[0], about, part) for part in values)
    return _value(each.name, kind, about, value)


def _value(name: str, kind: Any, about: About, value: Any) -> Any:
    value = int(value) if type(value) is not bool and isinstance(value, Integral) else value  # those of numpy too
    wanted = _wanted(kind, about)
    if choices := about.allowed() or (get_args(kind) if get_origin(kind) is Literal else ()):
        fits = value in choices
        wanted = f"one of {', '.join(map(repr, choices))}"
    elif kind in {int, float}:
        fits = _is_number(value, kind, about)
    elif kind is Path and isinstance(value, str):
        return Path(value)
    elif (get_origin(kind) or kind) is Mapping:
        value = pairs_of(value.split(","), name) if isinstance(value, str) else value
        fits = isinstance(value, Mapping)
    else:
        fits = isinstance(value, kind)
    if not fits:
        raise InputError(f"{name} is {value!r}; it must be {wanted}")
    return value


def _is_number(value: object, kind: type, about: About) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        return False
    low = -math.inf if about.least is None else about.least
    above = -math.inf if about.above is None else about.above
    return math.isfinite(value) and low <= value <= (about.most or math.inf) and value > above


def _wanted(kind: Any, about: About) -> str:
    if kind not in {int, float}:
        return {bool: "True or False", str: "text", Path: "a path"}.get(kind, f"of {kind}")
    number = "a whole number" if kind is int else "a number"
    low = f"from {about.least}" if about.most else f"of {about.least} or more"
    bounds = [low] if about.least is not None else []
    bounds += [f"of more than {about.above}"] if about.above is not None else []
    return " ".join([number, *bounds, *([f"to {about.most:g}"] if about.most else [])])
