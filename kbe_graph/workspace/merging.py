"""Takes other workspaces in: samples, graphs, runs, answers, forms, items, reviews and calls that were made elsewhere.

All is compared first; where two workspaces do not agree, nothing is written. The content of this workspace stays, so
that a merge that was cut off can be run again.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from kbe_graph.errors import InputError
from kbe_graph.evolve.manifest import differing_settings
from kbe_graph.execute.executor import batches
from kbe_graph.files.whole import private_file, private_folder
from kbe_graph.folder import Folder, open_folder
from kbe_graph.models.call_store import merge_calls
from kbe_graph.steps.session import CALLS, open_call_store
from kbe_graph.store import CandidateRow, Evolved, Store, graph_address
from kbe_graph.store.nodes import SampleStatus
from kbe_graph.store.stored_parts import StoredParts, work_of_run
from kbe_graph.types import (
    RAW,
    Alternative,
    Drop,
    Guess,
    Inspection,
    PagePicture,
    Prediction,
    Progress,
    Question,
    RunRecord,
    SampleGraph,
    WikiItem,
)
from kbe_graph.workspace.graph_access import GraphAccess, require_other_graph
from kbe_graph.workspace.progress import Reporter

BATCH = 200
T = TypeVar("T")


class Merged(NamedTuple):
    """The counts of a merge: new samples with a graph, questions of runs, answers of models, and replies."""

    samples: int
    questions: int
    answers: int
    calls: int


class _Fresh(NamedTuple):
    """The values that another workspace holds and this one does not, by id."""

    samples: list[str]
    graphs: list[str]
    questions: list[Question]
    answers: list[Prediction]


def merge_workspaces(work: GraphAccess, places: Sequence[Path | str]) -> Merged:
    """Take workspaces in, by their folders; raises InputError where one does not agree with this or one before it."""
    with ExitStack() as stack:
        others = [stack.enter_context(_open_other(work, place)) for place in places]
        with work.reporter as progress:
            fresh = [_fresh_in(other, (work, *others[:place])) for place, other in enumerate(others)]
            merged = [_merge(work, other, new, progress) for other, new in zip(others, fresh, strict=True)]
    return Merged(*map(sum, zip(Merged(0, 0, 0, 0), *merged, strict=True)))


@contextmanager
def _open_other(work: GraphAccess, place: Path | str) -> Iterator[GraphAccess]:
    """Give the workspace of a folder; raises InputError where it, or its graph, is this one, and ConfigError."""
    folder = open_folder(Path(place))
    other = GraphAccess(folder, graph_address(folder.config, os.environ), Reporter())
    if folder.path.absolute() == work.folder.path.absolute():
        raise InputError(f"{str(place)!r} is this workspace; name another one")
    if other.address:
        require_other_graph(work.address, other.address)
    try:
        yield other
    finally:
        other.graph.close()


def _fresh_in(theirs: GraphAccess, before: Sequence[GraphAccess]) -> _Fresh:
    """List the values that a workspace holds and none of those before it."""
    first, *others = (_compare(ours, theirs) for ours in before)
    for other in others:
        questions, answers = ({value.id for value in values} for values in (other.questions, other.answers))
        first = _Fresh(
            sorted({*first.samples} & {*other.samples}),
            sorted({*first.graphs} & {*other.graphs}),
            [question for question in first.questions if question.id in questions],
            [answer for answer in first.answers if answer.id in answers],
        )
    return first


def _compare(ours: GraphAccess, theirs: GraphAccess) -> _Fresh:
    """List the values that only they hold; raises InputError for a difference."""
    place = str(theirs.folder.path)
    runs = {run.name: run for run in ours.store.runs()}
    for run in theirs.store.runs():
        if run.name in runs and run != runs[run.name]:
            other = ", ".join(differing_settings(runs[run.name], run))
            raise InputError(
                f"run {run.name!r} of {place!r} was made with different settings ({other}); nothing was "
                "merged; make it with the same settings, or forget it there with `work.forget(run=NAME)`"
            )
    samples = _compare_samples(ours.store, theirs.store, place)
    names = sorted({run.name for run in theirs.store.runs()})
    own, new = (
        _by_id(question for name in names for question in each.store.questions(run=name, status=None))
        for each in (ours, theirs)
    )
    questions = _fresh(own, new, "question", place)
    _compare_reviews(ours.store, theirs.store, place)
    answers = _compare_answers(_answers(ours.store, names), _answers(theirs.store, names), place)
    return _Fresh(*samples, questions, answers)


def _compare_reviews(ours: Store, theirs: Store, place: str) -> None:
    """Raise InputError for a decision that is another one here under the same id."""
    _fresh(_by_id(ours.reviews()), _by_id(theirs.reviews()), "review", place)


def _answers(store: Store, runs: Sequence[str]) -> dict[str, Prediction]:
    return _by_id(answer for name in (RAW, *runs) for answer in store.predictions(run=name))


def _compare_answers(ours: Mapping[str, Prediction], theirs: Mapping[str, Prediction], place: str) -> list[Prediction]:
    """Return the answers that only they hold, and those that only they have had judged, or by other judges."""
    plain, others = ({id_: answer.unjudged for id_, answer in answers.items()} for answers in (ours, theirs))
    _fresh(plain, others, "answer", place)
    merged = (_with_verdicts(ours.get(id_), theirs[id_]) for id_ in sorted(theirs))
    return [answer for answer in merged if answer != ours.get(answer.id)]


def _with_verdicts(own: Prediction | None, theirs: Prediction) -> Prediction:
    """Return our answer with the verdicts of judges that judged it there alone; theirs where ours is not judged."""
    if own is None or not own.verdict:
        return theirs
    answer = own
    for judge, verdict in theirs.verdicts:
        if not own.verdict_of(judge):
            answer = answer.with_verdict(judge, verdict, theirs.votes)
    return answer.with_verdict(own.judge, own.verdict, own.votes)


def _compare_samples(ours: Store, theirs: Store, place: str) -> tuple[list[str], list[str]]:
    """Return the ids of the samples that only they hold, and of those whose graph only they hold."""
    own, new = ours.sample_status(), theirs.sample_status()
    both = sorted(own.keys() & new.keys())
    for _, ids in batches(both, BATCH):
        mine, others = (_by_id(sample.as_loaded for sample in store.samples(ids=ids)) for store in (ours, theirs))
        _fresh(mine, others, "sample", place)
    extracted = [id_ for id_ in both if "loaded" not in (own[id_].status, new[id_].status)]
    for _, ids in batches(extracted, BATCH):
        own_graphs, new_graphs = ours.graphs(ids), theirs.graphs(ids)
        if other := [id_ for id_ in ids if own[id_] != new[id_] or own_graphs.get(id_) != new_graphs.get(id_)]:
            raise _disagreement("graph of", other[0], place)
    graphs = sorted(id_ for id_ in new.keys() - set(extracted) if new[id_].status != "loaded")
    return sorted(new.keys() - own.keys()), graphs


def _by_id(values: Iterable[T]) -> dict[str, T]:
    return {value.id: value for value in values}  # type: ignore[attr-defined]  # each is a sample, question or answer


def _fresh(ours: Mapping[str, T], theirs: Mapping[str, T], what: str, place: str) -> list[T]:
    """List the values that only they hold, by id; raises InputError for a difference."""
    for id_ in sorted(ours.keys() & theirs.keys()):
        if ours[id_] != theirs[id_]:
            raise _disagreement(what, id_, place)
    return [theirs[id_] for id_ in sorted(theirs.keys() - ours.keys())]


def _disagreement(what: str, id_: str, place: str) -> InputError:
    return InputError(
        f"{what} {id_!r} of {place!r} differs from the one here; nothing was merged; forget it in one of the workspaces"
    )


def _merge(work: GraphAccess, other: GraphAccess, fresh: _Fresh, progress: Progress) -> Merged:
    ours, theirs = work.store, other.store
    for _, ids in batches(fresh.samples, BATCH):
        ours.save_samples(theirs.samples(ids=ids))
    statuses = theirs.sample_status()
    for done, ids in batches(fresh.graphs, BATCH):
        _save_graphs(ours, theirs, ids, statuses)
        progress("graphs", done, len(fresh.graphs))
    _save_wiki(ours, theirs)
    StoredParts(ours.connection).take(StoredParts(theirs.connection))
    _save_runs(ours, theirs.runs(), {question.run for question in fresh.questions})
    _save_questions(ours, theirs, fresh.questions, progress)
    ours.save_loaded(_loaded(theirs, fresh.answers))
    _save_guesses(ours, theirs)
    runs = (RAW, *(run.name for run in theirs.runs()))
    for run in runs:
        _save_variants(ours, theirs, run)  # before the answers to them
    families = {row["model"]: row["family"] for row in theirs.connection.read("models")}
    ours.save_predictions(fresh.answers, {name: family for name, family in families.items() if family})
    for run in runs:
        own = {(form.question, form.form) for form in ours.forms(run=run)}
        ours.save_forms([form for form in theirs.forms(run=run) if (form.question, form.form) not in own])
    _save_reviews(work, theirs)
    return Merged(len(fresh.graphs), len(fresh.questions), len(fresh.answers), _merge_files(work.folder, other.folder))


def _save_wiki(ours: Store, theirs: Store) -> None:
    """Save pictures and items that are not here, or not as new, and the origins of samples that have none here."""
    fetched = ours.fetched_items()
    for _, ids in batches(sorted(theirs.fetched_items()), BATCH):
        items = ours.items([id_ for id_ in ids if id_ in fetched])
        newer = [
            each for each in theirs.items(ids).values() if each.id not in items or _age(each) > _age(items[each.id])
        ]
        statements = theirs.item_statements([item.id for item in newer], kept=None)
        ours.save_items(newer, [statement for own in statements.values() for statement in own])
    own = {picture.id: picture for picture in ours.pictures()}
    ours.save_pictures([each for each in theirs.pictures() if _is_open(own.get(each.id))])
    origins = theirs.origins()
    ours.save_origins([origins[sample] for sample in sorted(origins.keys() - ours.origins().keys())])


def _save_reviews(work: GraphAccess, theirs: Store) -> None:
    """Add decisions that are not here, to the log first, with the versions of questions that they make."""
    if reviews := theirs.reviews():
        own = {review.id for review in work.store.reviews()}
        fresh = [review for review in reviews if review.id not in own]
        work.desk.write(sorted(fresh, key=lambda review: review.time))


def _age(item: WikiItem) -> tuple[str, int]:
    """Return the day an item was fetched and its revision, the later the greater."""
    return item.fetched, int(item.revision) if item.revision.isdecimal() else 0


def _is_open(picture: PagePicture | None) -> bool:
    """Return True if nothing is decided here of a picture: whether it has an item, or is left out."""
    return picture is None or not (picture.item or picture.reason)


def _save_variants(ours: Store, theirs: Store, run: str) -> None:
    """Save the perturbed questions that are not here, and the questions without a graph that they were made from."""
    present = {variant.id for variant in ours.variants(run=run)}
    fresh = [variant for variant in theirs.variants(run=run) if variant.id not in present]
    perturbed = {variant.question for variant in fresh}
    own = {question.id for question in ours.questions(run=RAW, status=None)} if run == RAW else set()
    loaded = theirs.questions(run=RAW, status="loaded") if run == RAW else []
    ours.save_loaded(question for question in loaded if question.id in perturbed - own)
    ours.save_variants(fresh)


def _save_graphs(ours: Store, theirs: Store, ids: Sequence[str], statuses: Mapping[str, SampleStatus]) -> None:
    """Save the graphs of samples with their raw questions, or why there is none."""
    answers = {sample.id: sample.answer for sample in theirs.samples(ids=ids) if sample.replaced}
    graphs = {id_: replace(graph, answer=answers.get(id_, "")) for id_, graph in theirs.graphs(ids).items()}
    outcomes: list[SampleGraph | Drop] = [
        graphs[id_] if statuses[id_].status == "extracted" else Drop(id_, statuses[id_].reason, statuses[id_].detail)
        for id_ in ids
    ]
    raw = theirs.questions(run=RAW, status=None, samples=ids)
    ours.save_graphs(outcomes, raw, {id_: statuses[id_].extraction for id_ in ids})


def _loaded(store: Store, answers: Sequence[Prediction]) -> list[Question]:
    """Return the questions of answers that have no graph."""
    answered = {answer.question for answer in answers}
    return [question for question in store.questions(run=RAW, status="loaded") if question.id in answered]


def _save_runs(ours: Store, runs: Sequence[RunRecord], grown: Collection[str]) -> None:
    """Save runs; one that is not complete everywhere is to be gone on with, if it was not brought to its end here."""
    states = {run.name: run.state for run in ours.runs()}
    for run in runs:
        ended = states.get(run.name) == "complete" and run.name not in grown
        complete = ended or run.state == states.get(run.name, "complete") == "complete"
        ours.save_run(replace(run, state="complete" if complete else "running"))
        if complete:
            ours.forget_parts(work_of_run(run.name))


def _save_questions(ours: Store, theirs: Store, questions: Sequence[Question], progress: Progress) -> None:
    done = 0
    for run, hop in sorted({(question.run, question.hop) for question in questions}):
        candidates = _grouped((each.question, _row(each)) for each in theirs.candidates(run=run, hop=hop))
        inspections = _grouped((each.question, each) for each in theirs.inspections(run=run, hop=hop))
        guesses = _grouped((each.question, each) for each in theirs.guesses(run=run, hop=hop) if each.kind != "raw")
        own = [question for question in questions if (question.run, question.hop) == (run, hop)]
        for _, batch in batches(own, BATCH):
            alternatives = theirs.alternatives([question.id for question in batch])
            about = (candidates, inspections, guesses, alternatives)
            ours.save_questions([_question_with_all(question, *about) for question in batch])
            done += len(batch)
            progress("questions", done, len(questions))


def _question_with_all(
    question: Question,
    candidates: Mapping[str, Sequence[CandidateRow]],
    inspections: Mapping[str, Sequence[Inspection]],
    guesses: Mapping[str, Sequence[Guess]],
    alternatives: Mapping[str, Sequence[Alternative]],
) -> Evolved:
    return Evolved(
        question,
        tuple(candidates.get(question.id, ())),
        tuple(inspections.get(question.id, ())),
        tuple(guesses.get(question.id, ())),
        tuple(alternatives.get(question.id, ())),
    )


def _save_guesses(ours: Store, theirs: Store) -> None:
    """Save their runs' guesses at raw questions that the same run here did not ask."""
    own = {(guess.question, guess.run) for guess in ours.guesses(hop=0)}
    for run in theirs.runs():
        guesses = [each for each in theirs.guesses(run=run.name, hop=0) if each.kind == "raw"]
        fresh = _grouped((each.question, each) for each in guesses if (each.question, run.name) not in own)
        asked = ours.questions(run=RAW, status=None, samples=[each.sample for each in guesses])
        ours.save_guesses(run.name, [(question, fresh[question.id]) for question in asked if question.id in fresh])


