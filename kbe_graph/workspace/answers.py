"""``work.answers``: models' answers, taken in, judged, and turned into figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.types import FORMS, RAW, VARIANTS, Form, Prediction, Question, QuestionForm, Sample, Variant, form_id
from kbe_graph.workspace.checked import checked
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.model_options import MODEL, ModelOptions, model_options
from kbe_graph.workspace.progress import Reporter
from kbe_graph.workspace.values import PREDICTION, Values

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.evaluate.item_table import ItemTable
    from kbe_graph.evaluate.memory_table import MemoryRow
    from kbe_graph.evaluate.prediction_files import Matching
    from kbe_graph.evaluate.prompting import PerturbedById
    from kbe_graph.evaluate.results import Results, ScoreRow
    from kbe_graph.evaluate.surface import SurfaceTable, VariantCount
    from kbe_graph.store import Store
    from kbe_graph.workspace.evaluation import Evaluated
    from kbe_graph.workspace.judges import Judgement


@checked
class Answers:
    """The answers of models in a workspace.

    - ``take``: answers from a file that another program wrote
    - ``judge``: have answers judged that are there
    - ``predictions``: the answers one by one
    - ``evaluation``: their figures: accuracy by hop, scores, items, memory

    >>> len(work.answers.evaluation(run="demo").results().accuracy) >= 0
    True
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def take(
        self,
        file: Path | str,
        *,
        model: str | None = None,
        format: str | None = None,  # noqa: A002 - the option's name
        form: Form = "open",
        read: str = "auto",
        run: str | None = None,
        benchmark: str | None = None,
        judges: Sequence[str] = ("alias",),
        judge: ModelOptions | str = MODEL,
        strict: bool = False,
        incomplete: bool = False,
    ) -> "Evaluated":
        """Take in the answers of a model from a file that any harness wrote, and have them judged.

        The file is JSON lines of ``id`` and ``answer``, a result list of OK-VQA, predictions of A-OKVQA, a table of
        VLMEvalKit, samples of lmms-eval, predictions of evalscope or a log of Inspect; ``format`` names it, if its
        content does not. ``model`` names the model, if the file does not. Ids are those of questions, or of the
        benchmark's own questions; those without a question are returned. Where several benchmarks number their
        questions alike, ``benchmark`` says whose they are. ``form`` is the form of the questions, if the file does not
        name it; answers are compared with that form's own gold answer. ``read`` is the rule that reads answers out of
        replies (``kbe_graph.evaluate.reply_reading``). Raises DatasetError, InputError and ConfigError.

        >>> file = folder / "answers.jsonl"
        >>> _ = file.write_text('{"id": "107438-vehicle", "answer": "bicycle"}')
        >>> work.answers.take(file, model="llava", run="demo").new
        1
        """
        from kbe_graph.evaluate.reply_reading import count_silent
        from kbe_graph.workspace.evaluation import Evaluated
        from kbe_graph.workspace.judges import JudgedScope, judge_answers

        name = self._access.choose_run(run, incomplete=incomplete)
        with self._access.reporter.waiting("reading the predictions"):
            matching = take_predictions(
                self._access.store,
                Path(file),
                name,
                model=model or "",
                format=format,
                form=form,
                read=read,
                benchmark=benchmark,
            )
        models = sorted({prediction.model for prediction in matching.predictions})
        scope = JudgedScope(name, models[0] if len(models) == 1 else None)
        judgement = judge_answers(self._access, scope, judges=judges, options=model_options(judge), strict=strict)
        taken, missing = len(matching.predictions), len(matching.missing)
        silent = count_silent(prediction.read_by for prediction in matching.predictions)
        return Evaluated(
            *(", ".join(models), name, taken + missing, taken, missing, judgement, *matching[1:]),
            empty=silent.empty,
            unread=silent.unread,
            refused=silent.refused,
        )

    def judge(
        self,
        judges: Sequence[str] = ("alias",),
        *,
        run: str | None = None,
        model: str | None = None,
        judge: ModelOptions | str = MODEL,
        strict: bool = False,
        incomplete: bool = False,
    ) -> "Judgement":
        """Have the answers judged that are there: to the raw questions and those of a run, of one model or of all.

        ``judges``, ``judge`` and ``strict`` are as ``work.evaluate`` has them. Raises InputError and ConfigError.

        >>> work.answers.judge(["exact"], run="demo").judge
        'exact'
        """
        from kbe_graph.workspace.judges import JudgedScope, judge_answers

        scope = JudgedScope(self._access.choose_run(run, incomplete=incomplete), model)
        return judge_answers(self._access, scope, judges=judges, options=model_options(judge), strict=strict)

    def predictions(
        self, *, run: str | None = None, model: str | None = None, incomplete: bool = False
    ) -> Values[Prediction]:
        """List the answers of all models, or of one, to the raw questions and those of a run, chosen as by ``export``.

        >>> work.answers.predictions(run="demo", model="llava").frame().columns[0]
        'model'
        """
        name = self._access.choose_run(run, incomplete=incomplete)
        return Values(read_predictions_of(self._access.store, name, model), PREDICTION)

    def evaluation(
        self,
        *,
        run: str | None = None,
        model: str | None = None,
        judge: str | None = None,
        incomplete: bool = False,
    ) -> "Evaluation":
        """Read the answers once, for all figures made of them. The run is chosen as ``export`` does.

        ``judge`` is the name of the judge whose verdicts count; without it those of each judge do, apart from the
        others'. Raises InputError for a judge that judged none.

        >>> evaluation = work.answers.evaluation(run="demo")
        >>> len(evaluation.memory()) == len(set(evaluation.answers["model"]))
        True
        """
        from kbe_graph.evaluate.outcomes import answers_frame, one_judge
        from kbe_graph.export.selection import select
        from kbe_graph.workspace.variants import count_variants

        name = self._access.choose_run(run, incomplete=incomplete)
        with self._access.reporter.waiting("reading the answers"):
            selection = select(self._access.store, run=name, loaded=True)
            questions = {question.id: question for question in selection.questions}
            predictions = read_predictions_of(self._access.store, name, model)
            answers = answers_frame(predictions, questions, selection.samples)
            counts = count_variants(self._access.store, name)
        answers = answers if judge is None else one_judge(answers, judge)
        return Evaluation(answers, questions, selection.samples, self._access.reporter, counts)


