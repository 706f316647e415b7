"""The benches are run by hand, so that what they take from each other is held here."""

import ast
from pathlib import Path

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


def test_what_a_bench_takes_from_another_is_there() -> None:
    trees = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in FILES.items()}
    names = {name: names_of(tree) for name, tree in trees.items()}
    gone = [
        (name, node.module, alias.name)
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in FILES
        for alias in node.names
        if alias.name not in names[node.module]
    ]
    assert gone == []
