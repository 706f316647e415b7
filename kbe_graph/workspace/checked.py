"""Numbers given to the methods of a workspace, held to the bounds of the command line."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import isfunction, signature
from numbers import Integral
from types import NoneType
from typing import Any, TypeVar, get_args

from kbe_graph.options import check_number

Class = TypeVar("Class", bound=type)

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
                _check(name, given[name])
        return method(*args, **options)

    return refusing


def _check(name: str, value: object) -> None:
    is_whole = type(value) is not bool and isinstance(value, Integral)  # those of numpy too
    check_number(name, int(value) if is_whole else value, least=LEAST.get(name, 1))  # type: ignore[call-overload]
