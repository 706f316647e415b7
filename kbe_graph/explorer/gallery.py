"""Samples and kept questions as cards with small pictures: a selection on other pages, and all in the gallery."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import Explorer, PageView, part_of
from kbe_graph.explorer.snapshot import Snapshot
from kbe_graph.web.page_request import Given

BEGINNING = 12  # cards on the page of a benchmark or a run
TRIED = 24  # samples searched for a few pictures; a benchmark may have thousands without


class Card(NamedTuple):
    """A question of a sample in the gallery; ``hop`` is 0 for the raw question, ``picture`` a file or empty."""

    sample: str
    text: str
    answer: str
    hop: int
    run: str | None
    picture: str = ""


def benchmark_of(sample: str) -> str:
    """Return the benchmark in a sample's id.

    >>> benchmark_of("okvqa/val/12")
    'okvqa'
    """
    return sample.partition("/")[0]


def benchmark_counts(snapshot: Snapshot) -> Mapping[str, int]:
    """Count the samples by benchmark."""
    counts = snapshot.samples.id.map(benchmark_of).value_counts().sort_index()
    return {str(name): int(count) for name, count in counts.items()}


def gallery_page(explorer: Explorer, given: Given) -> PageView:
    """List the samples of ``benchmark`` or of all, or the kept questions of ``run``, optionally only those of ``hop``.

    Raises InputError for an unknown run or benchmark.
    """
    snapshot = explorer.snapshot
    run, benchmark, hop = (given.get(name) or None for name in ("run", "benchmark", "hop"))
    benchmarks = benchmark_counts(snapshot)
    if run:
        require_name("run", run, snapshot.runs)
    if benchmark:
        require_name("benchmark", benchmark, [*benchmarks])
    every = run_cards(snapshot, run) if run else sample_cards(snapshot.samples)
    cards = [card for card in every if benchmark in {None, benchmark_of(card.sample)}]
    hops = hop_counts(cards)
    part = part_of([card for card in cards if hop in {None, str(card.hop)}], given)
    values = {
        "cards": part._replace(rows=with_pictures(explorer, part.rows)),
        "run": run,
        "benchmark": benchmark,
        "hop": hop,
        "hops": hops if run else {},
        "benchmarks": benchmarks,
    }
    return PageView("gallery.html", values)


def require_name(kind: str, name: str, names: Sequence[str]) -> None:
    """Raise InputError if a name is unknown."""
    if name not in names:
        raise InputError(f"no {kind} {name!r}; available: {', '.join(map(repr, names)) or 'none'}")


def run_beginning(explorer: Explorer, run: str) -> dict[str, Any]:
    """Return the first kept questions of a run, highest hop first, and their number by hop."""
    cards = run_cards(explorer.snapshot, run)
    first = sorted(cards, key=lambda card: -card.hop)[:BEGINNING]
    return {"cards": with_pictures(explorer, first), "hops": hop_counts(cards)}


def hop_counts(cards: Sequence[Card]) -> dict[int, int]:
    """Count the cards by hop."""
    hops = [card.hop for card in cards]
    return {hop: hops.count(hop) for hop in sorted(set(hops))}


def sample_cards(samples: pd.DataFrame) -> list[Card]:
    """Build the cards of the samples' raw questions."""
    rows = samples[["id", "question", "answer"]].itertuples(index=False, name=None)
    return [Card(id_, text, answer, 0, None) for id_, text, answer in rows]


def run_cards(snapshot: Snapshot, run: str) -> list[Card]:
    """Build the cards of a run's kept questions."""
    kept = snapshot.questions[(snapshot.questions.run == run) & (snapshot.questions.status == "kept")]
    rows = kept[["sample", "text", "answer", "hop"]].itertuples(index=False, name=None)
    return [Card(sample, text, answer, int(hop), run) for sample, text, answer, hop in rows]


def spread(samples: pd.DataFrame) -> list[Card]:
    """Build the cards of a few samples, spread evenly over all."""
    return sample_cards(samples.iloc[:: max(len(samples) // TRIED, 1)].head(TRIED))


def deepest(cards: Sequence[Card]) -> list[Card]:
    """Return the questions of the highest hops, one per sample."""
    of_sample = {card.sample: card for card in sorted(cards, key=lambda card: card.hop)}
    return sorted(of_sample.values(), key=lambda card: -card.hop)[:TRIED]


def with_pictures(explorer: Explorer, cards: Sequence[Card]) -> list[Card]:
    """Add the file of the sample's first picture to each card."""
    with explorer.work() as work:
        samples = work.store.samples(ids=sorted({card.sample for card in cards}))
    files = {sample.id: explorer.folders.find_all(sample.images, sample.image_id) for sample in samples}
    return [card._replace(picture=str(files[card.sample][0]) if files.get(card.sample) else "") for card in cards]
