"""What a graph holds of samples: questions, triplets, candidates, forms, and the story of one sample."""

from difflib import get_close_matches

from kbe_graph.errors import InputError
from kbe_graph.files.image import ImageFolders
from kbe_graph.report.key_path import KeyPath
from kbe_graph.report.sample_story import SampleStory
from kbe_graph.store.nodes import StoredCandidate
from kbe_graph.store.samples import STATES
from kbe_graph.types import RAW, Form, Question, QuestionForm, Sample, sample_of_question
from kbe_graph.workspace.choosing import choose_run
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.values import CANDIDATE, FORM, QUESTION, SAMPLE, TRIPLET, SampleTriplet, Values

NEAR = 3  # ids that are named where one is mistyped


class SampleReader(GraphAccess):
    """The part of a workspace that reads samples and what was made of them."""

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
        return Values(stored_forms(self.store, name, form), FORM)

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
