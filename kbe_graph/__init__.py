"""Turn a static visual question answering benchmark into one that keeps up with the models.

>>> import kbe_graph as kbe
>>> work = kbe.Workspace(folder, progress=False)
>>> work.runs()
[<Run 'demo', seed 0>]

``help(kbe.Workspace)`` lists the methods in the order of the work, ``help(work.evolve)`` the options of one, and
``help(kbe.X)`` tells what an X holds:

- work: ``Workspace``, ``Run``, ``RunOptions`` (of ``Workspace.evolve``), ``ModelOptions`` (a model, and how to call
  it; where a method asks a model, its name does, too), ``Address`` (of a Neo4j server), ``demo`` (the files of a
  small benchmark)
- values: ``Sample``, ``SampleGraph``, ``SampleStory``, ``Triplet``, ``Entity``, ``Fact``, ``Candidate``,
  ``Decision``, ``Question``, ``QuestionForm``, ``QuestionVariant``, ``Prediction``, ``Judgement``
- outcomes: ``Estimate``, ``Evaluated``, ``Evaluation``, ``Results``, ``ItemTable``, ``Guesses``
- the packaged facts about a thing, and how rules read a question: ``facts_about``, ``read``, ``Reading``
- errors, each with a message that says what is wrong, where, and what to do; all are ``KbeError``:
  ``InputError`` (mend what you passed: ``DatasetError`` a file, ``ConfigError`` a setting, ``ResourceError`` something
  missing), ``BudgetReached`` (repeat the call to go on), ``ModelError`` (``ModelUnavailable``, ``QuotaReached``,
  ``ReplyError``), ``StoreError`` (the graph), ``SourceError`` (a source of facts or pictures). ``KbeWarning`` is
  what goes on, but perhaps not as you expect.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kbe_graph.extras import __version__ as __version__

if TYPE_CHECKING:
    from kbe_graph.datasets.benchmark import demo as demo
    from kbe_graph.english.reading import Reading as Reading
    from kbe_graph.english.reading import read as read
    from kbe_graph.errors import BudgetReached as BudgetReached
    from kbe_graph.errors import ConfigError as ConfigError
    from kbe_graph.errors import DatasetError as DatasetError
    from kbe_graph.errors import InputError as InputError
    from kbe_graph.errors import KbeError as KbeError
    from kbe_graph.errors import KbeWarning as KbeWarning
    from kbe_graph.errors import ModelError as ModelError
    from kbe_graph.errors import ModelUnavailable as ModelUnavailable
    from kbe_graph.errors import QuotaReached as QuotaReached
    from kbe_graph.errors import ReplyError as ReplyError
    from kbe_graph.errors import ResourceError as ResourceError
    from kbe_graph.errors import SourceError as SourceError
    from kbe_graph.errors import StoreError as StoreError
    from kbe_graph.evaluate.evaluation import Evaluated as Evaluated
    from kbe_graph.evaluate.judging import Judgement as Judgement
    from kbe_graph.evolve.run_options import RunOptions as RunOptions
    from kbe_graph.facts.walk import facts_about as facts_about
    from kbe_graph.figures.guess import Guesses as Guesses
    from kbe_graph.figures.results import ItemTable as ItemTable
    from kbe_graph.figures.results import Results as Results
    from kbe_graph.models.cost import Estimate as Estimate
    from kbe_graph.show.sample_story import SampleStory as SampleStory
    from kbe_graph.steps.model_options import ModelOptions as ModelOptions
    from kbe_graph.store.address import Address as Address
    from kbe_graph.types import Candidate as Candidate
    from kbe_graph.types import Decision as Decision
    from kbe_graph.types import Entity as Entity
    from kbe_graph.types import Fact as Fact
    from kbe_graph.types import Prediction as Prediction
    from kbe_graph.types import Question as Question
    from kbe_graph.types import QuestionForm as QuestionForm
    from kbe_graph.types import QuestionVariant as QuestionVariant
    from kbe_graph.types import Sample as Sample
    from kbe_graph.types import SampleGraph as SampleGraph
    from kbe_graph.types import Triplet as Triplet
    from kbe_graph.workspace.answers import Evaluation as Evaluation
    from kbe_graph.workspace.run import Run as Run
    from kbe_graph.workspace.workspace import Workspace as Workspace

# no __all__: with one, help() would print each class whole, 3,700 lines
_PLACES = {
    "datasets.benchmark": "demo",
    "english.reading": "Reading read",
    "errors": "BudgetReached ConfigError DatasetError InputError KbeError KbeWarning "
    "ModelError ModelUnavailable QuotaReached ReplyError ResourceError SourceError StoreError",
    "evaluate.evaluation": "Evaluated",
    "evaluate.judging": "Judgement",
    "evolve.run_options": "RunOptions",
    "facts.walk": "facts_about",
    "figures.guess": "Guesses",
    "figures.results": "ItemTable Results",
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


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