def _grouped(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = defaultdict(list)
    for name, value in pairs:
        groups[name].append(value)
    return groups


def _row(candidate: CandidateRow) -> CandidateRow:
    """Return a stored candidate as it was considered."""
    return CandidateRow(**{name: getattr(candidate, name) for name in CandidateRow.__slots__})


def _merge_files(ours: Folder, theirs: Folder) -> int:
    """Take calls, pictures and manifests in; return how many replies are new."""
    for source, target in _files(theirs, ours):
        if not target.exists():
            private_folder(target.parent)
            part = private_file(target.with_name(f".{target.name}.part"))
            shutil.copyfile(source, part)
            part.replace(target)
    ours.remember_images(*theirs.image_folders)
    if not (theirs.hidden / CALLS).exists():
        return 0
    for folder in (ours, theirs):
        open_call_store(folder).close()  # both have all tables now
    return merge_calls(ours.hidden / CALLS, theirs.hidden / CALLS)


def _files(theirs: Folder, ours: Folder) -> Iterator[tuple[Path, Path]]:
    for source, target in (
        (theirs.saved_images, ours.saved_images),
        (theirs.variant_images, ours.variant_images),
        (theirs.runs, ours.runs),
    ):
        for file in sorted(path for path in source.rglob("*") if path.is_file()):
            yield file, target / file.relative_to(source)