@checked
@dataclass(frozen=True, slots=True)
class Evaluation:
    """The answers of models to the raw questions and those of a run, read once, and their figures.

    ``answers`` is a frame with a row a prediction; ``questions`` and ``samples`` are by id. Later answers and verdicts
    are not in it.

    >>> evaluation = work.answers.evaluation(run="demo")
    >>> list(evaluation.answers.columns)[:3]
    ['model', 'question', 'sample']
    """

    answers: "pd.DataFrame"
    questions: Mapping[str, Question]
    samples: Mapping[str, Sample]
    reporter: Reporter = field(repr=False)
    variant_counts: "Sequence[VariantCount]" = ()

    @property
    def judges(self) -> "list[str]":
        """The names of the judges that gave verdicts.

        >>> work.answers.evaluation(run="demo").judges == sorted(work.answers.evaluation(run="demo").judges)
        True
        """
        from kbe_graph.evaluate.outcomes import judges_of

        return judges_of(self.answers)

    def results(self, *, seed: int = 0) -> "Results":
        """Compute accuracy by model, judge and hop with intervals, differences and more.

        Each judge has rows of its own. The ``seed`` is that of the bootstraps.

        >>> len(work.answers.evaluation(run="demo").results().accuracy) >= 0
        True
        """
        from kbe_graph.evaluate.results import results

        with self.reporter.waiting("reckoning"):
            return results(self.answers, seed=seed)

    def scores(self, rules: Sequence[str] = ("vqa",)) -> "list[ScoreRow]":
        """Compute the mean scores by rules such as VQA accuracy, whatever judges say; raises InputError.

        >>> work.answers.evaluation(run="demo").scores(["vqa", "exact"]) is not None
        True
        """
        from kbe_graph.evaluate.results import score_rows

        return score_rows(self.answers, self.questions, self.samples, rules)

    def items(self, *, variant: Variant = "image", seed: int = 0, judge: str | None = None) -> "ItemTable":
        """Analyse the questions as items: how many models fail each, which to review, Rasch, the effect of key edges.

        ``variant`` is the way in which they were asked; the ``seed`` is that of the bootstraps. The verdicts are of one
        ``judge``: that of this name, else the one that judged most of the answers; the table names it. Raises
        InputError for a judge that judged none.

        >>> evaluation = work.answers.evaluation(run="demo")
        >>> len(evaluation.items().histogram) == 1 + len(set(evaluation.answers["model"]))
        True
        """
        from kbe_graph.evaluate.item_table import item_table

        with self.reporter.waiting("reckoning"):
            return item_table(self.answers, variant=variant, seed=seed, judge=judge)

    def surface(self, *, seed: int = 0) -> "SurfaceTable":
        """Compute the costs of each perturbation and of each hop on the same samples, and how often answers flip.

        Each judge has rows of its own. The ``seed`` is that of the bootstraps.

        >>> work.answers.evaluation(run="demo").surface().changes
        ()
        """
        from kbe_graph.evaluate.surface import surface_table

        with self.reporter.waiting("reckoning"):
            return surface_table(self.answers, self.variant_counts, seed=seed)

    def memory(self, *, seed: int = 0) -> "tuple[MemoryRow, ...]":
        """Test for each model whether it has memorised the raw questions, which must be asked in other words too.

        Each judge has rows of its own. A model with few pairs of both wordings has the verdict "cannot tell". The
        ``seed`` is that of the bootstraps.

        >>> {row.finding.verdict for row in work.answers.evaluation(run="demo").memory()} <= {"cannot tell"}
        True
        """
        from kbe_graph.evaluate.memory_table import memory_table

        with self.reporter.waiting("reckoning"):
            return memory_table(self.answers, self.questions, self.samples, seed=seed)


