"""Turn a static visual question answering benchmark into one that keeps up with the models.

Start with a ``Workspace``: a folder that holds benchmarks, their graphs, the questions made from them, and answers.
``help(kbe.Workspace)`` lists its methods in the order of the work, and ``help(work.evolve)`` the options of one.

- ``demo``: the files of a small benchmark to try everything on
- ``ModelOptions``: a model, and how to call it; each method that asks one takes these, or its name
- ``RunOptions``: the options of ``Workspace.evolve``
- ``Sample``, ``Question``, ``Triplet``, ``Fact``: what the methods return
- ``KbeError``: the base of all errors; a message says what is wrong, where, and what to do
- ``facts_about``, ``read``: the packaged facts about a thing, and how rules read a question

>>> import kbe_graph as kbe
>>> work = kbe.Workspace(folder, progress=False)
>>> work.runs()
[<Run 'demo', seed 0>]
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kbe_graph.extras import __version__

if TYPE_CHECKING:
    from kbe_graph.datasets.benchmark import demo_files as demo
    from kbe_graph.english.reading import Reading, read
    from kbe_graph.errors import BudgetReached, InputError, KbeError
    from kbe_graph.evaluate.evaluation import Evaluated
    from kbe_graph.evaluate.judging import Judgement
    from kbe_graph.evolve.run_options import RunOptions
    from kbe_graph.facts.walk import facts_about
    from kbe_graph.figures.guess import Guesses
    from kbe_graph.figures.results import ItemTable, Results
    from kbe_graph.models.cost import Estimate
    from kbe_graph.show.sample_story import SampleStory
    from kbe_graph.steps.model_options import ModelOptions
    from kbe_graph.store.address import Address
    from kbe_graph.types import (
        Candidate,
        Decision,
        Entity,
        Fact,
        Prediction,
        Question,
        QuestionForm,
        QuestionVariant,
        Sample,
        SampleGraph,
        Triplet,
    )
    from kbe_graph.workspace.answers import Evaluation
    from kbe_graph.workspace.run import Run
    from kbe_graph.workspace.workspace import Workspace

__all__ = [
    "Address",
    "BudgetReached",
    "Candidate",
    "Decision",
    "Entity",
    "Estimate",
    "Evaluated",
    "Evaluation",
    "Fact",
    "Guesses",
    "InputError",
    "ItemTable",
    "Judgement",
    "KbeError",
    "ModelOptions",
    "Prediction",
    "Question",
    "QuestionForm",
    "QuestionVariant",
    "Reading",
    "Results",
    "Run",
    "RunOptions",
    "Sample",
    "SampleGraph",
    "SampleStory",
    "Triplet",
    "Workspace",
    "__version__",
    "demo",
    "facts_about",
    "read",
]
_PLACES = {
    "datasets.benchmark": "demo",
    "english.reading": "Reading read",
    "errors": "BudgetReached InputError KbeError",
    "evaluate.evaluation": "Evaluated",
    "figures.guess": "Guesses",
    "evaluate.judging": "Judgement",
    "figures.results": "ItemTable Results",
    "evolve.run_options": "RunOptions",
    "facts.walk": "facts_about",
    "models.cost": "Estimate",
    "show.sample_story": "SampleStory",
    "steps.model_options": "ModelOptions",
    "store.address": "Address",
    "types": "Candidate Decision Entity Fact Prediction "
    "Question QuestionForm QuestionVariant Sample SampleGraph Triplet",
    "workspace.answers": "Evaluation",
    "workspace.run": "Run",
    "workspace.workspace": "Workspace",
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}
_NAMES_THERE = {"demo": "demo_files"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES[name]}")
    value = globals()[name] = getattr(module, _NAMES_THERE.get(name, name))
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
