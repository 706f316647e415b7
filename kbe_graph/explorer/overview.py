"""The first page and the page of a run: the numbers kept at each stage, and the reasons of the others."""

from typing import Any

import pandas as pd

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import PART, Explorer, PageView, part_of
from kbe_graph.explorer.gallery import benchmark_counts, run_beginning
from kbe_graph.explorer.snapshot import Snapshot
from kbe_graph.report.stages import run_stages, sample_stages
from kbe_graph.report.status import reason_rules
from kbe_graph.store.funnel import NAMED
from kbe_graph.web.page_request import Given

MOST = 25
POINTS = 40


def overview_page(explorer: Explorer, given: Given) -> PageView:
    """Return the first page."""
    del given
    snapshot = explorer.snapshot
    runs = {name: list(run_stages(snapshot.counts, name)) for name in snapshot.counts["runs"]}
    values = {
        "funnel": sample_stages(snapshot.counts),
        "benchmarks": benchmark_counts(snapshot),
        "runs": runs,
        "guesses": {name: counts.get("guesses") for name, counts in snapshot.counts["runs"].items()},
        "hops": hops_of(snapshot.triplets),
        "relations": relations_by_hop(snapshot.triplets),
        "relation_count": len(snapshot.relations),
        "growth": growth(snapshot.triplets),
    }
    return PageView("overview.html", values)


def hops_of(triplets: pd.DataFrame) -> list[str]:
    """Return the columns of the relations by hop: the two graphs of the samples themselves, then the hops of runs."""
    return ["visual", "textual", *(f"hop {hop}" for hop in sorted(triplets.hop.unique()) if hop)]


def hop_names(triplets: pd.DataFrame) -> pd.Series:
    """Return each triplet's column in the relations by hop."""
    own = triplets.graph.astype("object")
    return own.where(triplets.hop == 0, "hop " + triplets.hop.astype(str))


def relations_by_hop(triplets: pd.DataFrame) -> list[tuple[str, int, list[int]]]:
    """Return the most frequent relations: name, number of triplets, and their numbers by column."""
    if triplets.empty:
        return []
    columns = hops_of(triplets)
    totals = triplets.relation.value_counts().head(MOST)
    top = triplets[triplets.relation.isin(totals.index)]
    table = pd.crosstab(top.relation, hop_names(top)).reindex(index=totals.index, columns=columns, fill_value=0)
    rows = zip(totals.items(), table.to_numpy().tolist(), strict=True)
    return [(str(name), int(total), counts) for (name, total), counts in rows]


def growth(triplets: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the number of different relations in the first samples by id, at growing numbers of samples."""
    samples = len(triplets["sample"].cat.categories)
    first = triplets["sample"].cat.codes.groupby(triplets.relation, observed=True).min().sort_values()
    marks = sorted({round(samples * place / POINTS) for place in range(POINTS + 1)})
    return [(mark, int((first < mark).sum())) for mark in marks] if samples else []


def run_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the run ``name``; ``reason`` narrows the dropped candidates, ``beside`` names a second run.

    Raises InputError for an unknown run.
    """
    snapshot, name = explorer.snapshot, given.get("name", "")
    beside = given.get("beside") or None
    for run in filter(None, (name, beside)):
        if run not in snapshot.runs:
            raise InputError(f"no run {run!r}; there are {', '.join(map(repr, snapshot.runs)) or 'none'}")
    reason = given.get("reason") or None
    with explorer.work() as work:
        record = work.run(name)
        values: dict[str, Any] = {"run": name, "reason": reason, "after": given.get("after", ""), "most": PART + 1}
        rows = work.store.connection.read("dropped_candidates", **values)
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
            "reasons": _reasons(snapshot.counts["runs"][name]),
            "reason": reason,
            "rules": reason_rules(),
            "dropped": dropped[:PART],
            "after": dropped[PART - 1]["id"] if len(dropped) > PART else None,
            "differing": part_of(differing, given),
        },
    )


def _reasons(counts: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the reasons of dropped candidates over all hops, with their counts, the most frequent first."""
    totals: dict[str, int] = {}
    for of_hop in counts["candidates"].values():
        for reason, count in of_hop.get("dropped by reason", {}).items():
            totals[reason] = totals.get(reason, 0) + count
    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))


def _differing(snapshot: Snapshot, run: str, beside: str) -> list[tuple[Any, ...]]:
    """Return the questions that differ between two runs: sample, hop, text and answer of each, empty if missing."""
    columns = ["sample", "hop", "text", "answer"]
    kept = snapshot.questions[snapshot.questions.status == "kept"]
    first, second = (kept.loc[kept.run == name, columns] for name in (run, beside))
    both = first.merge(second, on=["sample", "hop"], how="outer", suffixes=("", "_beside")).fillna("")
    different = both[(both.text != both.text_beside) | (both.answer != both.answer_beside)]
    return list(different.sort_values(["sample", "hop"]).itertuples(index=False, name=None))
