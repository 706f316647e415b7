"""Print the figures of a checkout: how much code there is, how it is cut, how it speaks.

    python scripts/house.py [FOLDER]

Prints a table, and the same as JSON in the last line. The package (``kbe_graph`` and ``cli``) is read by its syntax
and never imported, so that FOLDER may be any commit; it is this checkout unless given.
"""

import ast
import io
import json
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

from networkx import DiGraph, strongly_connected_components

Function = ast.FunctionDef | ast.AsyncFunctionDef
WORDS = ("Return what ", "Return whether ", "Return which ")


def line_count(file: Path) -> int:
    """Return the number of lines of a file."""
    return len(file.read_text("utf-8").splitlines())


def code_lines(text: str) -> int:
    """Return the number of lines that hold code: docstrings, comments and blank lines are not counted."""
    lines: set[int] = set()
    blank = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in blank:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def room_of(name: str) -> str:
    """Return the room of a module: its folder, or the module itself where it stands beside the rooms."""
    parts = name.split(".")
    return "cli" if parts[0] == "cli" else parts[1]


def widest_rooms(trees: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return how many other rooms each of the five rooms that import most imports; ``cli`` and ``workspace`` apart."""
    imported: dict[str, set[str]] = {}
    for name, tree in trees.items():
        rooms = {room_of(other) for other in imports_in(ast.walk(tree), trees)}
        imported.setdefault(room_of(name), set()).update(rooms - {room_of(name)})
    counts = Counter({room: len(others) for room, others in imported.items() if room not in {"cli", "workspace"}})
    return dict(counts.most_common(5))


def spread(lengths: Iterable[int]) -> dict[str, float]:
    """Return the median of some lengths, the 90th percentile and the greatest."""
    ordered = sorted(lengths)
    return {"median": median(ordered), "p90": ordered[len(ordered) * 9 // 10], "max": ordered[-1]}


def is_public(node: ast.AST) -> bool:
    """Tell whether a node is a class or function whose name has no underscore."""
    return isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")


def imports_in(nodes: Iterable[ast.AST], modules: Iterable[str]) -> set[str]:
    """Return the modules of the package that syntax nodes import; ``cli`` stands in a folder of its own."""
    packages = {name.removesuffix(".__init__"): name for name in modules}
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.replace("kbe_graph.cli", "cli") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}".replace("kbe_graph.cli", "cli")
            wholes = [f"{module}.{alias.name}" for alias in node.names]
            names |= {name if name in packages else module for name in wholes}
    return {packages[name] for name in names & packages.keys()}


def at_load(tree: ast.Module) -> Iterator[ast.AST]:
    """Give the syntax nodes of what runs as a module is loaded, without the bodies of its functions and classes."""
    for node in tree.body:
        test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
        if not isinstance(node, Function | ast.ClassDef) and "TYPE_CHECKING" not in test:
            yield from ast.walk(node)


def methods_of(name: str, classes: Mapping[str, ast.ClassDef]) -> dict[str, Function]:
    """Return the public methods and properties of a class, those of its bases included."""
    methods: dict[str, Function] = {}
    for base in (ast.unparse(base) for base in classes[name].bases):
        methods |= methods_of(base, classes) if base in classes else {}
    return methods | {node.name: node for node in classes[name].body if isinstance(node, Function) and is_public(node)}


def workspace(classes: Mapping[str, ast.ClassDef], room: set[str]) -> dict[str, int]:
    """Return the number of methods of ``Workspace``, and of each class of its room that its methods name."""
    own = methods_of("Workspace", classes)
    nodes = [node for part in (classes["Workspace"], *own.values()) for node in ast.walk(part)]
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} & room & classes.keys())
    others = {name: methods_of(name, classes) for name in names}
    return {"Workspace": len(own)} | {name: len(other) for name, other in others.items() if other.keys() - own.keys()}


def figures(root: Path) -> dict[str, object]:
    """Return the figures of a checkout."""
    files = [file for folder in ("kbe_graph", "cli") for file in sorted((root / folder).rglob("*.py"))]
    lengths = {".".join(file.relative_to(root).with_suffix("").parts): line_count(file) for file in files}
    texts_of = {name: file.read_text("utf-8") for name, file in zip(lengths, files, strict=True)}
    codes = {name: code_lines(text) for name, text in texts_of.items()}
    trees = {name: ast.parse(text) for name, text in texts_of.items()}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, Function)]
    spans = [(node.end_lineno or 0) - node.lineno + 1 for node in functions]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    importers = Counter(other for name, tree in trees.items() for other in imports_in(ast.walk(tree), trees) - {name})
    every = DiGraph((name, other) for name, tree in trees.items() for other in imports_in(ast.walk(tree), trees))
    loads = DiGraph((name, other) for name, tree in trees.items() for other in imports_in(at_load(tree), trees))
    texts = [ast.get_docstring(node) or "" for node in (*trees.values(), *functions, *classes)]
    caught = [str(node.type and ast.unparse(node.type)) for node in nodes if isinstance(node, ast.ExceptHandler)]
    tests = sorted((root / "tests").rglob("*.py"))
    test_nodes = [node for file in tests for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    room = {getattr(node, "name", "") for name in trees if ".workspace." in name for node in trees[name].body}
    return {
        "modules": len(trees),
        "lines of code": sum(codes.values()),
        "lines": sum(lengths.values()),
        "lines a module": spread(lengths.values()),
        "functions": len(functions),
        "lines a function": spread(spans),
        "functions over 40 lines": sum(span > 40 for span in spans),
        "modules under 40 lines with one importer": sum(lengths[name] < 40 and importers[name] == 1 for name in trees),
        "modules under 40 lines of code": sum(
            code < 40 and not files[at].name.startswith("__") for at, code in enumerate(codes.values())
        ),
        "rooms that one room imports": widest_rooms(trees),
        "test functions": sum(isinstance(node, Function) and node.name.startswith("test_") for node in test_nodes),
        "test lines": sum(map(line_count, tests)),
        "public names": sum(is_public(node) for tree in trees.values() for node in tree.body),
        "public methods": sum(is_public(node) for kind in classes if is_public(kind) for node in kind.body),
        "methods of": workspace({kind.name: kind for kind in classes}, room),
        "docs lines": {at: sum(map(line_count, root.glob(at))) for at in ("README.md", "CHANGELOG.md", "docs/**/*.md")},
        "classes that share a name": sum(count > 1 for count in Counter(kind.name for kind in classes).values()),
        'docstrings that begin with "Return what/whether/which"': sum(text.startswith(WORDS) for text in texts),
        'docstrings with "what "': sum("what " in text.lower() for text in texts),
        "broad excepts": sum(name in {"None", "Exception", "BaseException"} for name in caught),
        "docs pages": len([*root.glob("docs/*.md"), *root.glob("docs/**/*.ipynb"), *root.glob("docs/quality/*.md")]),
        "bench scripts": len([*root.glob("bench/*.py")]),
        "import cycles, in functions and of types too": sum(len(g) > 1 for g in strongly_connected_components(every)),
        "import cycles at load": sum(len(group) > 1 for group in strongly_connected_components(loads)),
    }


if __name__ == "__main__":
    table = figures(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
    for name, value in table.items():
        print(f"{name:<56}", json.dumps(value).strip("{}").replace('"', ""))
    print(json.dumps(table))
