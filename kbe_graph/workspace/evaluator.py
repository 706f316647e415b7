"""The part of a workspace that has models asked, takes in what others answered, and has answers judged."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

from kbe_graph.errors import ConfigError
from kbe_graph.workspace.asking_options import AskingOptions
from kbe_graph.workspace.graph_reader import GraphReader
from kbe_graph.workspace.model_options import MODEL, ModelOptions, model_options

if TYPE_CHECKING:
    from kbe_graph.evolve.mix import RuleOrModel
    from kbe_graph.models.cost import Estimate
    from kbe_graph.types import Form
    from kbe_graph.workspace.evaluating import Evaluated
    from kbe_graph.workspace.judges import Judgement


class Evaluator(GraphReader):
    """The part of a workspace that evaluates models."""

    def evaluate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        judges: Sequence[str] = ("alias",),
        judge: ModelOptions | str = MODEL,
        strict: bool = False,
        paraphrases: "RuleOrModel" = "rule",
        **scope: Unpack[AskingOptions],
    ) -> "Evaluated":
        """Ask a model the raw questions and those of a run, and have its answers judged (KBE, section 4.1).

        What is asked is said by ``run`` (chosen as ``export`` does, ``incomplete`` too), ``hops`` ("0-2"; default:
        all), ``variants``, ``runs`` (how often; default: twice where the model's temperature is above 0, else once) and
        ``shard`` ("1/4", a part of the samples). The variants are "image" (as it is, the default), "blind" (no
        picture), "no-chain", "paraphrase", "options", "options-shuffled" and the forms that
        ``make_forms`` makes ("choice", "several", "fill", "true-false"). ``paraphrases`` are made by rule, or by
        the model of [models.paraphrase].

        ``judges`` are rules ("exact", "normalised", "alias", ...), "model" (that of [models.judge]), "paper" (the same,
        shown neither question nor picture), a model's name, or "paper:NAME"; several vote, none leaves the answers as
        they are. ``judge`` says where they are asked. ``strict`` refuses a generator, model or judge of one family with
        another.

        The same call again asks nothing twice. The limits of ``model`` are of all that is asked, unless ``judge`` has
        its own. Raises InputError, ConfigError and BudgetReached.

        >>> llava = kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")
        >>> work.evaluate(llava, run="demo").answered  # doctest: +SKIP
        214
        """
        if model_options(model).starts_cluster:
            from kbe_graph.workspace.cluster import on_cluster

            if paraphrases == "model":
                raise ConfigError("paraphrases of a model are asked by one machine; use runner 'direct' for them")
            given = {"judges": judges, "judge": judge, "strict": strict, **scope}
            return cast("Evaluated", on_cluster(self, "evaluate", model, given))
        from kbe_graph.workspace.evaluating import AskingScope, open_answers
        from kbe_graph.workspace.judges import judge_answers

        judge_all = partial(judge_answers, self, judges=judges, options=model_options(judge), strict=strict)
        plan = AskingScope(**scope, model_paraphrases=paraphrases == "model")
        with open_answers(self, model, plan) as asked:
            return asked.evaluate(self.reporter, judge_all if judges else None)

    def forecast_evaluate(self, model: ModelOptions | str = MODEL, **scope: Unpack[AskingOptions]) -> "Estimate":
        """Return what it would cost to ask a model, or what is left of it, judges left out; nothing is asked.

        What is asked is chosen as ``evaluate`` does; paraphrases are those of the rules.

        >>> llava = kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")
        >>> work.forecast_evaluate(llava, run="demo").calls > 0
        True
        """
        from kbe_graph.workspace.evaluating import AskingScope, open_answers

        with open_answers(self, model, AskingScope(**scope)) as asked:
            return asked.forecast()

    def take_predictions(
        self,
        file: Path | str,
        *,
        model: str | None = None,
        format: str | None = None,  # noqa: A002 - the option's name
        form: "Form" = "open",
        run: str | None = None,
        judges: Sequence[str] = ("alias",),
        judge: ModelOptions | str = MODEL,
        strict: bool = False,
        incomplete: bool = False,
    ) -> "Evaluated":
        """Take in what a model answered, from a file that any harness wrote, and have it judged.

        The file is JSON lines of ``id`` and ``answer``, a result list of OK-VQA, predictions of A-OKVQA, a table of
        VLMEvalKit, samples of lmms-eval, predictions of evalscope or a log of Inspect; ``format`` names which, where
        its content does not tell. ``model`` is who answered, where the file does not say. Ids are those of questions,
        or of the benchmark's own questions; what cannot be matched is told by id. ``form`` is the form in which was
        asked, where the file does not say; answers are held against the form's own gold answer. Raises DatasetError,
        InputError and ConfigError.

        >>> file = folder / "answers.jsonl"
        >>> _ = file.write_text('{"id": "107438-vehicle", "answer": "bicycle"}')
        >>> work.take_predictions(file, model="llava", run="demo").new
        1
        """
        from kbe_graph.workspace.choosing import choose_run
        from kbe_graph.workspace.evaluating import Evaluated
        from kbe_graph.workspace.judges import JudgedScope, judge_answers
        from kbe_graph.workspace.taking import take_predictions

        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        with self.reporter.waiting("reading the predictions"):
            matching = take_predictions(self.store, Path(file), name, model=model or "", format=format, form=form)
        models = sorted({prediction.model for prediction in matching.predictions})
        scope = JudgedScope(name, models[0] if len(models) == 1 else None)
        taken, missing = len(matching.predictions), len(matching.missing)
        judgement = judge_answers(self, scope, judges=judges, options=model_options(judge), strict=strict)
        return Evaluated(", ".join(models), name, taken + missing, taken, missing, judgement, *matching[1:])

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
        """Have answers judged that are there: to the raw questions and those of a run, of one model or of all.

        ``judges``, ``judge`` and ``strict`` are as ``evaluate`` has them. Raises InputError and ConfigError.

        >>> work.judge(["exact"], run="demo").judge
        'exact'
        """
        from kbe_graph.workspace.choosing import choose_run
        from kbe_graph.workspace.judges import JudgedScope, judge_answers

        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        scope = JudgedScope(name, model)
        return judge_answers(self, scope, judges=judges, options=model_options(judge), strict=strict)
