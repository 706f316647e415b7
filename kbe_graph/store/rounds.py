"""Storage of the rounds by which a run follows the models, and of the drafts that they take."""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from kbe_graph.store.connection import Stored, Transaction
from kbe_graph.store.edges import key_of
from kbe_graph.store.nodes import Row, entity_id, node_row, parse_field, properties_of, value_of
from kbe_graph.types import Dispute, Draft, DraftEdge, Growth, Round, RoundFigures

EDGES = {"GREW": Growth, "DISPUTES": Dispute}


class StoredRounds(Stored):
    """The rounds of runs, and the passed drafts of runs."""

    def save_round(self, made: Round) -> None:
        """Save a round with its edges, in place of an earlier one of that number; the run that it makes is complete."""
        properties = properties_of(made, "figures", "grew", "disputes")
        figures = {"figures": json.dumps([each._asdict() for each in made.figures])}
        rows = {
            "save_rounds": [node_row(made.id, properties | figures)],
            "save_runs": [node_row(made.makes, {"status": "complete"})] if made.makes else [],
            "save_grew": [_edge_row(made, each) for each in made.grew],
            "save_disputes": [_edge_row(made, each) for each in made.disputes],
        }
        self.connection.write(partial(_write, id_=made.id, rows=rows))

    def rounds(self, run: str) -> list[Round]:
        """Return the rounds of a run, or of the run that it came of by rounds, in order."""
        rows = [row["round"] for row in self.connection.read("rounds", run=run)]
        edges: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for row in self.connection.read("round_edges", ids=[row["id"] for row in rows]):
            kind = EDGES[row["type"]]
            edges[row["round"], row["type"]].append(value_of(kind, "round", row["edge"], question=row["question"]))
        return sorted((_round_of(row, edges) for row in rows), key=lambda each: each.number)

    def disputes(self, run: str) -> list[Dispute]:
        """Return the questions of a run that rounds found disputed, sorted by id."""
        rows = self.connection.read("disputes", run=run)
        found = {row["question"]: value_of(Dispute, "round", row["edge"], question=row["question"]) for row in rows}
        return [found[id_] for id_ in sorted(found)]

    def drafts(self, run: str, samples: Sequence[str]) -> list[Draft]:
        """Return a run's drafts that passed every gate, by sample (ids) and rank."""
        edges: dict[str, list[Row]] = defaultdict(list)
        for row in self.connection.read_by_ids("draft_edges", samples, parameter="samples", run=run):
            edges[row["draft"]].append(row)
        rows = self.connection.read_by_ids("passed_drafts", samples, parameter="samples", run=run)
        drafts = [_draft_of(row["draft"], edges[row["draft"]["id"]]) for row in rows]
        return sorted(drafts, key=lambda draft: (draft.sample, draft.rank, draft.number))


def _write(transaction: Transaction, id_: str, rows: dict[str, list[Row]]) -> None:
    transaction.run("forget_round", id=id_)
    transaction.save_all(rows)


def _edge_row(made: Round, edge: Growth | Dispute) -> Row:
    fields = edge._asdict()
    return {"subject": made.id, "object": fields.pop("question"), "properties": fields}


def _round_of(row: Row, edges: dict[tuple[str, str], list[Any]]) -> Round:
    figures = tuple(RoundFigures(**each) for each in parse_field("round", row, "figures"))
    found = {"GREW": "grew", "DISPUTES": "disputes"}
    more = {name: tuple(sorted(edges[row["id"], kind])) for kind, name in found.items()}
    return value_of(Round, "round", row, figures=figures, **more)


def _draft_of(row: Row, edges: list[Row]) -> Draft:
    ordered = sorted(edges, key=lambda each: each["edge"][1])
    triplets = key_of([(each["edge"], each["subject"], each["object"]) for each in ordered])
    flags = [(each["word"], each["seen"], each["number"], each["rival"]) for each in ordered]
    own = tuple(DraftEdge(triplet, *flag) for triplet, flag in zip(triplets, flags, strict=True))
    ends = (end for triplet in triplets for end in (triplet.object, triplet.subject))
    end = next(end for end in ends if entity_id(row["sample"], end) == row["end"])
    return value_of(Draft, "draft", row, edges=own, end=end)