def read_predictions_of(store: "Store", run: str | None, model: str | None = None) -> list[Prediction]:
    """Read the answers of all models, or of one, to the raw questions and those of a run."""
    runs = [RAW, *([run] if run else [])]
    return [prediction for each in runs for prediction in store.predictions(run=each, model=model)]


def take_predictions(
    store: "Store",
    file: Path,
    run: str | None,
    *,
    model: str,
    format: str | None,  # noqa: A002
    form: Form = "open",
    benchmark: str | None = None,
    read: str = "auto",
) -> "Matching":
    """Save the predictions of a file that answer the raw questions and those of a run, and return how they match.

    Raises DatasetError, and InputError where no id in the file is that of a question, or a question has no such form.
    """
    from kbe_graph.evaluate.prediction_files import match_predictions, read_predictions
    from kbe_graph.export.selection import select
    from kbe_graph.models.catalogue import own_family_of
    from kbe_graph.workspace.forms import forms_by_id
    from kbe_graph.workspace.variants import chosen_variants, perturbed_by_id, with_variants_named

    variant: Variant = "image" if form == "open" else form
    perturbed = perturbed_by_id(store, run)
    predictions = with_variants_named(
        read_predictions(file, model=model, format=format, variant=variant, read=read).predictions, perturbed
    )
    selection = select(store, run=run, benchmark=benchmark, loaded=True)
    questions = selection.questions
    matching = match_predictions(predictions, questions, samples=selection.samples)
    if matching.twice and not matching.predictions:
        raise InputError(
            f"{file}: {predictions[0].model} answers each question more than once, {matching.twice[0]!r} first; keep "
            "one answer, or number the askings in a field 'run'"
        )
    if not matching.predictions:
        raise _no_match(file, predictions[0].question, questions, run)
    asked = [(prediction.question, prediction.variant) for prediction in matching.predictions]
    forms = forms_by_id(store, run, (variant for _, variant in asked))
    chosen_variants([variant for _, variant in asked], perturbed)
    for question, variant in asked:
        if variant in FORMS and form_id(question, variant) not in forms:
            raise InputError(
                f"{file}: {question!r} has no form {variant!r}; make it with `work.make_forms(FORM)`, or say "
                "with `form=...` in which form the questions were asked"
            )
    by_id = {question.id: question for question in questions}
    matching = matching._replace(
        predictions=tuple(
            _of_perturbed(file, prediction, by_id[prediction.question], perturbed, read)
            if (prediction.question, prediction.variant) in perturbed or prediction.variant not in VARIANTS
            else _with_chosen(prediction, by_id[prediction.question], selection.samples, forms, read)
            for prediction in matching.predictions
        )
    )
    matching = matching._replace(predictions=_as_judged(store, run, matching.predictions))
    store.save_loaded(by_id[prediction.question] for prediction in matching.predictions)
    store.save_predictions(
        matching.predictions, {each.model: own_family_of(each.model) for each in matching.predictions}
    )
    return matching


