"""``import kbe_graph`` gives its public names, loads each at first use, and is quick."""

import ast
import sys
from pathlib import Path

import kbe_graph as kbe

INIT = Path(kbe.__file__)


def test_each_public_name_is_there() -> None:
    assert sorted(kbe.__all__) == kbe.__all__
    assert set(kbe.__all__) <= set(dir(kbe))
    missing = [name for name in kbe.__all__ if getattr(kbe, name, None) is None]
    assert missing == []


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(INIT.read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert {*told, "__version__"} == set(kbe.__all__)
    for name, place in told.items():
        module, _, there = place.rpartition(".")
        assert getattr(kbe, name) is getattr(sys.modules[module], there)
