"""The questions of a workspace that are written to a file, with what an export says of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbe_graph.export.picture import ImagesAs
from kbe_graph.files.image import ImageFolders
from kbe_graph.guess.groups import TopShare, top_shares
from kbe_graph.store import Store
from kbe_graph.types import RAW, Form, Progress, Question, QuestionForm, Sample

OFTEN = 1_000  # questions between two words of progress


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions in the order of an export, their samples by id, and by run which models of it are of one family.

    ``top_shares`` tells of each explored question that was kept how much of what it is asked with has one answer;
    ``form`` is the form that the questions are wanted in, and ``forms`` has them in it, by question id, where it is
    another than open. ``folders`` are the only places that images are taken from, ``images_as`` how they go along
    (nothing: as suits the format). ``progress`` is told how far it was gone through.
    """

    questions: Sequence[Question]
    samples: Mapping[str, Sample]
    families: Mapping[str, str] = field(default_factory=dict)
    top_shares: Mapping[str, TopShare] = field(default_factory=dict)
    form: Form = "open"
    forms: Mapping[str, QuestionForm] = field(default_factory=dict)
    folders: ImageFolders = field(default_factory=lambda: ImageFolders(()))
    images_as: ImagesAs = ""
    progress: Progress = lambda *_: None

    def __iter__(self) -> Iterator[tuple[Sample, Question]]:
        """Give each question with its sample."""
        for number, question in enumerate(self.questions):
            if not number % OFTEN:
                self.progress("export", number, len(self.questions))
            yield self.samples[question.sample], question
        self.progress("export", len(self.questions), len(self.questions))


def select(
    store: Store, *, run: str | None = None, everything: bool = False, hops: Collection[int] | None = None
) -> Selection:
    """Return the raw questions, then those of a run, of all ``hops`` or some.

    ``everything`` takes the dropped ones too. Raises StoreError.
    """
    store.require_questions()
    names = (RAW,) if run is None else (RAW, run)
    status = None if everything else "kept"
    questions = [
        question
        for name in names
        for question in store.questions(run=name, status=status)
        if hops is None or question.run == RAW or question.hop in hops
    ]
    samples = {sample.id: sample for sample in store.samples()}
    if any(question.sample not in samples for question in questions):
        raise store.damaged("samples of its questions")
    families = {record.name: dict(record.settings).get("families", "") for record in store.runs()}
    return Selection(questions, samples, families, top_shares(questions))
