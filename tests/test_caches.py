"""What is kept of words and facts has a bound, so that a run's memory does not grow with the benchmark."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass, signature
from types import ModuleType
from typing import Any


def caches(package: ModuleType) -> Iterator[Any]:
    """Give the cached functions and methods of a package that take an argument."""
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        names = vars(import_module(info.name))
        own = [one for one in names.values() if isclass(one) and one.__module__ == info.name]
        for one in [*names.values(), *(method for each in own for method in vars(each).values())]:
            if hasattr(one, "cache_info") and one.__module__ == info.name and signature(one).parameters:
                yield one


ROOMS = ("english", "facts", "checks", "extract", "evolve")


def test_every_cache_by_an_argument_has_a_bound() -> None:
    for room in ROOMS:
        package = import_module(f"kbe_graph.{room}")
        files = {"query", "table"}
        found = {one.__qualname__: one.cache_parameters()["maxsize"] for one in caches(package)}
        assert {name for name, bound in found.items() if bound is None} <= files, room
