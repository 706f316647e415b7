"""The answers to the questions of a run, read once, and every figure that is made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kbe_graph.types import Question, Sample, Variant
from kbe_graph.workspace.progress import Reporter

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.evaluate.item_table import ItemTable
    from kbe_graph.evaluate.memory_table import MemoryRow
    from kbe_graph.evaluate.results import Results, ScoreRow


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What models answered to the raw questions and those of a run, as it was read, and its figures.

    ``answers`` is a frame with a row a prediction; ``questions`` and ``samples`` are what they answer, by id. What is
    answered or judged later is not in it.

    >>> evaluation = work.evaluation(run="demo")
    >>> evaluation.results().as_mapping() == work.results(run="demo").as_mapping()
    True
    """

    answers: "pd.DataFrame"
    questions: Mapping[str, Question]
    samples: Mapping[str, Sample]
    reporter: Reporter = field(repr=False)

    def results(self, *, seed: int = 0) -> "Results":
        """Return accuracy by model and hop with intervals, differences, and more; the seed is of the bootstraps."""
        from kbe_graph.evaluate.results import results

        with self.reporter.waiting("reckoning"):
            return results(self.answers, seed=seed)

    def scores(self, rules: Sequence[str] = ("vqa",)) -> "list[ScoreRow]":
        """Return the mean scores by rules such as VQA accuracy; raises InputError for a rule that is not there."""
        from kbe_graph.evaluate.results import score_rows

        return score_rows(self.answers, self.questions, self.samples, rules)

    def items(self, *, variant: Variant = "image", seed: int = 0) -> "ItemTable":
        """Return the questions as items, of the way that they were asked; the seed is of the bootstraps."""
        from kbe_graph.evaluate.item_table import item_table

        with self.reporter.waiting("reckoning"):
            return item_table(self.answers, variant=variant, seed=seed)

    def memory(self, *, seed: int = 0) -> "tuple[MemoryRow, ...]":
        """Return for each model whether it knows the raw questions by heart; the seed is of the bootstraps."""
        from kbe_graph.evaluate.memory_table import memory_table

        with self.reporter.waiting("reckoning"):
            return memory_table(self.answers, self.questions, self.samples, seed=seed)
