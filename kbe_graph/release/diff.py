"""What changed between two versions of a release, with the reasons, and in the scores of kept answers."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kbe_graph.brief import brief
from kbe_graph.errors import InputError
from kbe_graph.evaluate.judging import SURE, Response
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import FIELDS, aligned, as_released, hash_of
from kbe_graph.release.unpacking import is_release, read_lines, read_manifest, release_folder
from kbe_graph.review.state import first_version
from kbe_graph.types import ReleasedQuestion


class Edition(NamedTuple):
    """A version of a release, from the graph or a folder: its id, its run, and its questions by id."""

    id: str
    run: str
    questions: Mapping[str, ReleasedQuestion]

    @property
    def live(self) -> Mapping[str, ReleasedQuestion]:
        """The questions that are not withdrawn."""
        return {id_: each for id_, each in self.questions.items() if each.status != "withdrawn"}


class Change(NamedTuple):
    """A question that two versions do not have alike: withdrawn, added, revised or uncertain, why, and what changed."""

    question: str
    change: str
    reason: str
    what: str


@brief()
class ModelScore(NamedTuple):
    """A model's score in two versions: right answers of all, and how many answers are judged otherwise now."""

    model: str
    right_before: int
    answers_before: int
    right_after: int
    answers_after: int
    judged_otherwise: int

    @property
    def change(self) -> float | None:
        """The change of its accuracy, in points; None if it has no answer in one of the two."""
        if not self.answers_before or not self.answers_after:
            return None
        return 100 * (self.right_after / self.answers_after - self.right_before / self.answers_before)


@brief("before after scores", table="changes: question change reason what")
class ReleaseDiff(NamedTuple):
    """What changed between two versions, by question, and the scores of each model in both."""

    before: str
    after: str
    changes: tuple[Change, ...]
    scores: tuple[ModelScore, ...] = ()


def read_edition(access: GraphAccess | None, place: str) -> Edition:
    """Read a version from its folder, or by its name or id from the graph; raises InputError."""
    if access is None or is_release(place):
        return _read_folder(release_folder(place))
    release = access.store.release(place)
    return Edition(release.id, release.run, {each.question: each for each in access.store.released(release)})


def _read_folder(folder: Path) -> Edition:
    manifest = read_manifest(folder)
    contents = {line.id: content for line, content in read_lines(folder, manifest)}
    questions = {}
    for id_, entry in manifest.questions.items():
        content = contents.get(id_, "")
        if entry.status != "withdrawn" and hash_of(content) != entry.hash:
            raise InputError(f"question {id_!r} in {str(folder)!r} is not as it was released; see `release verify`")
        questions[id_] = ReleasedQuestion(id_, entry.status, entry.hash, content, entry.reason)
    return Edition(manifest.id, manifest.run, questions)


def changes(before: Edition, after: Edition) -> Iterator[Change]:
    """List the questions that changed from one version to another, by id."""
    before = before._replace(questions=aligned(before.questions, {id_: own.content for id_, own in after.live.items()}))
    for id_ in sorted(before.questions.keys() | after.questions.keys()):
        old, new = before.live.get(id_), after.live.get(id_)
        reason = after.questions[id_].reason if id_ in after.questions else f"not in {after.id}"
        if old and not new:
            yield Change(id_, "withdrawn", reason, _words(old))
        elif new and not old:
            yield Change(id_, "added", reason, _words(new))
        elif old and new and old.hash != new.hash:
            yield Change(id_, "uncertain" if new.status == "uncertain" else "revised", reason, _differences(old, new))
        elif old and new and new.status == "uncertain" != old.status:
            yield Change(id_, "uncertain", reason, _words(new))


def _words(each: ReleasedQuestion) -> str:
    content = json.loads(each.content)
    return f"{content['question']} {content['answer']}"


def _differences(old: ReleasedQuestion, new: ReleasedQuestion) -> str:
    first, last = (json.loads(each.content) for each in (old, new))
    return "; ".join(
        name if name in {"key", "pictures"} else f"{name}: {_plain(first[name])} -> {_plain(last[name])}"
        for name in FIELDS
        if first[name] != last[name]
    )


def _plain(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value) or "none"


def responses_to(access: GraphAccess, edition: Edition) -> list[Response]:
    """Read the answers of all models to the questions of a version as they are in it, asked with their pictures.

    Answers to another wording of a question, which a reviewer revised, are left out.
    """
    store = access.store
    stored = store.questions(run=edition.run, status=None)
    texts = {each.id: each.text for each in stored}
    questions = {each.id: each for each in as_released(stored, edition.questions.values())}
    samples = {each.id: each for each in store.samples(ids=sorted({each.sample for each in questions.values()}))}
    return [
        Response(answer, question, samples[question.sample])
        for answer in store.predictions(run=edition.run)
        if answer.variant == "image" and (question := questions.get(first_version(answer.question)))
        if texts[answer.question] == question.text
    ]


def rescore(access: GraphAccess, before: Edition, after: Edition) -> list[ModelScore]:
    """Score each model's kept answers anew under two versions, by the rule ``alias``."""
    verdicts: dict[str, list[dict[str, bool]]] = defaultdict(lambda: [{}, {}])
    for place, edition in enumerate((before, after)):
        for each in responses_to(access, edition):
            verdicts[each.prediction.model][place][each.prediction.id] = each.is_right_by(SURE)
    return [
        ModelScore(
            model,
            *(sum(old.values()), len(old), sum(new.values()), len(new)),
            sum(old[id_] != new[id_] for id_ in old.keys() & new.keys()),
        )
        for model, (old, new) in sorted(verdicts.items())
    ]
