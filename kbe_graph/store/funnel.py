"""Counts of samples, questions and candidates by stage, hop and reason."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from kbe_graph.store.connection import Connection
from kbe_graph.store.nodes import Row, run_of
from kbe_graph.store.samples import StoredSamples
from kbe_graph.types import TWIN, VERDICTS, RunRecord

Counts = dict[str, Any]
NAMED = "named without the picture"
NO_CONCEPT = "no concept"
_BY_RUN = ("count_questions", "count_candidates", "yes_by_verdict", "guesses_by_hop")
_TELLING = {
    "chosen": ("checks", "sample", "unsourced", "reselect"),
    "models": ("generator", "verifier", "guesser", "judge", "families"),
}


class StoredCounts(StoredSamples):
    """Counts of everything."""

    def status(self, run: str | None = None) -> Counts:
        """Return the counts of samples, of the three parts of the method, and of the questions of a run or each run.

        Pos_T1 are the samples whose answer is a noun, Pos_F the others, Pos_T2 the samples of Pos_F for which
        re-selection found a noun answer, and Pos_T is Pos_T1 plus Pos_T2 (KBE, section 3.2). Page pictures, items,
        statements and reviewers' decisions are counted if there are any.
        """
        read = self.connection.read
        rows = {name: read(name, run=run) for name in _BY_RUN}
        runs = {row["name"]: run_of(row) for row in read("runs")}
        raw = {row["noun"]: row["count"] for row in read("count_raw")}
        names = sorted({row["run"] for row in rows["count_questions"]} | set(runs))
        return (
            {
                "samples": _counted(read("count_samples")),
                "graphs": [{**asdict(extraction), "samples": count} for extraction, count in self.extractions()],
                "runs": {name: _of_run(name, runs.get(name), raw, rows) for name in names if run in {None, name}},
                "parts": _parts(raw, []),
            }
            | _wiki(self.connection)
            | _reviews(self.connection, run)
        )


def _of_run(name: str, record: RunRecord | None, raw: dict[bool, int], rows: Mapping[str, list[Row]]) -> Counts:
    questions, candidates, verdicts, guesses = (
        [row for row in rows[statement] if row["run"] == name] for statement in _BY_RUN
    )
    settings = dict(record.settings) if record else {}
    counts: Counts = {
        "state": record.state if record else "complete",
        "parts": _parts(raw, questions),
        "questions": _by_hop([row for row in questions if row["kind"] != TWIN]),
        "candidates": _by_hop(candidates),
    }
    for title, names in _TELLING.items():
        if chosen := {name: settings[name] for name in names if name in settings}:
            counts[title] = chosen
    twins = [row for row in questions if row["kind"] == TWIN]
    return counts | ({"twins": _counted(twins)} if twins else {}) | _verdicts(verdicts) | _named_by_row(guesses)


def _wiki(connection: Connection) -> Counts:
    pictures = connection.read("count_pictures")
    items = {row["fetched"]: row["count"] for row in connection.read("count_items")}
    if not (pictures or items):
        return {}
    statements = {row["kept"]: row["count"] for row in connection.read("count_statements")}
    reasons = Counter[str]()
    for row in pictures:
        reasons[row["reason"]] += row["count"]
    counts: Counts = {
        "pictures": reasons.total(),
        "pictures with an item": sum(row["count"] for row in pictures if row["known"]),
        "pictures by reason": _by_count({reason: count for reason, count in reasons.items() if reason}),
        "items": items.get(True, 0),
        "items only named": items.get(False, 0),
        "statements": sum(statements.values()),
        "statements kept": statements.get(True, 0),
    }
    return {"wiki": counts}


def _reviews(connection: Connection, run: str | None) -> Counts:
    rows = sorted(connection.read("count_reviews"), key=lambda row: str(row["run"]))
    names = ("decisions", "questions", "reviewers")
    counts = {row["run"]: {name: row[name] for name in names} for row in rows if run in {None, row["run"]}}
    return {"reviews": counts} if counts else {}


def _by_count(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _parts(raw: dict[bool, int], questions: list[Row]) -> Counts:
    kept = [row for row in questions if row["kind"] == "reselected" and row["status"] == "kept"]
    first, second = raw.get(True, 0), sum(row["count"] for row in kept)
    parts = {"Pos_T1": first, "Pos_F": raw.get(False, 0)}
    return parts | {"Pos_T2": second, "Pos_T": first + second} if questions else parts


def _verdicts(rows: list[Row]) -> Counts:
    total = sum(row["questions"] for row in rows)
    shares = {verdict: round(sum(row[verdict] for row in rows) / total, 3) for verdict in VERDICTS if rows}
    return {"verdicts": {"questions": total, "yes": shares}} if rows else {}


def _named_by_row(rows: list[Row]) -> Counts:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        hop = f"hop {row['hop']}"
        groups[{"raw": "raw", "reselected": "re-selected"}.get(row["kind"], hop)].append(row)
    return {NAMED: {name: _named_share(of_row) for name, of_row in groups.items()}} if rows else {}


def _named_share(rows: list[Row]) -> Counts:
    asked, right = (sum(row[name] for row in rows) for name in ("asked", "right"))
    models = sorted({row["model"] for row in rows if row["model"]})
    return {"asked": asked, "right": right, "share": round(right / asked, 3), "by": models}


def _counted(rows: list[Row]) -> Counts:
    counts: Counts = {}
    for status in sorted({row["status"] for row in rows}):
        some = [row for row in rows if row["status"] == status]
        counts[status] = sum(row["count"] for row in some)
        reasons = {row["reason"]: row["count"] for row in some if row["reason"]}
        if reasons:
            counts[f"{status} by reason"] = _by_count(reasons)
    return counts


def _by_hop(rows: list[Row]) -> Counts:
    hops: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        hops[row["hop"]].append(row)
    return {f"hop {hop}": _counted(counted) for hop, counted in sorted(hops.items())}
