"""Comparison of models' verdicts on questions with people's: which inspectors and guessers can be trusted."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from kbe_graph.review.material import ReviewMaterial
from kbe_graph.statistics.intervals import Measurement, calm, mean_share
from kbe_graph.statistics.rater_agreement import cohen_kappa, majority
from kbe_graph.types import VERDICTS, Inspection

NOT_APPROVED = "not approved"
JUDGED_ALIKE = {
    "fact": "factual",
    "path": "path",
    "one_answer": "one",
    "image_needed": "image",
    "publish": "worth",
}
"""The verdicts of inspectors that match a review criterion, with that criterion."""


class TrustRow(NamedTuple):
    """A kind of complaint by a model, compared with reviewers' opinions on the same questions.

    ``complaint`` is the inspector's verdict that was no (``any`` for any of them), or ``guessed`` for a guesser that
    was right. ``people`` is the criterion that reviewers answered with no, or ``not approved``.

    ``complaints`` counts the questions that the model complains about, ``bad`` those that reviewers find bad, and
    ``hits`` those in both. ``precision`` is the share of complaints that reviewers confirm, ``recall`` the share of bad
    questions that the model complains about, and ``kappa`` is Cohen's.
    """

    model: str
    complaint: str
    people: str
    questions: int
    complaints: int
    bad: int
    hits: int
    precision: Measurement
    recall: Measurement
    kappa: Measurement


def trust(material: ReviewMaterial) -> list[TrustRow]:
    """Compute a row per model and kind of complaint, sorted by the lower end of kappa's interval, highest first.

    Each complaint is compared with reviewers' decisions, and with their opinions on the matching criterion, if any.
    Open and disputed questions, and unsure or tied opinions, are left out.
    """
    opinions = {NOT_APPROVED: _not_approved(material)}
    for criterion in JUDGED_ALIKE.values():
        opinions[criterion] = _refused(material, criterion)
    complaints = (*_inspector_complaints(material), *_guesser_complaints(material))
    rows = [
        _row(model, complaint, people, complained, opinions[people])
        for model, complaint, criterion, complained in complaints
        for people in (NOT_APPROVED, *([criterion] if criterion else []))
        if complained.keys() & opinions[people].keys()
    ]
    return sorted(rows, key=lambda row: (-_surely(row.kappa), row.model))


def _surely(measurement: Measurement) -> float:
    return -1.0 if measurement.low is None else measurement.low


Complaints = tuple[str, str, str, Mapping[str, bool]]
"""A model, its kind of complaint, the matching review criterion (or none), and whether it complained, by question."""


def _inspector_complaints(material: ReviewMaterial) -> Iterator[Complaints]:
    wordings = material.wordings
    by_model: dict[str, dict[str, Inspection]] = defaultdict(dict)
    for inspection in material.inspections:
        if wordings.get(inspection.question) == (inspection.text, inspection.answer):
            by_model[inspection.model][inspection.question] = inspection
    for model, own in sorted(by_model.items()):
        yield model, "any", "", {id_: bool(inspection.no) for id_, inspection in own.items()}
        for verdict in VERDICTS:
            complained = {id_: verdict in inspection.no for id_, inspection in own.items()}
            yield model, verdict, JUDGED_ALIKE.get(verdict, ""), complained


def _guesser_complaints(material: ReviewMaterial) -> Iterator[Complaints]:
    wordings = material.wordings
    by_model: dict[str, dict[str, bool]] = defaultdict(dict)
    for guess in material.guesses:
        if wordings.get(guess.question) == (guess.text, guess.answer):
            own = by_model[guess.model]
            own[guess.question] = own.get(guess.question, False) or guess.right
    for model, right in sorted(by_model.items()):
        yield model, "guessed", "image", right


def _not_approved(material: ReviewMaterial) -> dict[str, bool]:
    return {
        id_: state.state != "approved"
        for id_, state in material.states.items()
        if state.state in {"approved", "revised", "rejected"}
    }


def _refused(material: ReviewMaterial, criterion: str) -> dict[str, bool]:
    opinions = (
        (id_, [dict(review.criteria).get(criterion) for review in state.counted])
        for id_, state in material.states.items()
    )
    words = {id_: majority(word for word in own if word in {"yes", "no"}) for id_, own in opinions}
    return {id_: word == "no" for id_, word in words.items() if word}


def _row(
    model: str, complaint: str, people: str, complained: Mapping[str, bool], opinion: Mapping[str, bool]
) -> TrustRow:
    pairs = [(complained[id_], opinion[id_]) for id_ in sorted(complained.keys() & opinion.keys())]
    complaints, bad = ([pair for pair in pairs if pair[side]] for side in (0, 1))
    hits = sum(1 for pair in complaints if pair[1])
    return TrustRow(
        *(model, complaint, people, len(pairs), len(complaints), len(bad), hits),
        calm(mean_share("precision", np.array([float(pair[1]) for pair in complaints]), "it complains of none")),
        calm(mean_share("recall", np.array([float(pair[0]) for pair in bad]), "people find none bad")),
        calm(cohen_kappa([[str(first), str(second)] for first, second in pairs])),
    )
