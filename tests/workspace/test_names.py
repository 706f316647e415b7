"""``import kbe_graph`` gives its public names, loads each at first use, and is quick."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import kbe_graph as kbe

INIT = Path(kbe.__file__)
HEAVY = (
    *("neo4j", "openai", "spacy", "pandas", "pyarrow", "numpy", "rich", "networkx", "arcadedb_embedded", "lemminflect"),
    *("asyncio", "sqlite3", "click"),
)


def test_no_modules_of_the_workspace_import_each_other_in_a_circle() -> None:
    imports = {file.stem: imported(file) for file in (INIT.parent / "workspace").glob("*.py")}
    imports["cluster"] = set()  # its workers make workspaces of their own
    TopologicalSorter(imports).prepare()


def imported(file: Path) -> set[str]:
    """The modules of the workspace that a module imports, also in its functions and for the type checker."""
    nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
    return {node.module.rpartition(".")[2] for node in nodes if (node.module or "").startswith("kbe_graph.workspace.")}


def test_each_public_name_is_there() -> None:
    assert sorted(kbe.__all__) == kbe.__all__
    assert set(kbe.__all__) <= set(dir(kbe))
    missing = [name for name in kbe.__all__ if getattr(kbe, name, None) is None]
    assert missing == []


def test_there_are_some_thirty_names_and_no_other_is_given() -> None:
    assert 15 < len(kbe.__all__) < 35
    assert not hasattr(kbe, "run_by_rules")


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(INIT.read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    told = {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    assert {*told, "__version__"} == set(kbe.__all__)
    for name, place in told.items():
        module, _, there = place.rpartition(".")
        assert getattr(kbe, name) is getattr(sys.modules[module], there)


def test_the_import_loads_nothing_heavy_and_no_room() -> None:
    code = f"import sys, kbe_graph; print([name for name in {HEAVY!r} if name in sys.modules], "
    code += (
        "[name for name in sys.modules if name.startswith('kbe_graph.') and hasattr(sys.modules[name], '__path__')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[] []"


def test_a_workspace_is_made_without_anything_heavy(tmp_path: Path) -> None:
    heavy = tuple(name for name in HEAVY if name not in {"asyncio", "sqlite3"})
    code = f"import sys, kbe_graph; kbe_graph.Workspace({str(tmp_path)!r}); "
    code += f"print([name for name in {heavy!r} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
