"""The run without a model: facts from the pack, wording by rule."""

import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from kbe_graph import __version__
from kbe_graph.evolve.driver import Driver, Plan, Progress
from kbe_graph.evolve.exploration import Steps
from kbe_graph.express import RuleExpresser
from kbe_graph.filters import FilterSettings, build
from kbe_graph.knowledge.pack import Pack, PackSource, pack
from kbe_graph.lexicon.english import english_name
from kbe_graph.lexicon.senses import link
from kbe_graph.store import Store
from kbe_graph.types import Question, Run, Sample, SampleGraph


def offline_driver(store: Store, plan: Plan, settings: FilterSettings, *, progress: Progress) -> Driver:
    """Return the driver of a run that asks no model."""
    knowledge = pack()
    expresser = RuleExpresser(knowledge)
    return Driver(
        store,
        plan,
        Steps(PackSource(knowledge), build(knowledge, settings), expresser, checks=()),
        word=expresser.word_reselected,
        link=linked,
        progress=progress,
    )


def linked(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Return the concept of the question's answer, or the empty string where none is sure enough."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects).concept
