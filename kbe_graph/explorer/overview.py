"""The home page and the pages of benchmarks and runs: what each stage kept, and why the rest was dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from kbe_graph.explorer.explorer import PART, Explorer, PageView, part_of
from kbe_graph.explorer.gallery import (
    BEGINNING,
    Card,
    benchmark_counts,
    benchmark_of,
    deepest,
    hop_counts,
    require_name,
    run_beginning,
    run_cards,
    spread,
    with_pictures,
)
from kbe_graph.explorer.snapshot import Snapshot
from kbe_graph.show.stages import run_stages, sample_stages
from kbe_graph.store.funnel import NAMED
from kbe_graph.types import RAW
from kbe_graph.web.page_request import Given, number_of

MOST = 15  # relations on the home page
POINTS = 40
FACES = 4  # pictures of a benchmark or a run on the home page


class Shelf(NamedTuple):
    """A benchmark or a run on the home page: a few counts and pictures."""

    name: str
    counts: Mapping[str, int]
    cards: Sequence[Card]


class RelationCount(NamedTuple):
    """A relation with its number of triplets: those used by runs, those by column, and all."""

    name: str
    used: int
    counts: Sequence[int]
    triplets: int


def overview_page(explorer: Explorer, given: Given) -> PageView:
    """Build the home page."""
    del given
    snapshot = explorer.snapshot
    runs = {name: list(run_stages(snapshot.counts, name)) for name in snapshot.counts["runs"]}
    values = {
        "funnel": sample_stages(snapshot.counts),
        "benchmarks": _benchmark_shelves(explorer),
        "run_shelves": _run_shelves(explorer),
        "runs": runs,
        "guesses": {name: counts.get("guesses") for name, counts in snapshot.counts["runs"].items()},
        "hops": hops_of(snapshot.triplets),
        "relations": relations_by_hop(snapshot.triplets)[:MOST],
        "relation_count": len(snapshot.relations),
        "growth": growth(snapshot.triplets),
    }
    return PageView("overview.html", values)


def _benchmark_shelves(explorer: Explorer) -> list[Shelf]:
    samples = explorer.snapshot.samples
    return [
        Shelf(
            str(name),
            {"samples": len(own), "with a graph": int((own.status == "extracted").sum())},
            _faces(explorer, spread(own)),
        )
        for name, own in samples.groupby(samples.id.map(benchmark_of))
    ]


def _run_shelves(explorer: Explorer) -> list[Shelf]:
    shelves = []
    for run in explorer.snapshot.runs:
        cards = run_cards(explorer.snapshot, run)
        counts = {f"hop {hop}" if hop else "re-selected": count for hop, count in hop_counts(cards).items()}
        shelves.append(Shelf(run, {"questions": len(cards)} | counts, _faces(explorer, deepest(cards))))
    return shelves


def _faces(explorer: Explorer, cards: Sequence[Card]) -> list[Card]:
    of_picture = {card.picture: card for card in reversed(with_pictures(explorer, cards)) if card.picture}
    return list(reversed(of_picture.values()))[:FACES]


def benchmark_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the benchmark ``name``. Raises InputError if it is not loaded."""
    snapshot, name = explorer.snapshot, given.get("name", "")
    require_name("benchmark", name, [*benchmark_counts(snapshot)])
    samples = snapshot.samples[snapshot.samples.id.map(benchmark_of) == name]
    questions = snapshot.questions[snapshot.questions["sample"].map(benchmark_of) == name]
    own = questions[questions.run != RAW]
    cards = sorted(with_pictures(explorer, spread(samples)), key=lambda card: not card.picture)
    values = {
        "name": name,
        "total": len(samples),
        "funnel": sample_stages({"samples": _sample_counts(samples)}),
        "cards": cards[:BEGINNING],
        "hops": sorted(own.hop.unique()),
        "runs": [(run, _kept_by_hop(questions)) for run, questions in own.groupby("run")],
    }
    return PageView("benchmark.html", values)


def _sample_counts(samples: pd.DataFrame) -> dict[str, Any]:
    reasons = Counter(map(str, samples.reason[samples.status == "dropped"]))
    return {**Counter(map(str, samples.status)), "dropped by reason": dict(reasons)}


def _kept_by_hop(questions: pd.DataFrame) -> dict[int, int]:
    return Counter(map(int, questions.hop[questions.status == "kept"]))