def _of_perturbed(
    file: Path, prediction: Prediction, question: Question, perturbed: "PerturbedById", rule: str
) -> Prediction:
    """Return the answer to a perturbed question, read out of the reply; raises InputError where it was not made."""
    from kbe_graph.evaluate.prompting import with_answer

    made = perturbed.get((prediction.question, prediction.variant), ())
    variant = next((each for each in made if each.run == prediction.run), None)
    if variant is None:
        raise InputError(
            f"{file}: {prediction.question!r} has no variant {prediction.variant!r} of run {prediction.run} (seed "
            f"{prediction.run - 1}); give the answers to what `work.perturb` made here"
        )
    asked = replace(prediction, asked="" if variant.text == question.text else variant.text)
    return asked if asked.read_by else with_answer(asked, (), rule, variant.text)


def _as_judged(store: "Store", run: str | None, predictions: Sequence[Prediction]) -> tuple[Prediction, ...]:
    """Return predictions with the verdicts on them, where the graph has the same answers already."""
    by_answer = {
        prediction.unjudged: prediction
        for model in {prediction.model for prediction in predictions}
        for prediction in read_predictions_of(store, run, model)
    }
    return tuple(by_answer.get(prediction, prediction) for prediction in predictions)


def _no_match(file: Path, id_: str, questions: Sequence[Question], run: str | None) -> InputError:
    """Return the error for a file whose ids, the first of which is given, are those of no question or of several."""
    if not questions:
        return InputError(
            f"{file}: there are no questions that it could answer; load a benchmark with `work.load(FILE)`"
        )
    samples = [question.sample.split("/", 2) for question in questions if question.run == RAW]
    owners = sorted({parts[0] for parts in samples if parts[-1] == id_})
    if len(owners) > 1:
        return InputError(
            f"{file}: benchmarks {', '.join(owners)} have such ids as {id_!r}; name one with `benchmark=...`"
        )
    if any(parts[-1] == f"{id_}-2" for parts in samples):
        return InputError(
            f"{file}: {id_!r} stands for several questions about one picture; give their ids of here, {id_!r} and "
            f"{id_ + '-2'!r}"
        )
    return InputError(
        f"{file}: no prediction answers a question of run {run or 'raw'!r}; ids here look like {id_!r}, those "
        f"of questions like {questions[0].id!r}"
    )


def _with_chosen(
    prediction: Prediction,
    question: Question,
    samples: Mapping[str, Sample],
    forms: Mapping[str, QuestionForm],
    rule: str,
) -> Prediction:
    """Return a prediction whose answer is read; of the options that were asked, where the file gave none."""
    from kbe_graph.evaluate.prompting import CIRCULAR, asked_words, rotations, with_answer

    if prediction.read_by and prediction.variant != CIRCULAR:
        return prediction
    words = asked_words(samples[question.sample], question, prediction.variant, forms=forms)
    options = words.options if words else ()
    if prediction.variant == CIRCULAR:
        if prediction.run > len(options):
            raise InputError(
                f"question {question.id!r} has {len(options)} options, and so no rotation {prediction.run}; load the "
                "benchmark with its options, or leave that prediction out"
            )
        options = rotations(question, options)[prediction.run - 1].options
    return prediction if prediction.read_by else with_answer(prediction, options, rule, question.text)
