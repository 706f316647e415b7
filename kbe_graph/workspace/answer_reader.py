"""What can be looked at of an evaluation: predictions, and the figures that are made of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kbe_graph.export.selection import select
from kbe_graph.types import RAW, Prediction, Variant
from kbe_graph.workspace.choosing import choose_run
from kbe_graph.workspace.evaluation import Evaluation
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.values import PREDICTION, Values

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.evaluate.item_table import ItemTable
    from kbe_graph.evaluate.memory_table import MemoryRow
    from kbe_graph.evaluate.results import Results, ScoreRow


class AnswerReader(GraphAccess):
    """The part of a workspace that looks at what models answered, and changes nothing."""

    def predictions(
        self, *, run: str | None = None, model: str | None = None, incomplete: bool = False
    ) -> Values[Prediction]:
        """Return what models, or one, answered to the raw questions and those of a run, chosen as ``export`` does.

        >>> work.predictions(run="demo", model="llava").frame().columns[0]
        'model'
        """
        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        runs = [RAW, *([name] if name else [])]
        return Values(
            [prediction for each in runs for prediction in self.store.predictions(run=each, model=model)], PREDICTION
        )

    def evaluation(self, *, run: str | None = None, model: str | None = None, incomplete: bool = False) -> Evaluation:
        """Return the answers, read once, for whoever wants several of their figures.

        The run is chosen as ``export`` does.

        >>> evaluation = work.evaluation(run="demo")
        >>> len(evaluation.memory()) == len(set(evaluation.answers["model"]))
        True
        """
        from kbe_graph.evaluate.outcomes import answers_frame

        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        with self.reporter.waiting("reading the answers"):
            selection = select(self.store, run=name)
            questions = {question.id: question for question in selection.questions}
            predictions = self.predictions(run=name, model=model, incomplete=True)
            answers = answers_frame(predictions, questions, selection.samples)
        return Evaluation(answers, questions, selection.samples, self.reporter)

    def answers(self, *, run: str | None = None, model: str | None = None, incomplete: bool = False) -> "pd.DataFrame":
        """Return the predictions as the frame that all figures of an evaluation are made of, a row a prediction.

        >>> list(work.answers(run="demo").columns)[:3]
        ['model', 'question', 'sample']
        """
        return self.evaluation(run=run, model=model, incomplete=incomplete).answers

    def results(
        self, *, run: str | None = None, model: str | None = None, seed: int = 0, incomplete: bool = False
    ) -> "Results":
        """Return the figures of an evaluation: accuracy by model and hop with intervals, differences, items and more.

        The run is chosen as ``export`` does; the ``seed`` is that of the bootstraps.

        >>> len(work.results(run="demo").accuracy) >= 0
        True
        """
        return self.evaluation(run=run, model=model, incomplete=incomplete).results(seed=seed)

    def scores(
        self,
        rules: Sequence[str] = ("vqa",),
        *,
        run: str | None = None,
        model: str | None = None,
        incomplete: bool = False,
    ) -> "list[ScoreRow]":
        """Return the mean scores of what models answered, by rules such as VQA accuracy, whatever judges say.

        The run is chosen as ``export`` does. Raises InputError for a rule that is not there.

        >>> work.scores(["vqa", "exact"], run="demo") is not None
        True
        """
        return self.evaluation(run=run, model=model, incomplete=incomplete).scores(rules)

    def items(
        self, *, run: str | None = None, variant: Variant = "image", seed: int = 0, incomplete: bool = False
    ) -> "ItemTable":
        """Return the questions as items: how many models fail each, which to review, Rasch, and what key edges add.

        The run is chosen as ``export`` does; ``variant`` is the way that they were asked; the ``seed`` is that of the
        bootstraps.

        >>> table = work.items(run="demo")
        >>> len(table.histogram) == 1 + len(set(work.answers(run="demo")["model"]))
        True
        """
        return self.evaluation(run=run, incomplete=incomplete).items(variant=variant, seed=seed)

    def memory(self, *, run: str | None = None, seed: int = 0, incomplete: bool = False) -> "tuple[MemoryRow, ...]":
        """Return for each model whether it knows the raw questions by heart; they must be asked in other words too.

        The run is chosen as ``export`` does; the ``seed`` is that of the bootstraps. A model with few pairs of both
        wordings has the verdict "cannot tell".

        >>> {row.finding.verdict for row in work.memory(run="demo")} <= {"cannot tell"}
        True
        """
        return self.evaluation(run=run, incomplete=incomplete).memory(seed=seed)
