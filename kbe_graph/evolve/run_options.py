"""Options of a run, defined in one place.

The options of ``kbe evolve``, the keyword arguments in Python and the settings recorded in a manifest are all derived
from it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from inspect import Parameter, signature
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from kbe_graph.errors import InputError
from kbe_graph.text import check_name
from kbe_graph.types import RAW

Reselect = Literal["needed", "all"]
Method = TypeVar("Method", bound=Callable[..., Any])


class RunOption(NamedTuple):
    """Description and bounds of an option, in addition to its field's type and default.

    ``help`` is its command-line description. A number lies from ``least`` to ``most``, or is greater than ``above``.
    ``setting`` is its name in a run's settings, which record values that are not the default, and all values of options
    with ``always``.
    """

    help: str
    least: int | None = None
    most: float | None = None
    above: int | None = None
    setting: str = ""
    always: bool = False


def _about(help: str, **more: Any) -> dict[str, RunOption]:  # noqa: A002 - the option's help
    return {"option": RunOption(help, **more)}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run, whatever provides its facts and wordings. Raises InputError.

    ``run`` names the run. ``limit`` uses the first samples by ID; ``sample`` uses that many, drawn with the ``seed``.
    ``max_length`` is the longest path, in edges, that re-selection follows, and ``timeout`` the time limit of its
    search in seconds. ``filters`` chooses the checks: ``all``, ``paper`` (only the conditions of the paper), or names
    (``noun,cycle``). ``reselect`` chooses the samples that are asked about another object: those whose answer is not a
    noun (``needed``), as in the paper, or ``all``; new hops start only from those in ``needed``. ``unsourced`` allows
    facts that no opened source confirms.

    >>> kbe.RunOptions(hops=2, seed=1, sample=100).name
    'seed-1-sample-100'
    """

    run: str | None = field(default=None, metadata=_about("Run name (default: made from the seed, limit and sample)."))
    seed: int = field(default=0, metadata=_about("Random seed."))
    hops: int = field(default=3, metadata=_about("Number of hops; there is no upper limit.", least=0))
    limit: int | None = field(
        default=None,
        metadata=_about("Use only this many samples, the first by id.", least=1, setting="limit", always=True),
    )
    sample: int | None = field(
        default=None, metadata=_about("Use only this many samples, drawn with the seed.", least=1, setting="sample")
    )
    max_length: int = field(
        default=10,
        metadata=_about(
            "Longest path that re-selection follows, in edges.",
            least=1,
            most=12,
            setting="max length",
            always=True,
        ),
    )
    timeout: float = field(
        default=60.0, metadata=_about("Time limit for each path search, in seconds.", above=0, most=1e8)
    )
    filters: str = field(
        default="all",
        metadata=_about(
            "Which checks to apply: 'paper' (only those of the paper), 'all', or a comma-separated list; 'kbe filters' "
            "lists them. Safety checks always apply.",
            setting="checks",
        ),
    )
    unsourced: bool = field(
        default=True,
        metadata=_about("Whether to use facts that no opened source confirms.", setting="unsourced"),
    )
    reselect: Reselect = field(
        default="needed",
        metadata=_about(
            "Which samples to re-select: those whose answer is not a noun (needed), as in the paper, or all. The "
            "extra questions of 'all' get no further hops.",
            setting="reselect",
        ),
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(each, getattr(self, each.name))
        if self.limit is not None and self.sample is not None:
            raise InputError(
                f"limit {self.limit} and sample {self.sample} both set the number of samples; give only one of them"
            )
        if self.run == RAW:
            raise InputError(f"run {RAW!r} means the benchmark's own questions; choose another name")
        if self.run is not None and (not self.run.strip() or "@" in self.run):
            raise InputError(f"run {self.run!r} cannot be part of a question's id; use a word without '@'")
        check_name("run", self.run or "")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "RunOptions":
        """Build the options from keyword arguments; raises InputError for an unknown name or a wrong value."""
        names = [each.name for each in fields(cls)]
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise InputError(f"no option {name!r}; {hint}the options are {', '.join(names)}")
        return cls(**given)

    @property
    def name(self) -> str:
        """The name of the run: as given, or built from its seed and number of samples."""
        few = (f"-{name}-{number}" for name, number in (("limit", self.limit), ("sample", self.sample)) if number)
        return self.run or "".join((f"seed-{self.seed}", *few))

    def settings(self, *, always: bool) -> dict[str, object]:
        """List the settings that affect the outcome: those always recorded, or those that are not the default."""
        noted = [(each, option_of(each), getattr(self, each.name)) for each in fields(self)]
        return {
            option.setting: "off" if value is False else value
            for each, option, value in noted
            if option.setting and option.always is always and (always or value != each.default)
        }


def option_of(each: "Field[Any]") -> RunOption:
    """Read the option of a field."""
    option: RunOption = each.metadata["option"]
    return option


def type_of(each: "Field[Any]") -> Any:
    """Read the type of a field's value, ignoring None."""
    kinds = [kind for kind in get_args(each.type) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(each.type) else each.type


def _check(each: "Field[Any]", value: object) -> None:
    if value is None and each.default is None:
        return
    kind, option = type_of(each), option_of(each)
    if get_origin(kind) is Literal:
        is_valid, wanted = value in get_args(kind), _one_of(get_args(kind))
    elif kind in {int, float}:
        is_valid, wanted = _is_number(value, kind, option), _range(kind, option)
    else:
        is_valid, wanted = isinstance(value, kind), {bool: "True or False", str: "text"}[kind]
    if not is_valid:
        raise InputError(f"{each.name} is {value!r}; it must be {wanted}")


def check_number(name: str, value: object, *, least: int | None, kind: type = int) -> None:
    """Raise InputError for a value that is not a ``kind`` or is below ``least``, worded as for run options."""
    option = RunOption("", least=least)
    if not _is_number(value, kind, option):
        raise InputError(f"{name} is {value!r}; it must be {_range(kind, option)}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise InputError for a value that is not one of the choices, worded as for run options."""
    if value not in choices:
        raise InputError(f"{name} is {value!r}; it must be {_one_of(choices)}")


def _one_of(choices: Iterable[object]) -> str:
    return f"one of {', '.join(map(repr, choices))}"


def _is_number(value: object, kind: type, option: RunOption) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        return False
    low = -math.inf if option.least is None else option.least
    return (
        math.isfinite(value)
        and low <= value <= (option.most or math.inf)
        and (option.above is None or value > option.above)
    )


def _range(kind: type, option: RunOption) -> str:
    number = "a whole number" if kind is int else "a number"
    low = f"from {option.least}" if option.most else f"of {option.least} or more"
    bounds = [low] if option.least is not None else []
    bounds += [f"of more than {option.above}"] if option.above is not None else []
    return " ".join([number, *bounds, *([f"to {option.most:g}"] if option.most else [])])


def takes_run_options(method: Method) -> Method:
    """Add the fields of ``RunOptions`` to the signature of a method that takes them as keyword arguments."""
    own = signature(method)
    given = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    more = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in fields(RunOptions)
    ]
    method.__signature__ = own.replace(parameters=[*given, *more])  # type: ignore[attr-defined]  # inspect reads it
    return method
