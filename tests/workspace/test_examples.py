"""Every public name, and every public method of the face, has an example in its docstring, and the examples hold."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FunctionType

import kbe_graph as kbe
from kbe_graph.workspace.answers import Answers
from kbe_graph.workspace.benchmarks import Wiki
from kbe_graph.workspace.graph import Graph
from kbe_graph.workspace.models import Models
from kbe_graph.workspace.releases import Releases
from kbe_graph.workspace.review import Reviews
from kbe_graph.workspace.run import Stats

GROUPS = (Graph, Models, Answers, Stats, Reviews, Releases, Wiki)
FACE = (kbe.Workspace, *GROUPS, kbe.Run, kbe.SampleStory, kbe.ModelOptions)
NO_EXAMPLE = {"Models.take_replies", "ModelOptions.keys"}


def documented() -> Iterator[tuple[str, str]]:
    """Give each public name with its docstring, and those of the methods of the classes that one works with."""
    for name in kbe._MODULES:
        yield name, inspect.getdoc(getattr(kbe, name)) or ""
    for kind in FACE:
        for member in public(kind):
            yield f"{kind.__name__}.{member.__name__}", inspect.getdoc(member) or ""


def public(kind: type) -> Iterator[FunctionType]:
    """Give the public methods of a class."""
    members = inspect.getmembers(kind, inspect.isfunction)
    return (member for name, member in members if not name.startswith("_"))


def test_each_public_name_has_an_example() -> None:
    without = [name for name, text in documented() if ">>> " not in text]
    assert set(without) == NO_EXAMPLE
    assert all(text for _, text in documented())


def test_help_shows_signatures_without_modules_or_long_lines() -> None:
    functions = [*(each for kind in FACE for each in public(kind)), kbe.facts_about, kbe.read, kbe.demo, kbe.Workspace]
    lines = [line for each in functions for line in str(inspect.signature(each)).splitlines()]
    assert len(lines) > 200
    assert [line for line in lines if "kbe_graph." in line or "collections." in line or len(line) > 140] == []


def test_help_tells_what_each_option_means() -> None:
    assert "\n  seed: " in (inspect.getdoc(kbe.Workspace.evolve) or "")


def test_a_value_says_what_matters_on_short_lines(work: kbe.Workspace) -> None:
    run = work.run("demo")
    question, sample = run.questions(hop=2)[0], work.samples()[0]
    assert repr(question).startswith(f"Question(id='{question.id}', hop=2, text='{question.text[:60]}")
    values = [question, *question.key, sample, run.questions(), work.forms("demo"), work.audit(run="demo"), work.stats]
    values += [work.stats.guess("demo"), work.twins(run="demo"), work.sample(sample.id, run="demo"), run.candidates()]
    values += [work.answers.evaluation(run="demo").results(), work.models.estimate(kbe.ModelOptions("gpt-4o"))]
    assert [line for value in values for line in repr(value).splitlines() if len(line) > 400 or " at 0x" in line] == []
    assert repr(kbe.ModelOptions("llava", budget=2.5)) == "ModelOptions(name='llava', budget=2.5)"
    assert repr(kbe.RunOptions()) == "RunOptions()"


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
