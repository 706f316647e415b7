"""``work.answers``: models' answers, taken in, judged, and turned into figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.brief import brief, readable
from kbe_graph.evaluate.evaluation import Evaluated, sum_up, take_predictions
from kbe_graph.evaluate.judging import Judgement, choose_judges, judge_answers
from kbe_graph.export.selection import select
from kbe_graph.figures.accuracy import scored_rows
from kbe_graph.figures.comparisons import SurfaceTable, surface_table
from kbe_graph.figures.outcomes import answers_frame, judges_of, one_judge
from kbe_graph.figures.results import ItemTable, Results, item_table, memory_table, results, score_rows
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.progress import Reporter
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.types import Prediction, Question, Sample, Variant
from kbe_graph.workspace.graph import PREDICTION, Values, asked_questions
from kbe_graph.workspace.verbs import AnswerFile, AnswerOptions

if TYPE_CHECKING:
    import pandas as pd


@readable
class Answers:
    """The answers of models in a workspace.

    - ``take``: import answers, as rows or from a file of another program
    - ``judge``: judge the answers in the graph
    - ``predictions``: list the answers
    - ``evaluation``: compute figures: accuracy by hop, scores, items, memory

    >>> len(work.answers.evaluation(run="demo").results().accuracy) >= 0
    True
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def take(
        self,
        file: "Path | str | Iterable[Mapping[str, Any]] | pd.DataFrame",
        *,
        model: str | None = None,
        judge: ModelOptions | str = MODEL,
        options: AnswerOptions,
        content: AnswerFile,
    ) -> Evaluated:
        """Import the answers of a model from rows or from a file of any supported harness, and judge them.

        Rows are dictionaries of ``id`` and ``answer``. The file is JSON lines of them, an OK-VQA result list, A-OKVQA
        predictions, a VLMEvalKit table, lmms-eval samples, evalscope predictions or an Inspect log. ``format`` is
        needed only if the content does not show it, and ``model`` only if the file does not name the model, or is to
        have another name here.

        Ids are those of questions, or those that the benchmark itself uses. Ids that match no question are returned. If
        several benchmarks use the same ids, ``benchmark`` selects one. ``form`` is the form of the questions, if the
        file does not name it; answers are compared with the gold answer of that form. Answers that the model already
        has here stay as they are unless ``replace`` is set. Raises DatasetError, InputError and ConfigError.

        >>> work.answers.take([{"id": "107438-vehicle", "answer": "bicycle"}], model="llava", run="demo").new
        1
        """
        choose_judges(self._access, options.judges, model_options(judge), model)
        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        pairs = asked_questions(self._access, name, options.benchmark)
        place = Path(file) if isinstance(file, str) else file
        with self._access.reporter.waiting("reading the predictions"):
            given: dict[str, Any] = {"model": model or "", "format": content.format, "form": content.form}
            given["replace"] = options.replace
            matching = take_predictions(self._access, place, pairs, name, **given)
        models = {prediction.model for prediction in matching.predictions}
        only = min(models) if len(models) == 1 else None
        judged = self.judge(options.judges, run=name, model=only, judge=judge, strict=options.strict)
        return sum_up(matching, name, judged)

    def judge(
        self,
        judges: Sequence[str] = ("alias",),
        *,
        run: str | None = None,
        model: str | None = None,
        judge: ModelOptions | str = MODEL,
        strict: bool = False,
        incomplete: bool = False,
    ) -> Judgement:
        """Judge the existing answers to the raw questions and those of a run, of one model or of all models.

        ``judges``, ``judge`` and ``strict`` are those of ``work.evaluate``. Raises InputError and ConfigError.

        >>> work.answers.judge(["exact"], run="demo").judge
        'exact'
        """
        name = self._access.choose_run(run, incomplete=incomplete)
        pairs = asked_questions(self._access, name)
        options: dict[str, Any] = {"judges": judges, "options": model_options(judge), "strict": strict}
        return judge_answers(self._access, pairs, name, model, **options)

    def predictions(
        self, *, run: str | None = None, model: str | None = None, incomplete: bool = False
    ) -> Values[Prediction]:
        """List the answers of one model or all models to the raw questions and those of a run, chosen as in ``export``.

        >>> work.answers.predictions(run="demo", model="llava").frame().columns[0]
        'model'
        """
        name = self._access.choose_run(run, incomplete=incomplete)
        return Values(self._access.predictions(name, model), PREDICTION)

    def evaluation(
        self,
        *,
        run: str | None = None,
        model: str | None = None,
        judge: str | None = None,
        incomplete: bool = False,
    ) -> "Evaluation":
        """Read the answers once, to compute any number of figures from them. The run is chosen as in ``export``.

        ``judge`` is the name of the judge whose verdicts count. Without it, the verdicts of each judge are counted
        separately. Raises InputError for a judge without verdicts.

        >>> evaluation = work.answers.evaluation(run="demo")
        >>> {row["model"] for row in evaluation.memory()} == set(evaluation.answers["model"])
        True
        """
        name = self._access.choose_run(run, incomplete=incomplete)
        with self._access.reporter.waiting("reading the answers"):
            selection = select(self._access.store, run=name, loaded=True)
            questions = {question.id: question for question in selection.questions}
            predictions = self._access.predictions(name, model)
            answers = answers_frame(predictions, questions, selection.samples)
        answers = answers if judge is None else one_judge(answers, judge)
        return Evaluation(answers, questions, selection.samples, self._access.reporter, selection.left_out)


