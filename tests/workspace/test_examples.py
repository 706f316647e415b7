"""Every public name, and every public method of the face, has an example in its docstring, and the examples hold."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import kbe_graph as kbe

pytestmark = pytest.mark.xdist_group("examples")
FACE = (kbe.Workspace, kbe.Run, kbe.SampleStory, kbe.ModelOptions)
NEEDS_A_NETWORK = {"Workspace.fetch", "Workspace.take"}


def documented() -> Iterator[tuple[str, str]]:
    """Give each public name with its docstring, and those of the methods of the classes that one works with."""
    for name in kbe.__all__:
        if name != "__version__":
            yield name, inspect.getdoc(getattr(kbe, name)) or ""
    for kind in FACE:
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", inspect.getdoc(member) or ""


@pytest.mark.parametrize(("name", "text"), list(documented()), ids=lambda value: value.split("\n")[0][:40])
def test_it_has_an_example(name: str, text: str) -> None:
    assert text
    assert ">>> " in text or name in NEEDS_A_NETWORK


def examples() -> Iterator[doctest.DocTest]:
    """Give the docstrings of the package that hold examples."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [module.name for module in walk_packages(kbe.__path__, "kbe_graph.")]
    own = [name for name in names if not name.startswith(("kbe_graph.testing", "kbe_graph.cli"))]
    modules = [kbe, *map(import_module, own)]
    yield from (test for module in modules for test in finder.find(module) if test.examples)


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_the_example_holds(example: doctest.DocTest, work: kbe.Workspace, folder: Path) -> None:
    example.globs.update(kbe=kbe, work=work, run=work.run("demo"), folder=folder)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(example, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
