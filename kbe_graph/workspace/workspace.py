"""A workspace: benchmarks loaded, graphs extracted, questions evolved, models evaluated, and all of it given out."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from kbe_graph.brief import readable
from kbe_graph.errors import InputError
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.folder import Folder, create_folder, open_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.progress import Reporter, ipython_shell, reporter_of
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options, paths
from kbe_graph.store import Address, Store, graph_address
from kbe_graph.types import Form, Progress, Question, QuestionForm, Round, Sample
from kbe_graph.workspace.graph import FORM, QUESTION, SAMPLE, Graph, Values
from kbe_graph.workspace.run import Run, Stats, export_questions, report_run
from kbe_graph.workspace.verbs import (
    AdaptOptions,
    AnswerOptions,
    AskOptions,
    AuditOptions,
    ExportOptions,
    ExtractOptions,
    ForgetOptions,
    FormsOptions,
    LoadOptions,
    PerturbOptions,
    ReportOptions,
    TwinsOptions,
)

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.adapt.adapting import Adapted
    from kbe_graph.audit.auditing import Audit
    from kbe_graph.evaluate.evaluation import Evaluated
    from kbe_graph.forms.form_maker import MadeForms
    from kbe_graph.perturb.perturbing import Perturbed
    from kbe_graph.show.report_data import ReportData
    from kbe_graph.show.sample_story import SampleStory
    from kbe_graph.twins.making import Twins
    from kbe_graph.workspace.answers import Answers
    from kbe_graph.workspace.benchmarks import Extracted, Forgotten, Loaded, Wiki
    from kbe_graph.workspace.models import Models
    from kbe_graph.workspace.releases import Releases
    from kbe_graph.workspace.review import Reviews

T = TypeVar("T")
Files = Path | str | Sequence[Path | str]


@readable
class Workspace:
    """A folder with a graph of benchmarks, questions and answers; created if it does not exist.

    The methods follow the order of the work:

    - ``load``, ``extract``, ``evolve``, ``make_forms``, ``perturb``: turn a benchmark into new questions
    - ``evaluate``: ask a model the questions and judge its answers
    - ``adapt``, ``rounds``: ask models, and grow the questions that they answer right
    - ``runs``, ``run``, ``samples``, ``questions``, ``forms``, ``sample``, ``status``: inspect the results
    - ``report``, ``export``: publish the results
    - ``forget``, ``close``: delete data, close the graph

    Other tasks are grouped by subject:

    - ``graph``: query and back up the graph
    - ``models``: cost estimates, costs and failed calls
    - ``answers``: import predictions, judge them and compute figures
    - ``stats``: statistics, comparisons, and guessing without pictures
    - ``review``: decisions and ratings of people on questions, answers and facts
    - ``release``: frozen, numbered releases of a run
    - ``wiki``: a benchmark made from Wikipedia pages and Wikidata statements

    The graph is on the Neo4j server given by ``address``, by the environment (``NEO4J_URI``) or by ``kbe.toml``.
    Without a server, the embedded engine is used. The graph opens at first use. It closes with ``close``, at the end of
    a ``with`` block, or when the program ends. With ``create=False``, a folder that is not a workspace raises
    ConfigError.

    ``progress`` is a function called as ``progress(stage, done, total)``. By default, a terminal or notebook shows a
    progress bar. False shows nothing.

    >>> work = kbe.Workspace(folder, progress=False)
    >>> work
    <Workspace '...'>
    """

    def __init__(
        self,
        folder: Path | str = ".",
        *,
        address: Address | None = None,
        create: bool = True,
        progress: Progress | bool | None = None,
    ) -> None:
        place = create_folder(Path(folder)) if create else open_folder(Path(folder))
        address = address or graph_address(place.config, os.environ)
        self._access = GraphAccess(place, address, reporter_of(progress))
        _display_questions()

    @property
    def graph(self) -> Graph:
        """The graph: queries and backups."""
        return Graph(self._access)

    @property
    def models(self) -> "Models":
        """The calls of models: cost estimates, costs and failed calls."""
        from kbe_graph.workspace.models import Models

        return Models(self._access)

    @property
    def answers(self) -> "Answers":
        """The answers of models: import them, judge them, and compute figures."""
        from kbe_graph.workspace.answers import Answers

        return Answers(self._access)

    @property
    def stats(self) -> Stats:
        """Statistics of questions and triplets, comparisons, and guessing without pictures."""
        return Stats(self._access)

    @property
    def review(self) -> "Reviews":
        """The review of questions by people: decisions, studies, and sheets to collect them."""
        from kbe_graph.workspace.review import Reviews

        return Reviews(self._access)

    @property
    def release(self) -> "Releases":
        """Frozen, numbered releases of a run: make, verify and compare them, and correct mistakes in them."""
        from kbe_graph.workspace.releases import Releases

        return Releases(self._access)

    @property
    def wiki(self) -> "Wiki":
        """A benchmark made from Wikipedia pages and Wikidata statements, step by step."""
        from kbe_graph.workspace.benchmarks import Wiki

        return Wiki(self._access)

    @property
    def folder(self) -> Folder:
        """The folder and its settings."""
        return self._access.folder

    @property
    def address(self) -> Address | None:
        """The address of the graph's server; None for the embedded engine."""
        return self._access.address

    @property
    def reporter(self) -> Reporter:
        """The reporter of progress."""
        return self._access.reporter

    @property
    def store(self) -> Store:
        """The open graph, for everything that the methods of the workspace do not cover."""
        return self._access.store

    @takes
    def load(
        self, data: "Path | str | Iterable[Mapping[str, Any]] | pd.DataFrame", *, options: LoadOptions
    ) -> "Loaded":
        """Load a benchmark from a file, shards or rows. Loading it again changes nothing.

        Shards are the Parquet, JSONL, TSV, CSV or JSON files of one data set: those in a folder, or those that match a
        pattern ("data/train-*.parquet"). They are read as one file, in the order of their names. Rows are a list of
        dictionaries, a pandas DataFrame, or a ``datasets.Dataset``, with the columns of a table file. An image is a
        path or a name, bytes, ``{"bytes": ..., "path": ...}``, or a Pillow image.

        Sample ids begin with ``name`` and ``split``. Pictures are looked for only in ``images`` and beside the file;
        those of rows in ``images``, or else in the current folder. ``notes`` says where they were not found. With
        ``fetch``, those given as addresses are downloaded; repeat the call to retry those in ``not_fetched``. Raises
        DatasetError, InputError and ConfigError.

        >>> work.load(kbe.demo().samples, name="demo", split="demo").format
        'table'
        >>> rows = [{"question": "What is in the basket?", "answer": "bread", "image": "12.jpg"}]
        >>> work.load(rows, name="own").samples
        1
        >>> work.forget(benchmark="own").samples
        1
        """
        from kbe_graph.workspace.benchmarks import load_benchmark

        return load_benchmark(self._access, data, options)

    @takes
    def extract(
        self,
        *,
        model: ModelOptions | str | None = None,
        workers: int | None = 1,
        options: ExtractOptions,
        **annotations: Files,
    ) -> "Extracted":
        """Extract the visual, textual and key triplets of each loaded sample, from annotations or with a model.

        Give one annotation file or several per format: ``scene_graphs`` (GQA, Visual Genome), ``instances`` (COCO),
        ``captions`` (COCO, or a table), ``detections`` (labels by image or question), or a format of a
        plug-in. With ``model``, a model reads the pictures instead, and boxes in the files tell where to look again.

        ``workers`` is the number of processes that read annotations (None: one per core). A script that uses several
        must start with ``if __name__ == "__main__":``. The graphs do not depend on the number of workers. Raises
        DatasetError, InputError and ResourceError.

        >>> work.extract(scene_graphs=kbe.demo().scene_graphs).kept == len(work.samples(status="extracted"))
        True
        """
        from kbe_graph.workspace.benchmarks import extract_annotated, extract_by_model

        files = {name: paths(value) for name, value in annotations.items()}
        if model is not None:
            if captions := files.get("captions"):
                raise InputError(f"a model takes only boxes of things; leave out the model, or {captions[0]}")
            return extract_by_model(self._access, model_options(model), files, options)
        return extract_annotated(self._access, files, options, workers=workers)

    @takes
    def evolve(self, *, model: ModelOptions | str | None = None, workers: int | None = 1, options: RunOptions) -> Run:
        """Generate new questions by re-selection and exploration. Repeating the call resumes an interrupted run.

        ``run``, ``seed``, ``hops`` and the arguments after them are the fields of ``kbe.RunOptions``. A ``model`` makes
        facts and wordings, unless the options say otherwise. If its ``verify`` is set, a model also checks each
        question.

        ``workers`` is the number of exploring processes (None: one per core) of a run by rules and packaged facts; all
        other runs use one process. A script that uses several must start with ``if __name__ == "__main__":``. The
        questions do not depend on the workers. Raises BudgetReached, ConfigError for a run with other settings, and
        ResourceError if another process makes it.

        >>> run = work.evolve(hops=2, seed=0, run="demo")
        >>> run.questions(hop=2)[0].kind
        'explored'
        """
        from kbe_graph.evolve.runs import evolve_run

        if not self.store.count_samples(status="extracted"):
            raise InputError("no sample has a graph; `load` a benchmark and `extract` its graphs first")
        before = self.store.status_counts(options.name)
        awaits = evolve_run(self._access, options, model, workers=workers)
        grown = self.store.status_counts(options.name) != before
        record = next(record for record in self.store.runs() if record.name == options.name)
        return Run(self._access, record, awaits=awaits, grown=grown)

    @takes
    def make_forms(self, form: Form, *, model: ModelOptions | str | None = None, options: FormsOptions) -> "MadeForms":
        """Turn the raw questions and those of a run into another form, and save it (MDK12, question types).

        ``form`` is "choice" (one of four options is right), "several" (select all right options), "fill" (fill in the
        gap) or "true-false". The run is chosen as in ``export``. Existing forms are kept unless ``replace`` is set.
        Wrong options come from the graph or from a ``model``, and pass the same checks. Raises InputError, ConfigError
        and BudgetReached.

        >>> work.make_forms("fill", run="demo").form
        'fill'
        """
        from kbe_graph.export.selection import select
        from kbe_graph.forms.form_maker import make_run_forms
        from kbe_graph.steps.session import open_sessions

        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        pairs = select(self.store, run=name, loaded=True)
        with open_sessions(self._access, model) as (session,):
            return make_run_forms(self._access, form, name, pairs, session=session, replace=options.replace)

    @takes
    def twins(self, *, model: ModelOptions | str | None = None, options: TwinsOptions) -> "Twins":
        """Give questions of a run a twin: the same words about another picture, where the answer differs.

        The nearest pictures are tried first (``kbe query twins``): one is a twin if its graph, with sourced facts,
        gives exactly one other answer. With a ``model``, this looks at both pictures, and a second request at the other
        picture alone confirms the answer. Twins are kept questions of the kind ``twin``; ``evaluate`` asks them, and
        ``results().pairs`` scores them with their questions (NaturalBench). The run is chosen as in ``export``.
        Repeating the call makes the missing ones and asks nothing twice. Raises InputError, ConfigError, BudgetReached.

        >>> work.twins(run="demo").run
        'demo'
        """
        from kbe_graph.twins.making import make_twins

        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        if name is None:
            raise InputError("there is no run, whose questions could have twins; make one with `evolve`")
        return make_twins(self._access, name, limit=options.limit, model=model)

    @takes
    def perturb(
        self,
        *,
        images: Files = (),
        model: ModelOptions | str | None = None,
        options: PerturbOptions,
        **annotations: Files,
    ) -> "Perturbed":
        """Perturb the pictures and words of questions without changing the answer, and save the variants in the graph.

        ``image`` and ``text`` list operations. Join operations with ``+`` to combine them in one variant
        ("pad+lead-in"), or name a method of the papers ("mdk12"). If both are left out, all operations are
        used that almost always kept the answer when variants were inspected. ``images`` are further folders of
        pictures. ``annotations`` maps formats to files, as in ``extract``: they tell where a picture has room for a
        thing to add.

        A ``model`` replaces the rule for paraphrases, and edits pictures ("add" and "expand" need one; they
        use the endpoint of [models.edits]). A question is refused if it does not allow an operation. A variant is
        rejected if it fails a check. Both are counted. Any change of pictures adds the control ``re-encode``. Raises
        InputError, DatasetError, ConfigError, ResourceError and BudgetReached.

        >>> work.perturb(image=["invert"], seeds=1).operations[0].operation
        're-encode'
        """
        from kbe_graph.perturb.perturbing import perturb_questions
        from kbe_graph.perturb.variant import check_operations
        from kbe_graph.steps.session import open_sessions
        from kbe_graph.workspace.graph import asked_questions

        operations = [name.strip() for each in (*options.image, *options.text) for name in each.split(",")]
        names = check_operations(operations, by_model=model is not None)
        run = self._access.choose_run(options.run, incomplete=True)
        pairs = asked_questions(self._access, run, options.benchmark, options.hops, sample=options.sample)
        files = {name: paths(each) for name, each in annotations.items()}
        made: dict[str, Any] = {"seeds": options.seeds, "replace": options.replace, "files": files}
        with open_sessions(self._access, model) as (writer,):
            return perturb_questions(self._access, names, run, pairs, images=paths(images), model=writer, **made)

    @takes
    def evaluate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        judge: ModelOptions | str = MODEL,
        options: AnswerOptions,
        asked: AskOptions,
    ) -> "Evaluated":
        """Ask a model the raw questions and those of a run, and judge its answers (KBE, section 4.1).

        Select the questions with ``run`` (chosen as in ``export``, as is ``incomplete``), ``hops`` ("0-2"; default:
        all) and ``benchmark`` (default: all). Raw questions need no graph, so a benchmark that was only loaded can be
        evaluated. ``runs`` is the number of answers per question and variant (default: 2 if the temperature of the
        model is above 0, else 1).

        ``variants`` are the ways to ask a question: "image" (unchanged, the default), "blind" (no picture),
        "paraphrase", "options", "options-shuffled", "circular" (once per rotation of the options), "links" (each edge
        of the key by itself), and the forms of ``make_forms`` ("choice", "several", "fill", "true-false").

        ``judges`` are rules ("exact", "normalised", "alias", ...), "model" (the model of [models.judge]), "paper" (the
        same model, without the question and picture), "mdk12" (it extracts the answer from the whole reply, then
        judges it), the name of a model, or "paper:NAME". Several judges vote.
        Without judges, the answers are not judged. ``judge`` sets how the judges are called; it shares the limits of
        ``model`` unless it has its own. ``strict`` refuses a generator, model and judge from the same family. Repeating
        the call asks nothing twice. Answers of the model that are from a file are completed only with ``replace``.
        Raises InputError, ConfigError and BudgetReached.

        >>> llava = kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")
        >>> work.evaluate(llava, run="demo").answered  # doctest: +SKIP
        214
        """
        from kbe_graph.evaluate.evaluation import evaluate_model
        from kbe_graph.workspace.graph import asked_questions

        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        pairs = asked_questions(self._access, name, options.benchmark, asked.hops)
        judging: dict[str, Any] = {"judges": options.judges, "judge": model_options(judge), "strict": options.strict}
        asking: dict[str, Any] = {"variants": asked.variants, "runs": asked.runs, "mixes": options.replace}
        return evaluate_model(self._access, pairs, name, model, **asking, **judging)

    @takes
    def adapt(
        self,
        models: Sequence[ModelOptions | str],
        *,
        judge: ModelOptions | str = MODEL,
        maker: ModelOptions | str = MODEL,
        options: AdaptOptions,
    ) -> "Adapted":
        """Ask models the questions of a run, and let those grow that they answer right, round by round.

        The run is chosen as in ``export``. The questions after a round are a run of their own, ``RUN-round-1`` and so
        on; the next call, with these models or others, goes on from the last round. ``target`` is the accuracy to
        arrive at ("0.3-0.6"), ``rounds`` the most rounds of the call. The limits of the first model are those of the
        call. ``judges``, ``judge`` and ``strict`` are those of ``evaluate``. ``maker`` is the model that drafts
        questions, if the run's were drafted by one. Repeating the call asks nothing twice. Raises InputError,
        ConfigError and BudgetReached.

        >>> models = [kbe.ModelOptions(name, base_url="http://127.0.0.1:8000/v1") for name in ("llava", "qwen")]
        >>> work.adapt(models, run="demo", target="0.3-0.6").newest  # doctest: +SKIP
        'demo-round-2'
        """
        from kbe_graph.adapt.adapting import adapt_run

        name = self._access.choose_run(options.run, incomplete=options.incomplete, exploring=True)
        if name is None:
            raise InputError("there is no run yet; `evolve` makes one")
        judging: dict[str, Any] = {"judges": options.judges, "judge": model_options(judge), "strict": options.strict}
        aim: dict[str, Any] = {"target": options.target, "rounds": options.rounds, "maker": model_options(maker)}
        return adapt_run(self._access, name, [*map(model_options, models)], **aim, **judging)

    def rounds(self, run: str) -> list[Round]:
        """List the rounds in which a run followed models, in order: of the run itself or of one that came of it.

        >>> work.rounds("demo")
        []
        """
        self.store.require_run(run)
        return self.store.rounds(run)

    def runs(self, *, incomplete: bool = False) -> list[Run]:
        """List the complete runs by name. With ``incomplete``, also list those that failed or were interrupted.

        >>> work.runs()
        [<Run 'demo', seed 0>]
        """
        records = self.store.runs()
        return [Run(self._access, record) for record in records if incomplete or record.state == "complete"]

    def run(self, name: str) -> Run:
        """Get a run by its name. Raises InputError, with the known names, if there is no such run.

        >>> work.run("demo")
        <Run 'demo', seed 0>
        """
        self.store.require_run(name)
        return next(run for run in self.runs(incomplete=True) if run.name == name)

    def samples(
        self,
        *,
        benchmark: str | None = None,
        split: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Values[Sample]:
        """List the samples by id. ``status`` is loaded, extracted or dropped.

        >>> work.samples(status="extracted")[0].benchmark
        'demo'
        """
        samples = self.store.samples(benchmark=benchmark, split=split, status=status, limit=limit)
        return Values(samples, SAMPLE)

    def questions(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = "kept", sample: str | None = None
    ) -> Values[Question]:
        """List the questions of one run or of all runs, by id. The run ``raw`` has the questions of the benchmark.

        ``status`` is kept or dropped; None lists both.

        >>> work.questions(run="raw", sample="demo/demo/107438-vehicle")[0].kind
        'raw'
        """
        samples = None if sample is None else [sample]
        return Values(self.store.questions(run=run, hop=hop, status=status, samples=samples), QUESTION)

    def forms(
        self, run: str | None = None, form: Form | None = None, *, incomplete: bool = False
    ) -> Values[QuestionForm]:
        """List the forms that ``make_forms`` made of the raw questions and those of a run.

        The run is chosen as in ``export``. ``form`` is choice, several, fill or true-false (default: all).

        >>> work.forms("demo").frame().columns[1]
        'form'
        """
        return Values(self._access.forms(self._access.choose_run(run, incomplete=incomplete), form), FORM)

    def sample(
        self,
        id: str,  # noqa: A002 - the field's name
        *,
        run: str | None = None,
        status: str | None = None,
    ) -> "SampleStory":
        """Show a sample, by its id or the id of one of its questions, with its questions in one run or in all runs.

        ``status`` limits the questions to kept or dropped ones. A notebook shows the picture, questions, answers and
        key paths. Raises InputError for an unknown id.

        >>> work.sample("demo/demo/107438-vehicle").questions[0].kind
        'raw'
        """
        from kbe_graph.workspace.graph import sample_story

        return sample_story(self._access, id, run=run, status=status)

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Count samples, questions and candidates by stage, hop and reason, for one run or all runs.

        >>> work.status()["samples"]["extracted"] == len(work.samples(status="extracted"))
        True
        """
        self.store.require_run(run)
        return self.store.status(run)

    @takes
    def report(self, file: Path | str, *, options: ReportOptions) -> "ReportData":
        """Write a run and the answers of models as one HTML file, and return the figures.

        The run is chosen as in ``export``. The page is self-contained; ``pictures`` embeds the pictures, and ``guess``
        adds how often the questions are answered without them. ``judge`` is the name of the judge whose verdicts count.
        Without it, each judge has separate rows, and figures that use only one judge take the one that judged most
        answers.

        The other arguments save the same figures: ``json`` to a file, the rest to folders, as CSV, as LaTeX,
        and as SVG and PNG. Raises InputError; a file that cannot be
        written is left unchanged.

        >>> data = work.report(folder / "report.html", guess=False)
        >>> data.run, len(data.items) > 0
        ('demo', True)
        """
        return report_run(self._access, Path(file), options)

    @takes
    def audit(self, *, options: AuditOptions) -> "Audit":
        """Check a run, a benchmark as loaded, or a release by what the field demands, and return what was found.

        Without ``run``, ``benchmark`` and ``release``, the newest run is checked, or without any run all that was
        loaded. ``predictions`` adds the answers of a file in a format of ``work.answers.take``, which are not kept.
        ``out`` is a folder for the card. No model is asked. Raises InputError, DatasetError and ConfigError.

        >>> audit = work.audit(run="demo", out=folder / "audit")
        >>> audit.status("answers-given")
        'pass'
        """
        from kbe_graph.audit.auditing import audit_subject, read_audited, with_answers

        with self._access.reporter.waiting("auditing"):
            subject = {name: options[name] for name in ("run", "benchmark", "release", "incomplete")}
            audited = read_audited(self._access, **subject)
            if options.predictions is not None:
                audited = with_answers(audited, options.predictions, options.model)
            audit = audit_subject(audited)
        if options.out is not None:
            audit.write(Path(options.out), replace=options.replace)
        return audit

    @takes
    def export(
        self,
        file: Path | str,
        *,
        format: str = "jsonl",  # noqa: A002 - the option's name
        options: ExportOptions,
    ) -> int:
        """Write the raw questions and those of a run to a file or folder, and return the number of questions.

        ``run`` defaults to the only run, or to the newest, with a warning. Runs that failed or were interrupted are
        left out unless ``incomplete`` is set. ``everything`` includes dropped questions with the reason; only the
        format jsonl supports it. ``hops`` ("1-3") limits the questions of the run, and ``benchmark`` selects one
        benchmark.

        With a ``form`` other than open, missing forms are made as in ``make_forms`` and saved after the export.
        Questions that cannot have the form are left out. ``variants`` adds the variants of ``perturb``, each with its
        own id.

        ``reviewed`` selects by the decisions of reviewers: ``not-rejected`` leaves out rejected questions and the
        chains through them, ``undisputed`` also leaves out disputed ones, ``approved`` keeps only approved ones, and
        ``all`` ignores the decisions. Revised questions are exported in their last version. ``images_as`` is copy,
        link, embed or none, if the format supports images. Raises InputError, and then leaves the file and the graph
        unchanged.

        >>> work.export(folder / "all.jsonl", everything=True) > work.export(folder / "kept.jsonl")
        True
        """
        return export_questions(self._access, Path(file), format, options)

    @takes
    def forget(
        self,
        *,
        run: str | None = None,
        benchmark: str | None = None,
        samples: Sequence[str] | None = None,
        options: ForgetOptions,
    ) -> "Forgotten":
        """Delete a run, a benchmark (or a ``split`` of it), or samples by id, with everything that depends on them.

        ``evolved`` confirms that the questions that runs made from the samples are deleted too, or the rounds on a run,
        and ``released`` that releases which hold these questions are forgotten: their numbers are not given again.
        Replies of models are kept. Raises InputError.

        >>> run = work.evolve(hops=0, run="tried")
        >>> work.forget(run="tried").runs
        ('tried',)
        """
        from kbe_graph.workspace.benchmarks import chosen_samples, forget_run, forget_samples

        if (run is None) == (benchmark is None and samples is None):
            raise InputError("name exactly one of these: a run, a benchmark, samples")
        if run is not None:
            return forget_run(self._access, run, evolved=options.evolved, released=options.released)
        chosen = chosen_samples(self.store, benchmark, options.split, samples)
        return forget_samples(self._access, chosen, evolved=options.evolved, released=options.released)

    def close(self) -> None:
        """Close the graph. The next use opens it again.

        >>> work.close()
        """
        self._access.graph.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workspace {str(self.folder.path)!r}>"


def _display_questions() -> None:
    """Let a notebook show a question by its text, answer and key path; elsewhere nothing happens."""
    if shell := ipython_shell():
        from kbe_graph.show.sample_story import question_html

        shell.display_formatter.formatters["text/html"].for_type(Question, question_html)