@brief("answers questions samples judges left_out")
@dataclass(frozen=True, slots=True)
class Evaluation:
    """The answers of models to the raw questions and those of a run, read once, and their figures.

    ``answers`` is a DataFrame with one row per prediction. ``questions`` and ``samples`` are by id. Answers and
    verdicts that come later are not included. ``left_out`` counts the questions that decisions and errata exclude.

    >>> evaluation = work.answers.evaluation(run="demo")
    >>> list(evaluation.answers.columns)[:3]
    ['model', 'question', 'sample']
    """

    answers: "pd.DataFrame"
    questions: Mapping[str, Question]
    samples: Mapping[str, Sample]
    reporter: Reporter = field(repr=False)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def judges(self) -> "list[str]":
        """The names of the judges that gave verdicts.

        >>> work.answers.evaluation(run="demo").judges == sorted(work.answers.evaluation(run="demo").judges)
        True
        """
        return judges_of(self.answers)

    def results(self, *, seed: int = 0, tests: bool = True) -> Results:
        """Compute accuracy by model, judge and hop, with intervals, differences and more.

        Each judge has separate rows. ``seed`` is the seed of the bootstraps. Without
        ``tests``, trends and power are left out.

        >>> len(work.answers.evaluation(run="demo").results().accuracy) >= 0
        True
        """
        with self.reporter.waiting("computing"):
            return results(self.answers, seed=seed, tests=tests)

    def scored(self) -> "list[dict[str, Any]]":
        """Count how many questions are scored beside each accuracy, and the others by reason.

        >>> [row["questions"] >= row["scored"] for row in work.answers.evaluation(run="demo").scored()][:1]
        [True]
        """
        return scored_rows(self.answers, self.questions.values(), self.samples)

    def scores(self, rules: Sequence[str] = ("vqa",)) -> "list[dict[str, Any]]":
        """Compute mean scores by rules such as VQA accuracy, independent of any judge. Raises InputError.

        >>> work.answers.evaluation(run="demo").scores(["vqa", "exact"]) is not None
        True
        """
        return score_rows(self.answers, self.questions, self.samples, rules)

    def items(self, *, variant: Variant = "image", seed: int = 0, judge: str | None = None) -> ItemTable:
        """Analyse the questions as items: failing models per item, items to review, effect of key edges.

        ``variant`` is the way in which the questions were asked. ``judge`` is the name of the judge, by default the one
        that judged most answers; the table names it. ``seed`` is the seed of the bootstraps. Raises InputError for a
        judge without verdicts.

        >>> evaluation = work.answers.evaluation(run="demo")
        >>> len(evaluation.items().histogram) == 1 + len(set(evaluation.answers["model"]))
        True
        """
        with self.reporter.waiting("computing"):
            return item_table(self.answers, variant=variant, seed=seed, judge=judge)

    def surface(self, *, seed: int = 0) -> SurfaceTable:
        """Compute what each perturbation and each hop costs on the same samples.

        Each judge has separate rows. ``seed`` is the seed of the bootstraps.

        >>> work.answers.evaluation(run="demo").surface().changes
        []
        """
        with self.reporter.waiting("computing"):
            return surface_table(self.answers, seed=seed)

    def memory(self, *, seed: int = 0) -> "list[dict[str, Any]]":
        """Test for each model whether it has memorised the raw questions. This needs answers to paraphrases of them.

        Each judge has separate rows. A model with too few pairs of both wordings has the verdict "cannot tell".
        ``seed`` is the seed of the bootstraps.

        >>> {row["verdict"] for row in work.answers.evaluation(run="demo").memory()} <= {"cannot tell"}
        True
        """
        with self.reporter.waiting("computing"):
            return memory_table(self.answers, seed=seed)
