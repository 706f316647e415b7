"""Samples in the graph: loaded, extracted or dropped."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.forget import forget_graphs, refuse_evolved
from kbe_graph.store.row_check import SAMPLE, check_row
from kbe_graph.store.rows import Row, extraction_of, extraction_properties, sample_of, sample_properties
from kbe_graph.store.write_behind import saving_behind
from kbe_graph.text import on_one_line
from kbe_graph.types import Extraction, Progress, Sample

BATCH = 500
READ = 10_000
LOADED = {"status": "loaded", "reason": "", "detail": "", **extraction_properties(Extraction())}
STATES = ("loaded", "extracted", "dropped")


class SampleQuery(NamedTuple):
    """Which samples are wanted: each condition narrows them, and None does not."""

    benchmark: str | None = None
    split: str | None = None
    ids: Sequence[str] | None = None
    status: str | None = None


class SampleStatus(NamedTuple):
    """Where a sample stands: loaded, extracted, or dropped with its reason, and what it was extracted with."""

    status: str
    reason: str = ""
    detail: str = ""
    extraction: Extraction = Extraction()


def save_samples(connection: Connection, samples: Sequence[Sample], *, progress: Progress) -> None:
    """Save samples in batches; raises InputError for one that has evolved questions and now reads differently."""
    ordered = sorted(samples, key=lambda sample: sample.id)
    progress("load", 0, len(ordered))
    with saving_behind(connection.write) as write:
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            write(partial(_save, rows=[{"id": sample.id, "properties": sample_properties(sample)} for sample in batch]))
            progress("load", start + len(batch), len(ordered))


def _save(transaction: Transaction, rows: list[Row]) -> None:
    known = {row["sample"]["id"]: row["sample"] for row in transaction.run("samples_by_id", ids=_ids(rows))}
    fresh = [{**row, "properties": row["properties"] | LOADED} for row in rows if row["id"] not in known]
    changed = [row for row in rows if row["id"] in known and _differs(row["properties"], known[row["id"]])]
    if changed:
        refuse_evolved(transaction, _ids(changed), "the sample reads differently now")
        forget_graphs(transaction, _ids(changed))
    transaction.save("save_samples", fresh)
    transaction.save("update_samples", [{**row, "properties": row["properties"] | LOADED} for row in changed])


def _ids(rows: Sequence[Row]) -> list[str]:
    return [row["id"] for row in rows]


def _differs(properties: Row, known: Row) -> bool:
    """Return whether a sample reads differently; line breaks that stayed in what was loaded before do not count."""
    return any(
        (value or None) not in (known.get(name) or None, _on_one_line(known.get(name)))
        for name, value in properties.items()
    )


def _on_one_line(value: Any) -> Any:
    return [on_one_line(text) for text in value] if isinstance(value, list) else on_one_line(value or "")


def read_samples(connection: Connection, wanted: SampleQuery) -> list[Sample]:
    """Return the samples sorted by id; raises InputError for an unknown status."""
    if wanted.status is not None and wanted.status not in STATES:
        raise InputError(f"no status {wanted.status!r}; a sample is {', '.join(STATES)}")
    return sorted((sample_of(row) for row in _rows(connection, wanted)), key=lambda sample: sample.id)


def _rows(connection: Connection, wanted: SampleQuery) -> list[Row]:
    values: dict[str, Any] = {"benchmark": wanted.benchmark, "split": wanted.split, "status": wanted.status}
    if wanted.ids is None:
        return [row["sample"] for row in connection.read("samples", **values)]
    rows = [row["sample"] for row in connection.read("samples_by_id", ids=sorted(set(wanted.ids)))]
    return [row for row in rows if all(value is None or row[name] == value for name, value in values.items())]


def read_status(connection: Connection, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
    """Return where each sample stands."""
    rows = [check_row("sample", row, SAMPLE) for row in _rows(connection, SampleQuery(ids=ids))]
    return {
        row["id"]: SampleStatus(row["status"], row.get("reason") or "", row.get("detail") or "", extraction_of(row))
        for row in rows
    }


def read_extractions(connection: Connection, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
    """Return what the graphs of samples were extracted with, and how many with each, the most first."""
    if ids is None:
        rows = connection.read("extractions")
    else:
        batches = (ids[start : start + READ] for start in range(0, len(ids), READ))
        rows = [row for batch in batches for row in connection.read("extractions_of_samples", samples=list(batch))]
    counts: Counter[Extraction] = Counter()
    for row in rows:
        counts[extraction_of(row)] += row["samples"]
    return sorted(counts.items(), key=lambda pair: (-pair[1], astuple(pair[0])))
