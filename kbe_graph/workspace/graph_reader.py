"""What can be looked at in a workspace: samples, questions, triplets, candidates, runs, and queries."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.errors import InputError
from kbe_graph.export.formats import export_of
from kbe_graph.export.picture import ImagesAs
from kbe_graph.export.selection import select
from kbe_graph.files.image import ImageFolders
from kbe_graph.report.key_path import KeyPath
from kbe_graph.report.sample_story import SampleStory
from kbe_graph.store import Table
from kbe_graph.store.faults import StatementTimeout
from kbe_graph.store.samples import STATES
from kbe_graph.store.stored_candidates import StoredCandidate
from kbe_graph.types import RAW, Form, Question, QuestionForm, Sample, sample_of_question
from kbe_graph.workspace.answer_reader import AnswerReader
from kbe_graph.workspace.choosing import choose_run
from kbe_graph.workspace.guessing import run_riddles, train_riddles
from kbe_graph.workspace.networks import network, subgraph, write_graphml
from kbe_graph.workspace.run import Run
from kbe_graph.workspace.turtle import write_turtle
from kbe_graph.workspace.values import CANDIDATE, FORM, QUESTION, SAMPLE, TRIPLET, SampleTriplet, Values

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from kbe_graph.guess.figures import Guesses
    from kbe_graph.guess.riddle import Riddle
    from kbe_graph.models.estimate import Estimate
    from kbe_graph.statistics.benchmark_comparison import RelationComparison
    from kbe_graph.workspace.asking import Replies
    from kbe_graph.workspace.model_options import ModelOptions

NEAR = 3  # ids that are named where one is mistyped


class GraphReader(AnswerReader):
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

    def samples(
        self,
        *,
        benchmark: str | None = None,
        split: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> Values[Sample]:
        """Return the samples by id; ``status`` is loaded, extracted or dropped.

        >>> work.samples(status="extracted")[0].benchmark
        'demo'
        """
        samples = self.store.samples(benchmark=benchmark, split=split, status=status, limit=limit)
        return Values(samples, SAMPLE)

    def questions(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = "kept", sample: str | None = None
    ) -> Values[Question]:
        """Return the questions of a run or of all, by id; those of the benchmark itself are of the run ``raw``.

        ``status`` is kept or dropped, None for both.

        >>> work.questions(run="raw", sample="demo/demo/107438-vehicle")[0].kind
        'raw'
        """
        samples = None if sample is None else [sample]
        return Values(self.store.questions(run=run, hop=hop, status=status, samples=samples), QUESTION)

    def triplets(self, sample: str | None = None, *, run: str | None = None) -> Values[SampleTriplet]:
        """Return the triplets of a sample or of all: those of their own graphs, and with a run those that it explored.

        >>> {place.triplet.graph for place in work.triplets("demo/demo/107438-vehicle")} >= {"visual"}
        True
        """
        self.store.require_run(run)
        ids = self.store.sample_ids(status="extracted") if sample is None else [sample]
        own = [
            SampleTriplet(id_, triplet, triplet in graph.key)
            for id_, graph in self.store.graphs(ids).items()
            for triplet in (*graph.visual, *graph.textual)
        ]
        questions = [] if run is None else self.store.questions(run=run, samples=ids)
        explored = [
            SampleTriplet(question.sample, question.key[-1], key=True, run=question.run, hop=question.hop)
            for question in questions
            if question.kind == "explored"
        ]
        return Values([*own, *explored], TRIPLET)

    def candidates(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = None
    ) -> Values[StoredCandidate]:
        """Return what was considered for questions; ``status`` is kept, not drawn or dropped (then with a reason).

        >>> work.candidates(run="demo", hop=1, status="kept")[0].relation != ""
        True
        """
        return Values(self.store.candidates(run=run, hop=hop, status=status), CANDIDATE)

    def forms(
        self, run: str | None = None, form: Form | None = None, *, incomplete: bool = False
    ) -> Values[QuestionForm]:
        """Return the raw questions and those of a run in other forms, or in one; ``make_forms`` makes them.

        The run is chosen as ``export`` does; ``form`` is choice, several, fill or true-false.

        >>> work.forms("demo").frame().columns[1]
        'form'
        """
        from kbe_graph.workspace.forming import stored_forms

        name = choose_run(self.folder, self.store, run, incomplete=incomplete)
        return Values(stored_forms(self, name, form), FORM)

    def sample(
        self,
        id: str,  # noqa: A002 - the field's name
        *,
        run: str | None = None,
        status: str | None = None,
    ) -> SampleStory:
        """Return a sample by its id, or by the id of one of its questions, with its questions of a run or of all.

        ``status`` takes those that are kept, or dropped, alone.

        A notebook shows its picture, questions, answers and paths. Raises InputError where there is no such sample.

        >>> work.sample("demo/demo/107438-vehicle").questions[0].kind
        'raw'
        """
        name = sample_of_question(id)
        self.store.require_run(run)
        sample = self._require_sample(name)
        questions = self.store.questions(samples=[name], status=status)
        chain = sorted(
            (question for question in questions if question.run in {RAW, run or question.run}),
            key=lambda question: (question.run != RAW, question.run, question.hop),
        )
        picture = ImageFolders(self.folder.image_folders).find(sample.image, sample.image_id)
        state = None if status else self.store.sample_status([name])[name]
        inspections = tuple(self.store.inspections(sample=name))
        return SampleStory(sample, tuple(chain), picture, state, inspections)

    def _require_sample(self, name: str) -> Sample:
        """Return the sample of this id; raises InputError, which names those that may have been meant."""
        for sample in self.store.samples(ids=[name]):
            return sample
        raise InputError(f"no sample {name!r}; {self._near(name)}")

    def path(self, question: str) -> KeyPath:
        """Return the key path of a question by its id, kept or dropped, to be printed or drawn in a notebook.

        Raises InputError where there is no such question.

        >>> print(work.path("demo/demo/107438-vehicle@raw/0"))
        IMAGE -[...
        """
        for each in self.questions(sample=sample_of_question(question), status=None):
            if each.id == question:
                return KeyPath(each.key, each.hop)
        raise InputError(f"no question {question!r}; 'kbe show' and work.sample() list those of a sample")

    def _near(self, name: str) -> str:
        """Return which samples may have been meant, or what else there is."""
        ids = sorted(id_ for status in STATES for id_ in self.store.sample_ids(status=status))
        if not ids:
            return "there are none yet, load a benchmark with kbe load"
        near = [id_ for id_ in ids if id_.startswith(name)][:NEAR] or get_close_matches(name, ids, NEAR)
        if near:
            return f"did you mean {' or '.join(map(repr, near))}?"
        return f"there are {len(ids)}, such as {ids[0]!r}"

    def graph(self, sample: str, *, run: str | None = None) -> "nx.MultiDiGraph":
        """Return a sample's triplets as a networkx graph, with a run also those that it explored.

        A node is an entity; an edge a triplet with its ``relation``, ``graph`` (visual or textual), source, and
        ``hop``.

        >>> "image" in work.graph("demo/demo/107438-vehicle")
        True
        """
        return network(self.triplets(sample, run=run))

    def subgraph(self, sample: str, *, run: str | None = None) -> Any:
        """Return a sample's triplets as a ``py2neo.Subgraph``, to look at and not to write (``kbe-graph[py2neo]``).

        Raises ResourceError where py2neo is not installed.

        >>> len(work.subgraph("demo/demo/107438-vehicle").nodes) > 0  # doctest: +SKIP
        True
        """
        return subgraph(self._known_triplets(sample, run))

    def graphml(self, file: Path | str, *, sample: str | None = None, run: str | None = None) -> int:
        """Write the triplets of a sample, or of all, as GraphML, with a run also those that it explored.

        Returns how many triplets these are. Raises InputError.

        >>> work.graphml(folder / "demo.graphml", sample="demo/demo/107438-vehicle") > 0
        True
        """
        triplets = self._known_triplets(sample, run)
        write_graphml(Path(file), triplets)
        return len(triplets)

    def turtle(self, file: Path | str, *, sample: str | None = None, run: str | None = None) -> int:
        """Write the triplets of a sample, or of all, as RDF in Turtle, each with its source, as ``graphml`` does.

        Returns how many triplets these are. Raises InputError.

        >>> work.turtle(folder / "demo.ttl", run="demo") > work.turtle(folder / "demo.ttl")
        True
        """
        triplets = self._known_triplets(sample, run)
        write_turtle(Path(file), triplets)
        return len(triplets)

    def _known_triplets(self, sample: str | None, run: str | None) -> Values[SampleTriplet]:
        if sample is not None:
            self._require_sample(sample)
        return self.triplets(sample, run=run)

    def cypher(
        self,
        text: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float = 60,
        **more: Any,
    ) -> "pd.DataFrame":
        """Return what a Cypher query of your own finds: a query that would write is refused (InputError).

        Parameters are given by name, or in ``parameters``; ``limit`` cuts the rows; ``timeout`` is in seconds.

        >>> work.cypher("MATCH (q:Question {hop: $hop}) RETURN count(q) AS questions", hop=1)["questions"][0] > 0
        np.True_
        """
        values = {**(parameters or {}), **more}
        return _frame(self._answer(lambda: self.store.query_text(text, values, limit=limit, timeout=timeout)))

    def query(
        self, name: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, **more: Any
    ) -> "pd.DataFrame":
        """Return what a named statement finds; ``kbe query`` lists them. Raises InputError for an unknown one.

        >>> list(work.query("samples_by_status").columns)
        ['benchmark', 'split', 'status', 'samples']
        """
        return _frame(self._answer(lambda: self.store.query(name, {**(parameters or {}), **more}, limit=limit)))

    def _answer(self, ask: Callable[[], Table]) -> Table:
        """Return what a query finds; where it had to be ended, with its engine, the next use opens the graph anew."""
        try:
            return ask()
        except (StatementTimeout, KeyboardInterrupt):
            self._graph.close()
            raise

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

        ``what`` is another statistic: "table2" or "difficulty" of the questions; of the triplets "relations", "laws",
        "growth", "hops", "pairs", "chains", "objects", "types" or "families". ``kbe stats --help`` tells what each is.
        Raises InputError for an unknown one.

        >>> work.statistics("demo")["hop"].max() >= 2
        np.True_
        >>> work.statistics("demo", what="relations")["relation"][0] != ""
        True
        """
        from kbe_graph.statistics.edge_frame import edge_frame
        from kbe_graph.statistics.hop_table import balanced_set
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
        alone; the same call again asks nothing twice. Raises InputError, DatasetError and BudgetReached.

        >>> [row.row for row in work.guess("demo").rows][-1]
        'hop 2'
        """
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
            if guesses := self.folder.read_manifest(name).get("guesses"):
                of_run["guesses"] = guesses
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
        from kbe_graph.evaluate.asking_plan import read_hops
        from kbe_graph.workspace.forming import find_forms

        export = export_of(format)
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


def _frame(table: Table) -> "pd.DataFrame":
    """Return a table as a frame, its columns of the types that fit, and missing cells as ``NA``."""
    import pandas as pd

    return pd.DataFrame(list(table.rows), columns=list(table.columns)).convert_dtypes()
