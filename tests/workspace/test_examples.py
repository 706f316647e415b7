"""Every public name, and every public method of the face, has an example in its docstring, and the examples hold."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import kbe_graph as kbe
from kbe_graph.workspace.answers import Answers
from kbe_graph.workspace.graph import Graph
from kbe_graph.workspace.models import Models
from kbe_graph.workspace.review import Reviews
from kbe_graph.workspace.run import Stats

FACE = (kbe.Workspace, Graph, Models, Answers, Stats, Reviews, kbe.Run, kbe.SampleStory, kbe.ModelOptions)
NO_EXAMPLE = {"Models.take_replies", "ModelOptions.keys"}


def documented() -> Iterator[tuple[str, str]]:
    """Give each public name with its docstring, and those of the methods of the classes that one works with."""
    for name in kbe.__all__:
        if name != "__version__":
            yield name, inspect.getdoc(getattr(kbe, name)) or ""
    for kind in FACE:
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", inspect.getdoc(member) or ""


def test_each_public_name_has_an_example() -> None:
    without = [name for name, text in documented() if ">>> " not in text]
    assert set(without) == NO_EXAMPLE
    assert all(text for _, text in documented())


def examples() -> Iterator[doctest.DocTest]:
    """Give the docstrings of the package that hold examples."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [module.name for module in walk_packages(kbe.__path__, "kbe_graph.")]
    own = [name for name in names if not name.startswith("kbe_graph.cli")]
    modules = [kbe, *map(import_module, own)]
    yield from (test for module in modules for test in finder.find(module) if test.examples)


def test_the_examples_hold(work: kbe.Workspace, folder: Path) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    for example in examples():
        example.globs.update(kbe=kbe, work=work, run=work.run("demo"), folder=folder)
        runner.run(example, out=said.append)
    assert runner.tries > 100
    assert runner.failures == 0, "".join(said)
