"""A workspace: benchmarks are loaded, graphs extracted, questions evolved, looked at and given out."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from kbe_graph.errors import InputError, PartsAwaited
from kbe_graph.folder import create_folder, open_folder
from kbe_graph.store import Address, graph_address, open_store
from kbe_graph.types import Prediction, Progress
from kbe_graph.workspace.engine import KeptEngine
from kbe_graph.workspace.evaluator import Evaluator
from kbe_graph.workspace.model_options import MODEL, ModelOptions, model_options, open_model_session, paths
from kbe_graph.workspace.notebook import display_questions
from kbe_graph.workspace.open_graph import open_graph
from kbe_graph.workspace.progress import reporter_of
from kbe_graph.workspace.run import Run

if TYPE_CHECKING:
    from kbe_graph.evolve.mix import RuleOrModel
    from kbe_graph.evolve.plan import Scope
    from kbe_graph.facts.verdict import TakenVerdicts
    from kbe_graph.models.estimate import Estimate
    from kbe_graph.models.failed_calls import FailedCall
    from kbe_graph.models.replies import AppliedReplies
    from kbe_graph.models.shard import Shard
    from kbe_graph.models.summary import Summary
    from kbe_graph.pages.report_values import ReportData
    from kbe_graph.question_forms.form_maker import MadeForms
    from kbe_graph.steps.session import Runner
    from kbe_graph.store.backup_check import Backup
    from kbe_graph.store.bulk_import import BulkImport
    from kbe_graph.types import Form
    from kbe_graph.workspace.extracting import Extracted
    from kbe_graph.workspace.forgetting import Forgotten
    from kbe_graph.workspace.merging import Merged

Files = Path | str | Sequence[Path | str]


class Loaded(NamedTuple):
    """What a benchmark file gave: how many samples, in which format, and how many of them were not there before.

    Images that are not there, and those outside of the folders, which are never read, are named once.
    """

    samples: int
    format: str
    missing_images: tuple[str, ...] = ()
    outside_images: tuple[str, ...] = ()
    new: int = 0


class Workspace(Evaluator):
    """A folder with a graph, made or, where it is there, opened.

    The graph is on the Neo4j server of ``address``, of the environment (``NEO4J_URI``) or of ``kbe.toml``, else on the
    embedded engine. It is opened at the first need, and closed by ``close``, at the end of a ``with`` block, or with
    the program. ``create`` says whether a folder that is no workspace is made one, or refused with ConfigError.

    ``progress`` is told how far the work is, as ``progress(stage, done, total)``. Without it there is a bar on a
    terminal and in a notebook; False is silence.

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
        self.folder = create_folder(Path(folder)) if create else open_folder(Path(folder))
        self.address = address or graph_address(self.folder.config, os.environ)
        self._graph = open_graph(self.folder, self.address)
        self.reporter = reporter_of(progress)
        display_questions()

    def load(
        self,
        file: Path | str,
        *,
        name: str | None = None,
        split: str = "",
        format: str | None = None,  # noqa: A002 - the option's name
        columns: Mapping[str, str] | None = None,
        annotations: Path | str | None = None,
        images: Path | str | None = None,
    ) -> Loaded:
        """Load a benchmark file; loading it twice changes nothing.

        ``name`` (default: the file's stem) and ``split`` begin the id of each sample. The format is recognised where
        none is named. ``columns`` says which column of a table holds which field, ``annotations`` names the second file
        of an official pair, and ``images`` the folder of the pictures, which are also looked for beside the file
        and nowhere else. Raises DatasetError.

        >>> work.load(kbe.demo().samples, name="demo", split="demo").format
        'table'
        """
        from kbe_graph.datasets import read_benchmark

        file, own = Path(file), self.folder.saved_images
        with self.reporter.waiting(f"reading {file.name}"):
            benchmark = read_benchmark(
                file,
                benchmark=name or file.name.split(".")[0],
                split=split,
                format=format,
                columns=columns,
                annotations=None if annotations is None else Path(annotations),
                images=None if images is None else Path(images),
                save_images=own,
            )
        store = self.store
        before = store.count_samples()
        with self.reporter as reporter:
            store.save_samples(benchmark.samples, progress=reporter)
        self.folder.remember_images(*(Path(place) for place in (images, file.parent) if place is not None))
        return Loaded(len(benchmark.samples), *benchmark[1:], new=store.count_samples() - before)

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
        ``actions`` (V-COCO), and what plug-ins read. With ``model`` a model is asked about the pictures instead.

        ``benchmark`` takes the samples of one benchmark alone, ``sample`` so many that the ``seed`` draws (of these,
        ``evolve`` with the same seed draws first), and ``shard`` ("1/4") a part of them.
        ``replace`` says that graphs of other files may be replaced. ``workers`` processes read annotations at once,
        None for one a core; a script that wants several must start with ``if __name__ == "__main__":``. The graphs are
        the same whatever their number. ``runner`` "ray" has the workers of a cluster read them. Raises DatasetError,
        InputError and ResourceError.

        >>> work.extract(scene_graphs=kbe.demo().scene_graphs).kept == len(work.samples(status="extracted"))
        True
        """
        from kbe_graph.workspace.cluster import on_cluster
        from kbe_graph.workspace.extracting import extract_annotated, refuse_replacing, samples_of

        asked = ModelOptions(runner=runner) if model is None else model_options(model)
        if asked.starts_cluster:
            places = {name: [path.absolute() for path in paths(value)] for name, value in annotations.items()}
            chosen = {"benchmark": benchmark, "sample": sample, "seed": seed, "shard": shard, "replace": replace}
            own = {"model": None} if model is None else {}
            return cast("Extracted", on_cluster(self, "extract", asked, {**chosen, **own, **places}))
        samples = samples_of(self.store, benchmark, shard, number=sample, seed=seed)
        files = {name: paths(value) for name, value in annotations.items()}
        refuse_replacing(self.store, () if replace else samples, files if model is None else None)
        with self.reporter as reporter:
            if model is not None:
                from kbe_graph.workspace.asking import open_extraction

                with open_extraction(self, model, samples) as extraction:
                    return extraction.extract(reporter)
            return extract_annotated(self.store, samples, files, reporter, workers=workers)

    def forecast_extract(
        self,
        model: ModelOptions | str = MODEL,
        *,
        benchmark: str | None = None,
        sample: int | None = None,
        seed: int = 0,
        shard: str | None = None,
    ) -> "Estimate":
        """Return what it would cost to extract by asking a model; nothing is asked.

        >>> work.forecast_extract(kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")).dollars
        0.0
        """
        from kbe_graph.workspace.asking import open_extraction
        from kbe_graph.workspace.extracting import samples_of

        samples = samples_of(self.store, benchmark, shard, number=sample, seed=seed)
        with open_extraction(self, model, samples) as extraction:
            return extraction.forecast()

    def evolve(
        self,
        *,
        hops: int = 3,
        seed: int = 0,
        run: str | None = None,
        limit: int | None = None,
        sample: int | None = None,
        max_length: int = 10,
        timeout: float = 60,
        filters: str = "all",
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        model: ModelOptions | str | None = None,
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        shard: str | None = None,
        workers: int | None = 1,
    ) -> Run:
        """Re-select and explore, hop by hop; the same call again goes on where it stopped, and does nothing at the end.

        ``run`` names the run (default: made of seed, limit and sample), ``limit`` takes the first samples by id,
        ``sample`` so many that the seed draws. ``max_length`` is the longest path in edges that re-selection follows,
        and ``timeout`` the most seconds that its search may take. ``filters`` says which checks judge: "all", "paper"
        (the conditions of the paper alone), or names ("noun,cycle").

        Facts come from ``knowledge``: "pack" (the packaged facts), "wikidata", "model", or a plug-in's source;
        ``contact``, ``endpoint`` and ``offline`` say how one on the network is asked. ``wording`` is by "rule" or
        "model". Where ``model`` is given, both are the model's unless said otherwise; with ``verify`` it is asked for a
        second look at each question, whoever made it. ``workers`` processes explore over the packaged facts by rule,
        None for one a core; a script that wants several must start with ``if __name__ == "__main__":``. The questions
        are the same whatever their number.

        Where the graph is on a server, the same call on several machines shares the work. ``shard`` ("1/4") takes a
        part of the samples; what depends on all of them is done once all shards are in one graph, and ``Run.shards``
        names those that are not.

        Raises ConfigError where the run was made with other settings, and BudgetReached, after which the same call goes
        on.

        >>> run = work.evolve(hops=2, seed=0, run="demo")
        >>> run.questions(hop=2)[0].kind
        'explored'
        """
        given = {name: value for name, value in locals().items() if name not in {"self", "model", "workers"}}
        if model is not None and model_options(model).starts_cluster:
            from kbe_graph.workspace.cluster import on_cluster

            return cast("Run", on_cluster(self, "evolve", model, given))
        from kbe_graph.evolve.offline import offline_run
        from kbe_graph.evolve.sources import Access, choose_source

        scope = _scope(hops, seed, run, limit, max_length, timeout, filters=filters, sample=sample)
        facts, words = _parts(knowledge, wording, model)
        source = choose_source(facts, self.folder, Access(contact, endpoint, offline))
        awaits: tuple[Path, ...] = ()
        shards: tuple[str, ...] = ()
        self.store.require_questions()
        before = self.store.status_counts(scope.name)
        try:
            with self.reporter as reporter:
                if "model" in {facts, words} or _verifies(model):
                    from kbe_graph.workspace.asking import open_run

                    parts = {"knowledge": facts, "wording": words, "shard": _shard(shard)}
                    with open_run(self, model or MODEL, scope, **parts) as asked:
                        awaits = asked.evolve(source, reporter)
                else:
                    part = _shard(shard)
                    offline_run(
                        self.folder, self.store, scope, source=source, shard=part, workers=workers, progress=reporter
                    )
        except PartsAwaited as awaited:
            shards = awaited.shards
        record = next(record for record in self.store.runs() if record.name == scope.name)
        grown = self.store.status_counts(scope.name) != before
        return Run(self, record, awaits=awaits, shards=shards, grown=grown)

    def forecast_evolve(
        self,
        model: ModelOptions | str = MODEL,
        *,
        hops: int = 3,
        seed: int = 0,
        run: str | None = None,
        limit: int | None = None,
        sample: int | None = None,
        filters: str = "all",
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        shard: str | None = None,
    ) -> "Estimate":
        """Return what a run that asks a model would cost, or what is left of one; nothing is asked.

        >>> work.forecast_evolve(kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1"), run="dry").calls > 0
        True
        """
        from kbe_graph.workspace.asking import open_run

        facts, words = _parts(knowledge, wording, model)
        scope = _scope(hops, seed, run, limit, filters=filters, sample=sample)
        parts = {"knowledge": facts, "wording": words, "shard": _shard(shard)}
        with open_run(self, model, scope, **parts) as asked:
            return asked.forecast()

    def fetch(
        self,
        *,
        hops: int = 3,
        seed: int = 0,
        run: str | None = None,
        limit: int | None = None,
        sample: int | None = None,
        max_length: int = 10,
        timeout: float = 60,
        filters: str = "all",
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        pack: Path | str | None = None,
    ) -> Mapping[str, object]:
        """Re-select, ask Wikidata about all answers and keep what it says.

        ``evolve(offline=True)`` then goes on from there. ``pack`` is a folder that the facts are written into as well.
        Returns notes on what was found. Raises SourceError.
        """
        from kbe_graph.evolve.claim import forgetting_failed
        from kbe_graph.evolve.knowledge import with_verdicts
        from kbe_graph.evolve.offline import filter_settings, gather, offline_plan
        from kbe_graph.evolve.sources import Access, choose_source
        from kbe_graph.facts.writing import write_pack

        scope = _scope(hops, seed, run, limit, max_length, timeout, filters=filters, sample=sample)
        source = choose_source("wikidata", self.folder, Access(contact, endpoint, offline))
        plan = with_verdicts(offline_plan(scope, filter_settings(self.folder), source), self.folder)
        with self.reporter as reporter, forgetting_failed(self.store, scope.name):
            knowledge = gather(self.folder, self.store, plan, source, progress=reporter)
        if pack is not None:
            write_pack(Path(pack), knowledge.told)
        return knowledge.notes

    def make_forms(
        self,
        form: "Form",
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
        from kbe_graph.workspace.forming import make_run_forms

        return make_run_forms(self, form, run, model=model, replace=replace, incomplete=incomplete)

    def forget(
        self,
        *,
        run: str | None = None,
        benchmark: str | None = None,
        split: str | None = None,
        samples: Sequence[str] | None = None,
        evolved: bool = False,
    ) -> "Forgotten":
        """Take a run, a benchmark (or a split of it), or samples by id out, with all that rests on them.

        ``evolved`` says that the questions that runs have of the samples may go too. Replies of models stay. Raises
        InputError.

        >>> run = work.evolve(hops=0, run="tried")
        >>> work.forget(run="tried").runs
        ('tried',)
        """
        from kbe_graph.workspace import forgetting

        if (run is None) == (benchmark is None and samples is None):
            raise InputError("name a run, or a benchmark or samples; one of them")
        with self.reporter as reporter:
            if run is not None:
                return forgetting.forget_run(self.folder, self.store, run, reporter)
            chosen = forgetting.chosen_samples(self.store, benchmark, split, samples)
            return forgetting.forget_samples(self.folder, self.store, chosen, reporter, evolved=evolved)

    def review(self, sheet: Path | str, *, pack: Path | str | None = None) -> "TakenVerdicts":
        """Keep the verdicts of a sheet that was gone through; runs from then on go by them. Raises DatasetError.

        The facts are the packaged ones, and those of the folder ``pack``. A sheet without a verdict changes nothing.

        >>> kbe.review_sheet(folder / "sheet.tsv") > 0
        True
        >>> work.review(folder / "sheet.tsv").taken
        0
        """
        from kbe_graph.facts.verdict import take_verdicts
        from kbe_graph.workspace.packs import open_pack

        places = dict.fromkeys((None, pack))
        keys = {(fact.subject_id, fact.relation, fact.object_id) for place in places for fact in open_pack(place).facts}
        return take_verdicts(Path(sheet), self.folder.review, facts=keys)

    def costs(self) -> "Summary":
        """Return calls, hits, failures, tokens and dollars by step and model, and the dollars a kept question.

        >>> work.costs().dollars
        0
        """
        from kbe_graph.models import summary
        from kbe_graph.steps.session import open_call_store

        calls = open_call_store(self.folder)
        try:
            costs = summary(calls)
            if not costs.lines:
                return costs
            kept = sum(self.store.status_counts(run.name).get("kept", 0) for run in self.store.runs())
            return summary(calls, questions=kept)
        finally:
            calls.close()

    def report(
        self,
        file: Path | str,
        *,
        run: str | None = None,
        predictions: Iterable[Prediction] | None = None,
        pictures: bool = True,
        guess: bool = True,
        incomplete: bool = False,
        json: Path | str | None = None,
        csv: Path | str | None = None,
        latex: Path | str | None = None,
        figures: Path | str | None = None,
    ) -> "ReportData":
        """Write what came of a run, and what models answered, as one HTML file, and return its figures.

        The run is chosen as ``export`` does, and ``predictions`` are those of the graph unless others are given. The
        page needs nothing but itself; ``pictures`` are put into it, and
        ``guess`` reckons how often its questions are answered without them. ``json`` is a file, the others are folders,
        for the same figures: as CSV, as LaTeX in the paper's layout (KBE, tables 1 to 7), as SVG and PNG. Raises
        InputError, and leaves each file as it was that cannot be written.

        >>> data = work.report(folder / "report.html", guess=False)
        >>> data.run, len(data.tables)
        ('demo', 7)
        """
        from kbe_graph.pages.report_data import report_data
        from kbe_graph.workspace.reporting import ReportFiles, read_source, write_report

        source = read_source(self, run, predictions, incomplete=incomplete, guess=guess)
        others = [place if place is None else Path(place) for place in (json, csv, latex, figures)]
        with self.reporter.waiting("writing the report"):
            data = report_data(source)
            write_report(data, ReportFiles(Path(file), *others), pictures=pictures)
        return data

    def failed_calls(self, limit: int = 50) -> "list[FailedCall]":
        """Return what the endpoint said to the last calls that failed, the newest first.

        >>> work.failed_calls()
        []
        """
        from kbe_graph.models.failed_calls import failed_calls
        from kbe_graph.steps.session import open_call_store

        calls = open_call_store(self.folder)
        try:
            return failed_calls(calls, limit=limit)
        finally:
            calls.close()

    def take(self, file: Path | str, model: ModelOptions | str = MODEL) -> "AppliedReplies":
        """Take the replies of a batch file, as the provider gave it; the call that waits for them then goes on."""
        from kbe_graph.models.replies import apply_replies

        with open_model_session(model, self.folder) as session:
            return apply_replies(Path(file), session.book, session.calls)

    def backup(self, file: Path | str) -> "Backup":
        """Write the whole graph to a file that any engine can restore.

        >>> work.backup(folder / "graph.gz").nodes > 0
        True
        """
        store = self.store
        with self.reporter as reporter:
            return store.backup(Path(file), progress=reporter)

    def restore(self, file: Path | str, *, replace: bool = False) -> "Backup":
        """Read the graph back from a file: into an empty graph, unless ``replace`` is set. Raises InputError.

        One that was interrupted is done again with ``replace``.

        >>> work.restore(folder / "graph.gz", replace=True).edges > 0
        True
        """
        with self.reporter as reporter:
            return self._graph.restore(Path(file), replace=replace, progress=reporter)

    def copy_to(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the whole graph to a server, into an empty database unless ``replace`` is set. Raises InputError.

        >>> work.copy_to(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        from kbe_graph.workspace.copying import copy_graph, require_other_graph

        require_other_graph(self.address, address)
        source = self.store
        with self.reporter as reporter, open_store(self.folder.hidden, address, restoring=True) as target:
            restore = partial(target.restore, replace=replace, progress=reporter)
            return copy_graph(source, restore, self.folder, reporter)

    def copy_from(self, address: Address, *, replace: bool = False) -> "Backup":
        """Copy the whole graph of a server here, into an empty graph unless ``replace`` is set. Raises InputError.

        >>> work.copy_from(kbe.Address("neo4j://localhost:7687", "neo4j", "a password"))  # doctest: +SKIP
        Backup(nodes=2718, edges=6312)
        """
        from kbe_graph.workspace.copying import copy_graph, require_other_graph

        require_other_graph(self.address, address)
        with self.reporter as reporter, open_store(self.folder.hidden, address) as source:
            restore = partial(self._graph.restore, replace=replace, progress=reporter)
            return copy_graph(source, restore, self.folder, reporter)

    def merge(self, *others: Path | str) -> "Merged":
        """Take other workspaces in, such as those of other machines, each with a shard of one benchmark.

        What is there stays; a run that waits for shards then goes on. Raises InputError where a workspace holds the
        same sample, question or answer otherwise, or a run with other settings; nothing is written then. A merge that
        was cut off is done again.

        >>> other = kbe.Workspace(folder / "other", progress=False)
        >>> work.merge(other.folder.path)
        Merged(samples=0, questions=0, answers=0, calls=0)
        """
        from kbe_graph.workspace.copying import require_other_graph
        from kbe_graph.workspace.merging import merge_workspaces

        with ExitStack() as stack:
            works = []
            for place in others:
                other = Workspace(place, create=False, progress=False)
                if other.folder.path.absolute() == self.folder.path.absolute():
                    raise InputError(f"{str(place)!r} is this workspace; name another one")
                if other.address:
                    require_other_graph(self.address, other.address)
                works.append(stack.enter_context(other))
            with self.reporter as reporter:
                return merge_workspaces(self, works, reporter)

    def bulk_import(self, folder: Path | str) -> "BulkImport":
        """Write the whole graph as CSV files that ``neo4j-admin database import`` reads.

        The command stands in the README beside them, and is returned. An empty list is left out, as the tool reads
        none; it means the same. Raises InputError.

        >>> print(work.bulk_import(folder / "import").command)
        neo4j-admin database import full neo4j ...
        """
        store = self.store
        with self.reporter as reporter:
            return store.bulk_import(Path(folder), progress=reporter)

    @property
    def engine(self) -> KeptEngine:
        """The embedded engine, to be kept up for other tools such as cypher-shell."""
        return KeptEngine(self.folder, self.address)

    def close(self) -> None:
        """Close the graph; the next use opens it again.

        >>> work.close()
        """
        self._graph.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workspace {str(self.folder.path)!r}>"


def _parts(
    knowledge: str | None, wording: "RuleOrModel | None", model: ModelOptions | str | None
) -> "tuple[str, RuleOrModel]":
    """Return where facts come from and who words them: if a model is given, the model unless something else is said."""
    asks = model is not None
    facts, words = knowledge or ("model" if asks else "pack"), wording or ("model" if asks else "rule")
    on_cluster = model is not None and model_options(model).runner == "ray"
    if asks and "model" not in {facts, words} and not _verifies(model) and not on_cluster:
        raise InputError(
            f"nothing is asked of the model: facts come from {facts!r} and rules word them; leave one of the three out"
            ", or let it verify"
        )
    return facts, words


def _verifies(model: ModelOptions | str | None) -> bool:
    return model is not None and model_options(model).verify


def _shard(text: str | None) -> "Shard | None":
    from kbe_graph.models.shard import read_shard

    return read_shard(text) if text else None


def _scope(
    hops: int,
    seed: int,
    run: str | None,
    limit: int | None,
    max_length: int = 10,
    timeout: float = 60,
    *,
    filters: str,
    sample: int | None,
) -> "Scope":
    from kbe_graph.evolve.plan import Scope, run_name

    if limit is not None and sample is not None:
        raise InputError(f"limit {limit} and sample {sample} both say how many samples; give one of them")
    return Scope(run_name(run, seed, limit, sample), seed, hops, limit, max_length, timeout, filters, sample)
