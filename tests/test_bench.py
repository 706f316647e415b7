"""The benches are run by hand, so that what they take from each other is held here."""

import ast
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
FILES = {file.stem: file for file in sorted(BENCH.glob("*.py"))}


def names_of(tree: ast.Module) -> set[str]:
    """Return the names that a module has at its top."""
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = {name.id for node in tree.body for name in ast.walk(node) if isinstance(name, ast.Name)}
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return defined | assigned | imported


@pytest.mark.parametrize("name", FILES)
def test_what_a_bench_takes_from_another_is_there(name: str):
    taken = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in FILES
        for alias in node.names
    ]
    gone = [
        (module, wanted)
        for module, wanted in taken
        if wanted not in names_of(ast.parse(FILES[module].read_text(encoding="utf-8")))
    ]
    assert gone == []
