"""What can be looked at in a workspace: its runs, their figures and exports, and all that other readers give."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.errors import InputError
from kbe_graph.export.formats import EXPORTS
from kbe_graph.export.selection import ImagesAs, select
from kbe_graph.extras import require_extra
from kbe_graph.files.image import ImageFolders
from kbe_graph.types import Form
from kbe_graph.workspace.answer_reader import AnswerReader
from kbe_graph.workspace.choosing import choose_run
from kbe_graph.workspace.guessing import run_riddles, train_riddles
from kbe_graph.workspace.network_reader import NetworkReader
from kbe_graph.workspace.query_reader import QueryReader
from kbe_graph.workspace.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.guess.figures import Guesses
    from kbe_graph.guess.riddle import Riddle
    from kbe_graph.models.cost import Estimate
    from kbe_graph.statistics.benchmark_comparison import RelationComparison
    from kbe_graph.workspace.asking import Replies
    from kbe_graph.workspace.model_options import ModelOptions


class GraphReader(NetworkReader, QueryReader, AnswerReader):
    """The part of a workspace that looks and changes nothing, but that an export keeps the forms that it makes."""

    def runs(self, *, incomplete: bool = False) -> list[Run]:
        """Return the runs that came to their end, by name; with ``incomplete`` those too that failed or were cut off.

        >>> work.runs()
        [<Run 'demo', seed 0>]
        """
        return [Run(self, record) for record in self.store.runs() if incomplete or record.state == "complete"]

    def run(self, name: str) -> Run:
        """Return the run of this name; raises InputError, which names those there are.

        >>> work.run("demo")
        <Run 'demo', seed 0>
        """
        self.store.require_run(name)
        return next(run for run in self.runs(incomplete=True) if run.name == name)

    def statistics(
        self,
        run: str | None = None,
        *,
        what: str = "questions",
        incomplete: bool = False,
        balanced: bool = False,
    ) -> "pd.DataFrame":
        """Return lengths, key edges and relations of the questions by benchmark and hop (KBE, Table 2).

        These are the raw ones and those of a run, chosen as ``export`` does. ``balanced`` takes the samples alone that
        have a question at every hop of the run, so that all rows are of the same samples.

        ``what`` is another statistic: "table2", "difficulty" or "variety" of the questions; of the triplets
        "relations", "laws", "growth", "hops", "pairs", "chains", "objects", "types" or "families".
        ``kbe stats --help`` tells what each is.
        Raises InputError for an unknown one.

        >>> work.statistics("demo")["hop"].max() >= 2
        np.True_
        >>> work.statistics("demo", what="relations")["relation"][0] != ""
        True
        """
        from kbe_graph.statistics.edge_frame import edge_frame
        from kbe_graph.statistics.question_statistics import balanced_set
        from kbe_graph.statistics.statistic_tables import OF_QUESTIONS, OF_TRIPLETS, check_statistic

        check_statistic(what)
        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        if what in OF_QUESTIONS:
            questions = select(self.store, run=name).questions
            return OF_QUESTIONS[what](balanced_set(questions) if balanced else questions)
        with self.reporter.waiting("reading the triplets"):
            edges = edge_frame(self.store, name)
        return OF_TRIPLETS[what](edges)

    def compare(self, first: str, second: str, *, seed: int = 0) -> "RelationComparison":
        """Return how the relations of two benchmarks, splits (``okvqa/val``) or runs differ, with tests.

        The ``seed`` is that of the test of the divergence. Raises InputError for a name that is not there.

        >>> work.compare("demo/demo", "demo/demo").figures["first"][4]
        0.0
        """
        from kbe_graph.statistics.benchmark_comparison import compare
        from kbe_graph.statistics.edge_frame import part_frame

        with self.reporter.waiting("reading the triplets"):
            parts = part_frame(self.store, first), part_frame(self.store, second)
        return compare(*parts, seed=seed)

    def guess(
        self,
        run: str | None = None,
        *,
        train: Path | str | None = None,
        model: "ModelOptions | str | None" = None,
        incomplete: bool = False,
    ) -> "Guesses":
        """Return how often the questions are answered without their pictures: the raw ones, and a run's hop by hop.

        The run is chosen as ``export`` does. What guesses by the words learns from the other questions of the same
        row, or from those of ``train``, which is another run or an exported file. A ``model`` is asked the questions
        alone; the same call again asks nothing twice. Raises InputError, DatasetError, BudgetReached and ResourceError.

        >>> [row.row for row in work.guess("demo").rows][-1]
        'hop 2'
        """
        require_extra("guess")
        from kbe_graph.guess.figures import guess
        from kbe_graph.guess.option_guessers import guess_options

        riddles = self._run_riddles(run, incomplete=incomplete)
        learnt = None if train is None else train_riddles(self.store, train)
        replies = None if model is None else self._replies(model, riddles)
        with self.reporter.waiting("guessing"):
            guesses = guess(riddles, learnt, replies=replies.answers if replies else {})
        options = guess_options(self.forms(run, incomplete=incomplete))
        return replace(guesses, options=options, awaits=replies.awaits if replies else ())

    def forecast_guess(
        self, model: "ModelOptions | str", run: str | None = None, *, incomplete: bool = False
    ) -> "Estimate":
        """Return what it would cost to let a model guess; nothing is asked.

        >>> work.forecast_guess(kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1"), "demo").calls > 0
        True
        """
        from kbe_graph.workspace.asking import open_guesses

        with open_guesses(self, model, self._run_riddles(run, incomplete=incomplete)) as asked:
            return asked.forecast()

    def _run_riddles(self, run: str | None, *, incomplete: bool) -> "list[Riddle]":
        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        with self.reporter.waiting("reading the questions"):
            return run_riddles(self.store, name)

    def _replies(self, model: "ModelOptions | str", riddles: "list[Riddle]") -> "Replies":
        from kbe_graph.workspace.asking import open_guesses

        with self.reporter as reporter, open_guesses(self, model, riddles) as asked:
            return asked.ask(reporter)

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Return the counts of samples, questions and candidates by stage, hop and reason, of a run or of all.

        >>> work.status()["samples"]["extracted"] == len(work.samples(status="extracted"))
        True
        """
        from kbe_graph.report.status import read_status

        self.store.require_run(run)
        counts = read_status(self.store, run)
        for name, of_run in counts["runs"].items():
            manifest = self.folder.read_manifest(name)
            of_run |= {part: manifest[part] for part in ("guesses", "variety") if manifest.get(part)}
        return counts

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
    ) -> int:
        """Write the raw questions and those of a run to a file or a folder, and return how many.

        Without a name it is the only run, or the newest, which a warning tells; runs that failed or were cut off are
        left out unless ``incomplete`` is set. ``everything`` takes the dropped questions too, with their reason; the
        formats of other programs take none. ``hops`` ("1-3") takes some of the run's alone. Where another ``form`` than
        open is wanted, it is made of those that have it not yet, as ``make_forms`` does, and kept once all is written;
        questions that can have none are left out. ``images_as`` is how images go along, where the format takes any:
        copy, link, embed or none. Raises InputError, and leaves what was there as it was, in the graph too.

        >>> work.export(folder / "all.jsonl", everything=True) > work.export(folder / "kept.jsonl")
        True
        """
        from kbe_graph.evaluate.prompting import read_hops
        from kbe_graph.workspace.forming import find_forms

        export = EXPORTS.require(format)
        if everything and export.is_folder:
            raise InputError(f"{format} takes kept questions alone; the format jsonl has the dropped ones too")
        export.require_form(form)
        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        with self.reporter.waiting("reading the questions"):
            wanted = read_hops(hops) if hops else None
            selection = select(self.store, run=name, everything=everything, hops=wanted)
        present, made = find_forms(self, form, name) if form != "open" else ({}, {})
        folders = ImageFolders(self.folder.image_folders)
        with self.reporter as reporter:
            selection = replace(
                selection, form=form, forms=made, folders=folders, images_as=images_as, progress=reporter
            )
            count = export.write(Path(file), selection)
        self.store.save_forms([made[id_] for id_ in made.keys() - present.keys()])
        return count
