"""Forgets runs, benchmarks and samples of a workspace, with all that rests on them."""

import shutil
from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.perturb.perturbing import remove_unused_pictures
from kbe_graph.store import Store
from kbe_graph.types import Progress, Sample


class Forgotten(NamedTuple):
    """The numbers of deleted samples and questions, and the runs that were deleted as a whole."""

    samples: int
    questions: int
    runs: tuple[str, ...]


def forget_chosen(
    work: GraphAccess,
    run: str | None,
    benchmark: str | None,
    split: str | None,
    samples: Sequence[str] | None,
    *,
    evolved: bool,
) -> Forgotten:
    """Forget a run, or a benchmark or samples; raises as ``Workspace.forget``."""
    if (run is None) == (benchmark is None and samples is None):
        raise InputError("name exactly one of these: a run, a benchmark, samples")
    with work.reporter as reporter:
        if run is not None:
            return forget_run(work.folder, work.store, run, reporter)
        chosen = chosen_samples(work.store, benchmark, split, samples)
        return forget_samples(work.folder, work.store, chosen, reporter, evolved=evolved)


def forget_run(folder: Folder, store: Store, run: str, progress: Progress) -> Forgotten:
    """Forget a run with its questions, its candidates and its manifest; raises InputError for one that is not there."""
    store.require_run(run)
    questions = store.forget_run(run, progress=progress)
    _remove_manifests(folder, [run])
    remove_unused_pictures(folder, store)
    return Forgotten(0, questions, (run,))


def forget_samples(
    folder: Folder, store: Store, samples: Sequence[Sample], progress: Progress, *, evolved: bool
) -> Forgotten:
    """Forget samples with their graphs, their questions, and the runs that keep none; paid calls stay.

    Raises InputError where runs have questions of them and ``evolved`` does not say that these go too.
    """
    ids = [sample.id for sample in samples]
    runs = sorted(store.runs_of(ids))
    if runs and not evolved:
        raise InputError(
            f"the questions of run {', '.join(map(repr, runs))} rest on these {len(ids)} samples and would "
            "be deleted with them; confirm with `evolved`"
        )
    questions = store.forget_samples(ids, progress=progress)
    empty = tuple(run for run in runs if not store.has_questions(run))
    for run in empty:
        store.forget_run(run, progress=progress)
    _remove_manifests(folder, empty)
    _remove_pictures(folder, samples, store.samples())
    remove_unused_pictures(folder, store)
    return Forgotten(len(ids), questions, empty)


def chosen_samples(
    store: Store, benchmark: str | None, split: str | None, ids: Sequence[str] | None
) -> Sequence[Sample]:
    """Return the samples of a benchmark, a split of it, or these ids; raises InputError if there are none."""
    samples = store.samples(benchmark=benchmark, split=split, ids=ids)
    strangers = sorted(set(ids or ()) - {sample.id for sample in samples})
    if strangers or not samples:
        every = store.samples()
        names = sorted({f"{sample.benchmark} (split {sample.split})" for sample in every})
        what = f"no sample {strangers[0]!r}" if strangers else f"no samples of {benchmark!r}, split {split or 'any'!r}"
        raise InputError(f"{what}; there are {len(every)} samples of {', '.join(names) or 'no benchmark'}")
    return samples


def _remove_manifests(folder: Folder, runs: Sequence[str]) -> None:
    for run in runs:
        shutil.rmtree(folder.manifest(run).parent, ignore_errors=True)


def _remove_pictures(folder: Folder, samples: Sequence[Sample], others: Sequence[Sample]) -> None:
    for name in {name for sample in samples for name in sample.images} - {
        name for sample in others for name in sample.images
    }:
        if name and "/" not in name and "\\" not in name:
            (folder.saved_images / name).unlink(missing_ok=True)
