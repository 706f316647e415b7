"""``import kbe_graph`` gives its public names, loads each at first use, and is quick."""

import ast
import pydoc
import sys
from pathlib import Path

import kbe_graph as kbe

INIT = Path(kbe.__file__)
NAMES = set(kbe._MODULES)


def test_each_public_name_is_there_and_told_on_the_one_page_of_help() -> None:
    assert set(dir(kbe)) >= NAMES
    missing = [name for name in NAMES if getattr(kbe, name, None) is None or f"``{name}``" not in (kbe.__doc__ or "")]
    assert missing == []
    assert len(pydoc.render_doc(kbe).splitlines()) < 100


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(INIT.read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert set(told) == NAMES
    for name, place in told.items():
        module, _, there = place.rpartition(".")
        assert getattr(kbe, name) is getattr(sys.modules[module], there)
