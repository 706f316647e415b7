"""Forgets runs, benchmarks and samples of a workspace, with all that rests on them."""

import shutil
from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.perturb.perturbing import remove_unused_pictures
from kbe_graph.store import Store
from kbe_graph.types import Sample


class Forgotten(NamedTuple):
    """The numbers of deleted samples and questions, and the runs that were deleted as a whole."""

    samples: int
    questions: int
    runs: tuple[str, ...]


def forget_run(work: GraphAccess, run: str) -> Forgotten:
    """Forget a run with its questions, its candidates and its manifest; raises InputError for one that is not there."""
    work.store.require_run(run)
    with work.reporter as reporter:
        questions = work.store.forget_run(run, progress=reporter)
    _tidy_up(work, [run])
    return Forgotten(0, questions, (run,))


def forget_samples(work: GraphAccess, samples: Sequence[Sample], *, evolved: bool) -> Forgotten:
    """Forget samples with their graphs, their questions, and the runs that keep none; paid calls stay.

    Raises InputError where runs have questions of them and ``evolved`` does not say that these go too.
    """
    store, ids = work.store, [sample.id for sample in samples]
    runs = sorted(store.runs_of(ids))
    if runs and not evolved:
        raise InputError(
            f"the questions of run {', '.join(map(repr, runs))} rest on these {len(ids)} samples and would "
            "be deleted with them; confirm with `evolved`"
        )
    with work.reporter as reporter:
        questions = store.forget_samples(ids, progress=reporter)
        empty = tuple(run for run in runs if not store.status_counts(run))
        for run in empty:
            store.forget_run(run, progress=reporter)
    kept = {name for sample in store.samples() for name in sample.images}
    for name in {name for sample in samples for name in sample.images} - kept:
        if name and "/" not in name and "\\" not in name:
            (work.folder.saved_images / name).unlink(missing_ok=True)
    _tidy_up(work, empty)
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


def _tidy_up(work: GraphAccess, runs: Sequence[str]) -> None:
    for run in runs:
        shutil.rmtree(work.folder.manifest(run).parent, ignore_errors=True)
    remove_unused_pictures(work)
