"""The house rules no linter knows: floors, names that stand once, words that say nothing, nothing read on import."""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FLOORS: Mapping[str, int] = {
    room: floor
    for floor, rooms in enumerate(
        (
            "types errors extras text data plugins brief",
            "files english secret config folder options workers",
            "datasets store models",
            "facts progress graph_access web",
            "extract checks steps forms perturb statistics scoring",
            "adapt evolve export evaluate figures show wiki review release twins",
            "audit workspace explorer",
            "cli __init__ __main__",
        )
    )
    for room in rooms.split()
}
# Words of the field that two rooms need.
MODULES_TWICE = {
    "graph",
    "release",
    "review",
}
PARTICIPLES = """
    told said asked linked around judged known merged packaged reviewed evolved fitted turned shown worded opened nested
    seen named given met gone taken held led left lengthened reselected explored explained probed gathered
"""
# Locals that have the name of no field. Each number may only go down.
VAGUE = {
    "one": 0,
    "some": 2,
    "found": 15,
    "there": 0,
    "here": 0,
    "said": 4,
    "told": 2,
    "known": 6,
    "met": 2,
    "left": 5,
}


class Import(NamedTuple):
    """An import of one room by another."""

    module: str
    line: int
    room: str
    target: str


@cache
def trees() -> Mapping[str, ast.Module]:
    """Return each module of the package with its syntax tree, `cli` included."""
    files = [file for folder in ("kbe_graph", "cli") for file in sorted((ROOT / folder).rglob("*.py"))]
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def nodes() -> Sequence[tuple[str, ast.AST]]:
    """Return each node of the package's code with its module."""
    return tuple((module, node) for module, tree in trees().items() for node in ast.walk(tree))


def room_of(module: str) -> str:
    """Return the room of a module: its folder, or itself where it stands at the top."""
    parts = Path(module).with_suffix("").parts
    return "cli" if parts[0] == "cli" else parts[1]


def imports() -> Iterator[Import]:
    """Give the imports between rooms, those in functions and for the type checker included."""
    for module, node in nodes():
        for name in _imported(node):
            target = name.split(".")[1]
            target = target if target in FLOORS else "__init__"  # a name of the package's face
            if target != room_of(module):
                yield Import(module, node.lineno, room_of(module), target)


def _imported(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Import):
        names: Iterable[str] = (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        names = (f"{node.module}.{alias.name}" for alias in node.names)
    else:
        names = ()
    return {name for name in names if name.startswith("kbe_graph.") and name != "kbe_graph.extras.__version__"}


def names(*kinds: type[ast.AST]) -> Iterator[tuple[str, str]]:
    """Give the name and the module of each definition of these kinds."""
    for module, node in nodes():
        if isinstance(node, kinds):
            yield node.name, module  # type: ignore[attr-defined]


def test_each_room_stands_on_a_floor() -> None:
    rooms = {room_of(module) for module in trees()}
    assert rooms == set(FLOORS)


def test_rooms_import_downward_only() -> None:
    upward = [one for one in imports() if FLOORS[one.target] > FLOORS[one.room]]
    assert upward == []


def test_no_rooms_import_each_other_in_a_circle() -> None:
    rooms = defaultdict(set)
    for one in imports():
        rooms[one.room].add(one.target)
    assert circle(rooms) == []


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the rooms of a circle, nothing where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_class_name_stands_once() -> None:
    modules = defaultdict(list)
    for name, module in names(ast.ClassDef):
        modules[name].append(module)
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def test_a_module_name_stands_once() -> None:
    counts = Counter(Path(module).stem for module in trees())
    assert {name for name, count in counts.items() if count > 1} - {"__init__"} <= MODULES_TWICE


def test_each_module_name_that_may_stand_twice_does() -> None:
    counts = Counter(Path(module).stem for module in trees())
    assert {name for name in MODULES_TWICE if counts[name] < 2} == set()


def test_no_function_is_named_by_a_participle() -> None:
    named = [
        (node.name, module)
        for module, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.strip("_") in PARTICIPLES.split()
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert named == []


def test_vague_names_grow_fewer() -> None:
    counts = Counter(name for _, node in nodes() for name in _bound(node))
    assert {name: counts[name] for name in VAGUE if counts[name] > VAGUE[name]} == {}


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg


def test_the_loop_is_run_in_one_module() -> None:
    runs = {
        module for module, node in nodes() if isinstance(node, ast.Attribute) and ast.unparse(node) == "asyncio.run"
    }
    assert runs <= {"kbe_graph/models/loop.py"}


_IMPORT_ALL = """
import pkgutil, sys
from pathlib import Path
import kbe_graph

code = (".py", ".so")
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
sys.addaudithook(lambda event, args: opened.append(event) if event in ("socket.connect", "subprocess.Popen") else None)
for module in pkgutil.walk_packages(kbe_graph.__path__, "kbe_graph."):
    __import__(module.name)
rooms = str(Path(kbe_graph.__file__).parent)
told = [name for name in opened if name.startswith((rooms, "socket", "subprocess")) and not name.endswith(code)]
print("\\n".join(name for name in told if "__pycache__" not in name))
"""


def test_nothing_is_read_on_import() -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORT_ALL], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout.split() == []