def relations_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of all relations, in parts."""
    triplets = explorer.snapshot.triplets
    values = {"relations": part_of(relations_by_hop(triplets), given), "hops": hops_of(triplets)}
    return PageView("relations.html", values)


def hops_of(triplets: pd.DataFrame) -> list[str]:
    """Return the columns of the table of relations: the hops of runs, then the samples' own two graphs."""
    return [*(f"hop {hop}" for hop in sorted(triplets.hop.unique()) if hop), "textual", "visual"]


def hop_names(triplets: pd.DataFrame) -> pd.Series:
    """Return each triplet's column in the table of relations."""
    own = triplets.graph.astype("object")
    return own.where(triplets.hop == 0, "hop " + triplets.hop.astype(str))


def relations_by_hop(triplets: pd.DataFrame) -> list[RelationCount]:
    """Count the relations by hop, those used by questions first, then by frequency."""
    if triplets.empty:
        return []
    names = hop_names(triplets)
    table = pd.crosstab(triplets.relation, names).reindex(columns=hops_of(triplets), fill_value=0)
    rows = [
        RelationCount(str(name), sum(counts[:-2]), counts, sum(counts))
        for name, counts in zip(table.index, table.to_numpy().tolist(), strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.used, -row.triplets, row.name))


def growth(triplets: pd.DataFrame) -> list[tuple[int, int]]:
    """Count the distinct relations in the first samples by id, for increasing numbers of samples."""
    samples = len(triplets["sample"].cat.categories)
    first = triplets["sample"].cat.codes.groupby(triplets.relation, observed=True).min().sort_values()
    marks = sorted({round(samples * place / POINTS) for place in range(POINTS + 1)})
    return [(mark, int((first < mark).sum())) for mark in marks] if samples else []


def run_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the run ``name``; ``reason`` and ``hop`` filter the dropped, ``beside`` adds a second run.

    Raises InputError for an unknown run.
    """
    snapshot, name = explorer.snapshot, given.get("name", "")
    beside, reason = given.get("beside") or None, given.get("reason") or None
    for run in filter(None, (name, beside)):
        require_name("run", run, snapshot.runs)
    drops = _drops(snapshot.counts["runs"][name])
    hop = number_of(given, "hop", 0, most=max(drops, default=0)) or None
    with explorer.work() as work:
        record = work.run(name)
        values: dict[str, Any] = {"run": name, "reason": reason, "hop": hop, "after": given.get("after", "")}
        rows = work.store.connection.read("dropped_candidates", **values, most=PART + 1)
    dropped = [row["candidate"] for row in rows]
    differing = _differing(snapshot, name, beside) if beside else []
    return PageView(
        "run.html",
        {
            "run": record,
            "funnel": list(run_stages(snapshot.counts, name)),
            "named": snapshot.counts["runs"][name].get(NAMED, {}),
            "beside": beside,
            "beside_funnel": {stage.name: stage for stage in run_stages(snapshot.counts, beside)} if beside else {},
            "others": [run for run in snapshot.runs if run != name],
            "kept": run_beginning(explorer, name),
            "drops": {each: sum(by_reason.values()) for each, by_reason in drops.items()},
            "reasons": _reasons([by_reason for each, by_reason in drops.items() if hop in {None, each}]),
            "reason": reason,
            "hop": hop,
            "is_open": bool(reason or hop or given.get("after")),
            "dropped": dropped[:PART],
            "after": dropped[PART - 1]["id"] if len(dropped) > PART else None,
            "differing": part_of(differing, given),
        },
    )


def _drops(counts: Mapping[str, Any]) -> dict[int, Mapping[str, int]]:
    return {
        int(name.removeprefix("hop ")): of_hop.get("dropped by reason", {})
        for name, of_hop in counts["candidates"].items()
    }


def _reasons(drops: Sequence[Mapping[str, int]]) -> list[tuple[str, int]]:
    totals: Counter[str] = Counter()
    for by_reason in drops:
        totals.update(by_reason)
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def _differing(snapshot: Snapshot, run: str, beside: str) -> list[tuple[Any, ...]]:
    columns = ["sample", "hop", "text", "answer"]
    kept = snapshot.questions[snapshot.questions.status == "kept"]
    first, second = (kept.loc[kept.run == name, columns] for name in (run, beside))
    both = first.merge(second, on=["sample", "hop"], how="outer", suffixes=("", "_beside")).fillna("")
    different = both[(both.text != both.text_beside) | (both.answer != both.answer_beside)]
    return list(different.sort_values(["sample", "hop"]).itertuples(index=False, name=None))
