"""A workspace: benchmarks are loaded, graphs extracted, questions evolved, looked at and given out."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra
from kbe_graph.folder import create_folder, open_folder
from kbe_graph.store import Address, graph_address
from kbe_graph.types import Prediction, Progress
from kbe_graph.workspace.evolver import Evolver
from kbe_graph.workspace.graph_keeper import GraphKeeper
from kbe_graph.workspace.model_options import MODEL, ModelOptions, open_model_session
from kbe_graph.workspace.notebook import display_questions
from kbe_graph.workspace.open_graph import open_graph
from kbe_graph.workspace.progress import reporter_of

if TYPE_CHECKING:
    from kbe_graph.facts.review import TakenVerdicts
    from kbe_graph.models.batch_files import AppliedReplies
    from kbe_graph.models.call_summary import FailedCall, Summary
    from kbe_graph.pages.report_values import ReportData
    from kbe_graph.workspace.forgetting import Forgotten


class Loaded(NamedTuple):
    """What a benchmark file gave: how many samples, in which format, and how many of them were not there before.

    Images that are not there, and those outside of the folders, which are never read, are named once.
    """

    samples: int
    format: str
    missing_images: tuple[str, ...] = ()
    outside_images: tuple[str, ...] = ()
    new: int = 0


class Workspace(Evolver, GraphKeeper):
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
        from kbe_graph.facts.review import take_verdicts
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

        with closing(open_call_store(self.folder)) as calls:
            costs = summary(calls)
            if not costs.lines:
                return costs
            kept = sum(self.store.status_counts(run.name).get("kept", 0) for run in self.store.runs())
            return summary(calls, questions=kept)

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
        InputError and ResourceError, and leaves each file as it was that cannot be written.

        >>> data = work.report(folder / "report.html", guess=False)
        >>> data.run, len(data.tables)
        ('demo', 7)
        """
        from kbe_graph.pages.report_data import report_data
        from kbe_graph.workspace.reporting import read_source, write_report

        if figures:
            require_extra("figures")
        source = read_source(self, run, predictions, incomplete=incomplete, guess=guess)
        wanted = {"json": json, "csv": csv, "latex": latex, "figures": figures}
        with self.reporter.waiting("writing the report"):
            data = report_data(source)
            places = {name: Path(place) for name, place in wanted.items() if place}
            write_report(data, Path(file), places, pictures=pictures)
        return data

    def failed_calls(self, limit: int = 50) -> "list[FailedCall]":
        """Return what the endpoint said to the last calls that failed, the newest first.

        >>> work.failed_calls()
        []
        """
        from kbe_graph.models.call_summary import failed_calls
        from kbe_graph.steps.session import open_call_store

        with closing(open_call_store(self.folder)) as calls:
            return failed_calls(calls, limit=limit)

    def take(self, file: Path | str, model: ModelOptions | str = MODEL) -> "AppliedReplies":
        """Take the replies of a batch file, as the provider gave it; the call that waits for them then goes on."""
        from kbe_graph.models.batch_files import apply_replies

        with open_model_session(model, self.folder) as session:
            return apply_replies(Path(file), session.book, session.calls)

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
