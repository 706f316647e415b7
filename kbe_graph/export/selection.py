"""The questions of a workspace that are written to a file, with what an export says of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbe_graph.store import Store
from kbe_graph.types import RAW, Question, Sample


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions in the order of an export, their samples by id, and by run which models of it are of one family."""

    questions: Sequence[Question]
    samples: Mapping[str, Sample]
    families: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Sample, Question]]:
        """Give each question with its sample."""
        return ((self.samples[question.sample], question) for question in self.questions)


def select(store: Store, *, run: str | None = None, everything: bool = False) -> Selection:
    """Return the raw questions, then those of a run or of all; ``everything`` takes the dropped ones too.

    Raises InputError where a run is named that is not there.
    """
    store.require_run(run)
    runs = store.runs()
    names = (RAW, *([run] if run else [record.name for record in runs]))
    status = None if everything else "kept"
    questions = [question for name in names for question in store.questions(run=name, status=status)]
    samples = {sample.id: sample for sample in store.samples()}
    return Selection(questions, samples, {record.name: dict(record.settings).get("families", "") for record in runs})
