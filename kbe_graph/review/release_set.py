"""The questions of an earlier export, and those of them that exist here with the same wording."""

import json
import warnings
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError, InputError, KbeWarning
from kbe_graph.files.records import open_source
from kbe_graph.review.material import ReviewMaterial, read_material
from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.state import ReviewedItem, first_version
from kbe_graph.store import Store
from kbe_graph.text import quoted
from kbe_graph.types import RAW, sample_of_question

MARK, WORDINGS = "release.json", "wordings"  # the file that marks an export's folder, and its field of wordings


class ReleaseSet(NamedTuple):
    """The wordings of exported questions by id, and the file that they come from."""

    file: Path
    wordings: Mapping[str, str]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that the questions belong to; ``raw`` for the benchmark's questions."""
        names = {id_.removeprefix(f"{sample_of_question(id_)}@").rpartition("/")[0] for id_ in self.wordings}
        return tuple(sorted(names))

    def items(self, store: Store, samples: Sequence[str] | None = None, *, tell: bool = False) -> list[ReviewedItem]:
        """Read the exported questions that still have the same wording here, in all versions; ``samples`` limits them.

        With ``tell``, warns (KbeWarning) about questions that changed or no longer exist, and raises InputError if none
        is left.
        """
        items = [
            item for run in self.runs for item in read_items(store, run=None if run == RAW else run, samples=samples)
        ]
        texts = {item.question.id: item.question.text for item in items}
        same = {first_version(id_) for id_, text in self.wordings.items() if texts.get(id_) == text}
        if tell:
            self._tell(texts)
        return [item for item in items if first_version(item.question.id) in same]

    def _tell(self, texts: Mapping[str, str]) -> None:
        gone = [id_ for id_ in self.wordings if id_ not in texts]
        changed = [id_ for id_, text in self.wordings.items() if texts.get(id_, text) != text]
        parts = ((changed, "have been reworded"), (gone, "are gone"))
        words = " and ".join(f"{len(ids)} {what} ({quoted(ids, 3)})" for ids, what in parts if ids)
        if len(changed) + len(gone) == len(self.wordings):
            raise InputError(
                f"nothing to review in {str(self.file)!r}: {words}; open the workspace that it was exported from"
            )
        if words:
            message = f"of {len(self.wordings)} questions in {str(self.file)!r} {words}; these are left out"
            warnings.warn(message, KbeWarning, stacklevel=3)

    def material(self, store: Store) -> ReviewMaterial:
        """Read all stored results that bear on the review of the exported questions."""
        parts = [read_material(store, run) for run in self.runs]
        own = {item.question.id for item in self.items(store, tell=True)}
        lists = zip(*((p.reviews, p.inspections, p.guesses, p.candidates, p.predictions) for p in parts), strict=True)
        reviews, inspections, guesses, candidates, predictions = (tuple(chain(*each)) for each in lists)
        return ReviewMaterial(
            [question for part in parts for question in part.questions if question.id in own],
            {id_: sample for part in parts for id_, sample in part.samples.items()},
            reviews,
            {id_: state for part in parts for id_, state in part.states.items() if id_ in own},
            inspections,
            guesses,
            candidates,
            {id_: others for part in parts for id_, others in part.alternatives.items()},
            predictions,
        )


def read_release(place: Path) -> ReleaseSet:
    """Read the questions of an export (its folder or JSON Lines file), without perturbed and dropped ones.

    Raises DatasetError for any other file.
    """
    wordings = _of_folder(place / MARK) if place.is_dir() else _of_lines(place)
    if not wordings:
        raise DatasetError(place, "holds no question that can be reviewed; give an export of a run")
    return ReleaseSet(place, wordings)


def _of_folder(mark: Path) -> Mapping[str, str]:
    try:
        wordings = json.loads(mark.read_text(encoding="utf-8"))[WORDINGS]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DatasetError(mark, "lists no exported questions; export them again, or give the file") from None
    listed = wordings.items() if isinstance(wordings, dict) else [("", "")]
    if not all(_is_question(id_) and isinstance(text, str) for id_, text in listed):
        raise DatasetError(mark, f"{WORDINGS!r} must map ids of questions to their texts; export them again")
    return dict(listed)


def _of_lines(file: Path) -> Mapping[str, str]:
    wordings = {}
    for record in open_source(file).records():
        if record.has("variant") or record.optional("status") == "dropped":
            continue
        id_ = record.text("id")
        if not _is_question(id_):
            raise record.error(f"'id' is {id_[:60]!r}, not the id of a question; give a file that an export wrote")
        wordings[id_] = record.text("question")
    return wordings


def _is_question(id_: str) -> bool:
    return sample_of_question(id_) != id_
