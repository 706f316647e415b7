"""A workspace: benchmarks loaded, graphs extracted, questions evolved, models evaluated, and all of it given out."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from kbe_graph.errors import ConfigError
from kbe_graph.evolve.run_options import RunOptions, takes_run_options
from kbe_graph.export.selection import ImagesAs
from kbe_graph.folder import Folder, create_folder, open_folder
from kbe_graph.store import Address, Store, graph_address
from kbe_graph.types import Form, Prediction, Progress, Question, QuestionForm, Sample
from kbe_graph.workspace.answers import Answers
from kbe_graph.workspace.checked import checked
from kbe_graph.workspace.graph import Graph
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.loading import Loaded, LoadOptions, load_benchmark
from kbe_graph.workspace.model_options import MODEL, AskingOptions, ModelOptions, model_options, paths
from kbe_graph.workspace.models import Models
from kbe_graph.workspace.people import People
from kbe_graph.workspace.progress import Reporter, display_questions, reporter_of
from kbe_graph.workspace.reporting import (
    ExportScope,
    ReportScope,
    count_stages,
    export_questions,
    questions_html,
    report_run,
)
from kbe_graph.workspace.review import Reviews
from kbe_graph.workspace.run import Run
from kbe_graph.workspace.stats import Stats
from kbe_graph.workspace.values import FORM, QUESTION, SAMPLE, Values
from kbe_graph.workspace.wiki import Wiki

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.evolve.mix import RuleOrModel
    from kbe_graph.forms.form_maker import MadeForms
    from kbe_graph.pages.report_values import ReportData
    from kbe_graph.report.sample_story import SampleStory
    from kbe_graph.review.consequences import Reviewed
    from kbe_graph.steps.session import Runner
    from kbe_graph.workspace.evaluation import Evaluated
    from kbe_graph.workspace.extracting import Extracted
    from kbe_graph.workspace.forgetting import Forgotten
    from kbe_graph.workspace.perturbing import Perturbed

T = TypeVar("T")
Files = Path | str | Sequence[Path | str]


@checked
class Workspace:
    """A folder with a graph: made, or opened if it is there.

    In the order of the work:

    - ``load``, ``extract``, ``evolve``, ``make_forms``, ``perturb``: from a benchmark to new questions
    - ``evaluate``: ask a model and judge its answers
    - ``runs``, ``run``, ``samples``, ``questions``, ``forms``, ``sample``, ``status``: look at it
    - ``report``, ``export``: give it out
    - ``fetch``, ``forget``, ``close``

    and by subject:

    - ``graph``: query, draw, back up, copy and merge the graph
    - ``models``: forecasts, costs and failed calls
    - ``answers``: predictions taken in, judged and turned into figures
    - ``stats``: statistics, comparisons, and guessing without pictures
    - ``people``: studies, labels of answers, reviews of facts
    - ``review``: what people decide of questions
    - ``wiki``: a benchmark from pages of Wikipedia and statements of Wikidata

    The graph is on the Neo4j server of ``address``, of the environment (``NEO4J_URI``) or of ``kbe.toml``, else on the
    embedded engine. It is opened at first use, and closed by ``close``, at the end of a ``with`` block, or with the
    program. Without ``create``, a folder that is no workspace is refused (ConfigError).

    ``progress(stage, done, total)`` is called as the work goes on. Without it there is a bar on a terminal and in a
    notebook; False is silence.

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
        self._access = GraphAccess(place, address or graph_address(place.config, os.environ), reporter_of(progress))
        display_questions()

    @property
    def graph(self) -> Graph:
        """The graph: queries, drawings, backups, copies and merges."""
        return Graph(self._access)

    @property
    def models(self) -> Models:
        """The models asked: forecasts, costs and failed calls."""
        return Models(self._access)

    @property
    def answers(self) -> Answers:
        """The answers of models: taken in, judged, and turned into figures."""
        return Answers(self._access)

    @property
    def stats(self) -> Stats:
        """Statistics of questions and triplets, comparisons, and guessing without pictures."""
        return Stats(self._access)

    @property
    def people(self) -> People:
        """Studies that people take part in, labels of answers, and reviews of facts."""
        return People(self._access)

    @property
    def review(self) -> Reviews:
        """The review of questions by people: decisions, and the files that they travel in."""
        return Reviews(self._access)

    @property
    def wiki(self) -> Wiki:
        """A benchmark from pages of Wikipedia and statements of Wikidata, made step by step."""
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
        """The open graph itself, for all that the methods here do not give."""
        return self._access.store

    def load(
        self,
        data: "Path | str | Iterable[Mapping[str, Any]] | pd.DataFrame",
        *,
        name: str | None = None,
        split: str = "",
        format: str | None = None,  # noqa: A002 - the option's name
        columns: Mapping[str, str] | None = None,
        annotations: Path | str | None = None,
        images: Path | str | None = None,
        fetch: bool = False,
        contact: str | None = None,
        local_hosts: bool = False,
    ) -> Loaded:
        """Load a benchmark: a file, shards, or rows; loading it twice changes nothing.

        Shards are the Parquet, JSONL, TSV, CSV or JSON files of one set in a folder, or those that match a pattern
        ("data/train-*.parquet"); they are read as one file, in the order of their names.
        Rows are a list of dictionaries, a pandas DataFrame, or a ``datasets.Dataset``, with the columns of a table
        file. An image is a path or a name, bytes, ``{"bytes": ..., "path": ...}``, or a picture of Pillow.

        ``name`` (default: the file's stem) and ``split`` begin the id of each sample. The format is recognised, unless
        one is named. ``columns`` maps fields to the columns of a table, ``annotations`` is the second file of an
        official pair, and ``images`` the folder of the pictures. They are looked for there and beside the file, and
        nowhere else.

        ``fetch`` gets the pictures that are given by address, two at once; the same call asks again for those in
        ``not_fetched``. Servers are told ``contact``, a mail or web address, and ``local_hosts`` allows those of this
        machine and of private networks. Raises DatasetError, InputError and ConfigError.

        >>> work.load(kbe.demo().samples, name="demo", split="demo").format
        'table'
        >>> rows = [{"question": "What is in the basket?", "answer": "bread", "image": "12.jpg"}]
        >>> work.load(rows, name="own").samples
        1
        >>> work.forget(benchmark="own").samples
        1
        """
        options = LoadOptions(name, split, format, columns, annotations, images, fetch, contact, local_hosts)
        return load_benchmark(self._access, data, options)

    def extract(
        self,
        *,
        benchmark: str | None = None,
        model: ModelOptions | str | None = None,
        sample: int | None = None,
        seed: int = 0,
        shard: str | None = None,
        replace: bool = False,
        workers: int | None = 1,
        runner: "Runner" = "direct",
        **annotations: Files,
    ) -> "Extracted":
        """Make the visual, textual and key triplets of each loaded sample, from annotations or by asking a model.

        Annotations are files, one or several, by their format: ``scene_graphs`` (GQA, Visual Genome), ``instances``
        (COCO), ``captions`` (COCO, or a TSV with one caption an image), ``detections`` (labels by image or question),
        ``actions`` (V-COCO), and those of plug-ins. With ``model`` a model is asked about the pictures instead.
        ``benchmark`` takes the samples of one benchmark alone, ``sample`` so many that the ``seed`` draws (of these,
        ``evolve`` with the same seed draws first), and ``shard`` ("1/4") a part of them. ``replace`` allows graphs of
        other files to be replaced. ``workers`` processes read annotations at once, None for one a core; a script that
        wants several must start with ``if __name__ == "__main__":``. The graphs do not depend on their number.
        ``runner`` "ray" has the workers of a cluster read them. Raises DatasetError, InputError and ResourceError.

        >>> work.extract(scene_graphs=kbe.demo().scene_graphs).kept == len(work.samples(status="extracted"))
        True
        """
        from kbe_graph.workspace.asking import open_extraction
        from kbe_graph.workspace.extracting import ExtractionScope, choose_samples, extract_annotated

        asked = ModelOptions(runner=runner) if model is None else model_options(model)
        scope = ExtractionScope(benchmark, sample, seed, shard, replace)
        files = {name: paths(value) for name, value in annotations.items()}
        if asked.starts_cluster:
            given = {**scope._asdict(), **{name: [path.absolute() for path in files[name]] for name in files}}
            return self._on_cluster(self.extract, asked, given | ({"model": None} if model is None else {}))
        samples = choose_samples(self._access, scope, files if model is None else None)
        if model is None:
            return extract_annotated(self._access, samples, files, workers=workers)
        with self.reporter as reporter, open_extraction(self._access, model, samples) as extraction:
            return extraction.extract(reporter)

    @takes_run_options
    def evolve(
        self,
        *,
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        model: ModelOptions | str | None = None,
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        shard: str | None = None,
        workers: int | None = 1,
        **options: Any,
    ) -> Run:
        """Re-select and explore, hop by hop; the same call again resumes an interrupted run.

        ``options`` are the fields of ``kbe.RunOptions``: ``hops``, ``seed``, ``run``, ``sample``, ``filters`` and more.
        Facts come from ``knowledge``: "pack" (the packaged facts), "wikidata", "model", or a plug-in's source;
        ``contact``, ``endpoint`` and ``offline`` say how one on the network is asked. ``wording`` is by "rule" or
        "model". Where ``model`` is given, both are the model's unless said otherwise; with ``verify`` it is asked for a
        second look at each question. ``workers`` processes explore, over the packaged facts or a model's facts, None
        for one a core; a script that wants several must start with ``if __name__ == "__main__":``. The questions do not
        depend on their number. A source on the network and ``verify`` have one process.

        Where the graph is on a server, the same call on several machines shares the work. ``shard`` ("1/4") takes a
        part of the samples; the steps that depend on all of them are done once all shards are in one graph, and
        ``Run.shards`` names the missing ones. Raises BudgetReached, and ConfigError for a run of other settings.

        >>> run = work.evolve(hops=2, seed=0, run="demo")
        >>> run.questions(hop=2)[0].kind
        'explored'
        """
        from kbe_graph.evolve.knowledge import Access
        from kbe_graph.workspace.evolving import choose_makers, evolve_run

        access = Access(contact, endpoint, offline)
        if model is not None and model_options(model).starts_cluster:
            makers = {"knowledge": knowledge, "wording": wording, "shard": shard}
            return self._on_cluster(self.evolve, model, {**makers, **access._asdict(), **options})
        chosen = choose_makers(knowledge, wording, model, shard)
        return evolve_run(self._access, RunOptions.of(options), chosen, access, model=model, workers=workers)

    @takes_run_options
    def fetch(
        self,
        *,
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        pack: Path | str | None = None,
        **options: Any,
    ) -> Mapping[str, object]:
        """Re-select as ``evolve`` does, ask Wikidata about all answers and keep the facts; return notes on them.

        ``evolve(offline=True)`` then goes on from there. ``pack`` is a folder that the facts are written into as well.
        Raises SourceError.
        """
        from kbe_graph.evolve.knowledge import Access
        from kbe_graph.workspace.evolving import fetch_facts

        access = Access(contact, endpoint, offline)
        return fetch_facts(self._access, RunOptions.of(options), access, None if pack is None else Path(pack))

    def make_forms(
        self,
        form: Form,
        *,
        run: str | None = None,
        model: ModelOptions | str | None = None,
        replace: bool = False,
        incomplete: bool = False,
    ) -> "MadeForms":
        """Give the raw questions and those of a run another form, and keep it in the graph (MDK12, question types).

        ``form`` is "choice" (one right of four options), "several" (all right ones), "fill" (a gap) or "true-false".
        The run is chosen as ``export`` does. Forms that are there stay, unless ``replace`` is set. Wrong options come
        from the graph, or from a ``model``; both pass the same checks. Raises InputError, ConfigError and
        BudgetReached.

        >>> work.make_forms("fill", run="demo").form
        'fill'
        """
        from kbe_graph.workspace.forms import make_run_forms

        name = self._access.choose_run(run, incomplete=incomplete)
        return make_run_forms(self._access, form, name, model=model, replace=replace)

    def perturb(
        self,
        image: Sequence[str] = (),
        text: Sequence[str] = (),
        *,
        run: str | None = None,
        benchmark: str | None = None,
        hops: str = "0",
        seeds: int = 3,
        sample: int | None = None,
        images: Files = (),
        model: ModelOptions | str | None = None,
        judge: ModelOptions | str | None = None,
        replace: bool = False,
        **annotations: Files,
    ) -> "Perturbed":
        """Perturb pictures and words of questions while the answer stays, and keep the variants in the graph.

        ``image`` and ``text`` name operations, several that make one variant joined by ``+`` ("pad+lead-in"), or a
        method of the papers ("mdk12", "vlb-v2"); without any, all that kept the answer nearly always when they were
        looked at. ``hops`` are those of the questions, ``seeds`` how often an operation that draws anything is done,
        ``sample`` how many samples are taken. Pictures are looked for in ``images`` too. ``annotations`` are files by
        the name of their format, as ``extract`` takes them: captions for contexts, objects for things to take out.

        A ``model`` paraphrases, writes contexts and edits pictures in place of rules ("add" and "expand" need one; the
        endpoint for pictures is that of [models.edits]). A ``judge``, none of the models that are evaluated, sees both
        pictures and both questions. A question that does not allow an operation is refused; a variant that fails a
        check, or that the judge refuses, is rejected; both are counted. The control, ``re-encode``, is made with any
        change of pictures. Raises InputError, DatasetError, ConfigError, ResourceError and BudgetReached.

        >>> work.perturb(image=["invert"], seeds=1).operations[0].operation
        're-encode'
        """
        from kbe_graph.workspace.perturbing import PerturbScope, perturb_questions

        scope = PerturbScope(run, benchmark, hops, seeds, sample, replace)
        files = {name: paths(each) for name, each in annotations.items()}
        models = [None if each is None else model_options(each) for each in (model, judge)]
        return perturb_questions(self._access, [*image, *text], scope, paths(images), files, *models)

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

        The questions are those of ``run`` (chosen as ``export`` does, ``incomplete`` too), of ``hops`` ("0-2"; default:
        all) and of ``benchmark`` (default: all). The raw ones need no graph: a set that was only loaded is asked whole.
        ``variants`` is how they are asked, ``runs`` how often (default: twice if the model's temperature is above 0,
        else once) and ``shard`` ("1/4") a part of the samples. The variants are "image" (as it is, the default),
        "blind" (no picture), "no-chain", "paraphrase", "options", "options-shuffled", "circular" (once with each
        rotation of the options) and the forms of ``make_forms`` ("choice", "several", "fill", "true-false").
        ``paraphrases`` are made by rule, or by the model of [models.paraphrase]. ``read`` is the rule that reads
        answers out of replies ("auto", "whole", "boxed", ...; ``kbe_graph.evaluate.reply_reading``); another rule
        reads the present answers again.
        ``judges`` are rules ("exact", "normalised", "alias", ...), "model" (that of [models.judge]), "paper" (the same,
        shown neither question nor picture), a model's name, or "paper:NAME"; several vote, none leaves the answers as
        they are. ``judge`` says where they are asked; the limits of ``model`` hold for both unless it has its own.
        ``strict`` refuses a generator, model or judge of one family with another. The same call again asks nothing
        twice. Raises InputError, ConfigError and BudgetReached.

        >>> llava = kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")
        >>> work.evaluate(llava, run="demo").answered  # doctest: +SKIP
        214
        """
        if model_options(model).starts_cluster:
            if paraphrases == "model":
                raise ConfigError("paraphrases of a model are asked by one machine; use runner 'direct' for them")
            given: dict[str, Any] = {"judges": judges, "judge": judge, "strict": strict, **scope}
            return self._on_cluster(self.evaluate, model, given)
        from kbe_graph.workspace.evaluation import AskingScope, evaluate_model

        plan = AskingScope(**scope, model_paraphrases=paraphrases == "model")
        return evaluate_model(self._access, model, plan, judges=judges, judge=model_options(judge), strict=strict)

    def runs(self, *, incomplete: bool = False) -> list[Run]:
        """List the complete runs by name; with ``incomplete`` those too that failed or were interrupted.

        >>> work.runs()
        [<Run 'demo', seed 0>]
        """
        records = self.store.runs()
        return [Run(self._access, record) for record in records if incomplete or record.state == "complete"]

    def run(self, name: str) -> Run:
        """Find the run of a name; raises InputError, which names those there are.

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
        """List the samples by id; ``status`` is loaded, extracted or dropped.

        >>> work.samples(status="extracted")[0].benchmark
        'demo'
        """
        samples = self.store.samples(benchmark=benchmark, split=split, status=status, limit=limit)
        return Values(samples, SAMPLE)

    def questions(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = "kept", sample: str | None = None
    ) -> Values[Question]:
        """List the questions of a run or of all, by id; those of the benchmark itself are of the run ``raw``.

        ``status`` is kept or dropped, None for both.

        >>> work.questions(run="raw", sample="demo/demo/107438-vehicle")[0].kind
        'raw'
        """
        samples = None if sample is None else [sample]
        return Values(self.store.questions(run=run, hop=hop, status=status, samples=samples), QUESTION)

    def forms(
        self, run: str | None = None, form: Form | None = None, *, incomplete: bool = False
    ) -> Values[QuestionForm]:
        """List the raw questions and those of a run in their other forms, or in one; ``make_forms`` makes them.

        The run is chosen as ``export`` does; ``form`` is choice, several, fill or true-false.

        >>> work.forms("demo").frame().columns[1]
        'form'
        """
        from kbe_graph.workspace.forms import stored_forms

        return Values(stored_forms(self.store, self._access.choose_run(run, incomplete=incomplete), form), FORM)

    def sample(
        self,
        id: str,  # noqa: A002 - the field's name
        *,
        run: str | None = None,
        status: str | None = None,
    ) -> "SampleStory":
        """Show a sample, by its id or the id of one of its questions, with its questions of a run or of all.

        ``status`` takes the kept, or the dropped questions alone. A notebook shows its picture, questions, answers and
        paths. Raises InputError for an unknown id.

        >>> work.sample("demo/demo/107438-vehicle").questions[0].kind
        'raw'
        """
        from kbe_graph.workspace.sample_lookup import sample_story

        return sample_story(self._access, id, run=run, status=status)

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Count samples, questions and candidates by stage, hop and reason, of a run or of all.

        >>> work.status()["samples"]["extracted"] == len(work.samples(status="extracted"))
        True
        """
        return count_stages(self._access, run)

    def report(
        self,
        file: Path | str,
        *,
        run: str | None = None,
        predictions: Iterable[Prediction] | None = None,
        pictures: bool = True,
        guess: bool = True,
        judge: str | None = None,
        incomplete: bool = False,
        json: Path | str | None = None,
        csv: Path | str | None = None,
        latex: Path | str | None = None,
        figures: Path | str | None = None,
    ) -> "ReportData":
        """Write a run and the answers of models as one HTML file, and return its figures.

        The run is chosen as ``export`` does, and ``predictions`` are those of the graph unless others are given. The
        page needs nothing but itself; ``pictures`` are put into it, and ``guess`` measures how often its questions are
        answered without them. ``judge`` is the name of the judge whose verdicts count; without it each judge has rows
        of its own, and figures of one judge alone are of the one that judged most answers. ``json`` is a
        file, the others are folders, for the same figures: as CSV, as LaTeX in the paper's layout (KBE, tables 1 to 7),
        as SVG and PNG. Raises InputError, and leaves each file unchanged that cannot be written.

        >>> data = work.report(folder / "report.html", guess=False)
        >>> data.run, len(data.tables)
        ('demo', 7)
        """
        figures_as = {"json": json, "csv": csv, "latex": latex, "figures": figures}
        places = {name: Path(place) for name, place in figures_as.items() if place}
        scope = ReportScope(run, predictions, incomplete, guess, pictures, judge)
        return report_run(self._access, Path(file), places, scope)

    def export(
        self,
        file: Path | str,
        *,
        run: str | None = None,
        everything: bool = False,
        format: str = "jsonl",  # noqa: A002 - the option's name
        incomplete: bool = False,
        hops: str | None = None,
        form: Form = "open",
        images_as: ImagesAs = "",
        benchmark: str | None = None,
        variants: bool = False,
        reviewed: "Reviewed" = "not-rejected",
    ) -> int:
        """Write the raw questions and those of a run to a file or a folder, and return their number.

        Without a name it is the only run, or the newest, with a warning; runs that failed or were interrupted are left
        out unless ``incomplete`` is set. ``everything`` takes the dropped questions too, with their reason; the formats
        of other programs take none. ``hops`` ("1-3") takes some of the run's alone, ``benchmark`` those of one. In
        another ``form`` than open, missing forms are made as ``make_forms`` does, and kept once all is written;
        questions that can have none are left out. ``variants`` adds those of ``perturb``, each under an id of its own.
        ``reviewed`` says which go of those that people looked at: all but the rejected (``not-rejected``) and the
        chains through them, those and the disputed out (``undisputed``), the ``approved`` alone, or ``all``; a revised
        one goes in its last version. ``images_as`` is how images go along, where the format takes any: copy, link,
        embed or none. Raises
        InputError, and leaves file and graph unchanged then.

        >>> work.export(folder / "all.jsonl", everything=True) > work.export(folder / "kept.jsonl")
        True
        """
        scope = ExportScope(run, everything, incomplete, hops, form, images_as, benchmark, variants, reviewed)
        return export_questions(self._access, Path(file), format, scope)

    def forget(
        self,
        *,
        run: str | None = None,
        benchmark: str | None = None,
        split: str | None = None,
        samples: Sequence[str] | None = None,
        evolved: bool = False,
    ) -> "Forgotten":
        """Remove a run, a benchmark (or a split of it), or samples by id, with all that rests on them.

        ``evolved`` allows the questions that runs have of the samples to go too. Replies of models stay. Raises
        InputError.

        >>> run = work.evolve(hops=0, run="tried")
        >>> work.forget(run="tried").runs
        ('tried',)
        """
        from kbe_graph.workspace.forgetting import forget_chosen

        return forget_chosen(self._access, run, benchmark, split, samples, evolved=evolved)

    def close(self) -> None:
        """Close the graph; the next use opens it again.

        >>> work.close()
        """
        self._access.graph.close()

    def _on_cluster(self, method: Callable[..., T], model: ModelOptions | str, arguments: Mapping[str, Any]) -> T:
        """Have the workers of a cluster run a method; raises as ``on_cluster``."""
        from kbe_graph.workspace.cluster import on_cluster

        outcome: T = on_cluster(self, method.__name__, model, arguments)
        return outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workspace {str(self.folder.path)!r}>"

    def _repr_html_(self) -> str:
        counts = self.store.status()["samples"]
        samples = ", ".join(f"{count} {status}" for status, count in counts.items() if isinstance(count, int))
        return (
            f"<b>workspace {escape(str(self.folder.path))}</b>, samples: {escape(samples) or 'none'}"
            f"{questions_html(self.store)}"
        )
