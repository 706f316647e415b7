"""Identities that models recognised, and drafts of questions with the answer sets of their keys."""

from collections.abc import Iterable, Sequence

from kbe_graph.store.connection import Stored, batches
from kbe_graph.store.edges import ORIGIN, entity_rows, entity_statements
from kbe_graph.store.nodes import entity_id
from kbe_graph.store.rows import Row, node_row, properties_of, value_of
from kbe_graph.types import AnswerSets, Draft, Entity, Identity, Triplet, question_id

BATCH = 100
YEARS = range(1000, 2200)


class StoredDrafts(Stored):
    """The identities of samples, and the drafts of runs."""

    def save_identities(self, identities: Sequence[Identity]) -> None:
        """Save what was recognised in pictures, replacing earlier records with the same ids."""
        for batch in batches(identities, BATCH):
            rows = [node_row(each.id, properties_of(each, "triplet") | _triplet_row(each.triplet)) for each in batch]
            self.connection.save({"save_identities": rows})

    def save_drafts(self, drafts: Sequence[Draft]) -> None:
        """Save drafts with their triplets, replacing earlier ones with the same ids."""
        for batch in batches(drafts, BATCH):
            ends = (row for each in batch for row in entity_rows(each.sample, (edge.triplet for edge in each.edges)))
            rows = entity_statements(list({row["id"]: row for row in ends}.values()))
            rows["save_drafts"] = [_draft_row(draft) for draft in batch]
            rows["save_draft"] = [row for draft in batch for row in _edge_rows(draft)]
            self.connection.save(rows)

    def identities(self, samples: Sequence[str]) -> list[Identity]:
        """Return what was recognised in the pictures of samples (ids), confirmed or refused, sorted by id."""
        rows = self.connection.read_by_ids("identities", samples, parameter="samples")
        identities = [_identity_of(row["identity"]) for row in rows]
        return sorted(identities, key=lambda identity: identity.id)

    def answer_sets(self, draft: Draft) -> AnswerSets:
        """Return what fits a saved draft, by all edges of its key and without each of them."""
        rows = self.connection.read("answers", id=draft.id)
        return {row["left_out"]: frozenset(row["answers"]) for row in rows}


def _draft_row(draft: Draft) -> Row:
    numbers = [edge.number for edge in draft.edges if edge.number is not None]
    properties = properties_of(draft, "edges", "end", "calls") | {
        "hop": draft.hop,
        "depth": draft.depth,
        "end": entity_id(draft.sample, draft.end),
        "years": bool(numbers) and all(number in YEARS for number in numbers),
        "calls": list(draft.calls),
        "question": draft.id if draft.status != "chosen" else question_id(draft.sample, draft.run, draft.hop),
    }
    return node_row(draft.id, properties)


def _edge_rows(draft: Draft) -> Iterable[Row]:
    for position, edge in enumerate(draft.edges):
        triplet = edge.triplet
        properties: Row = {
            "draft": draft.id,
            "sample": draft.sample,
            "run": draft.run,
            "position": position,
            "word": edge.word,
            "seen": edge.is_seen,
            "number": edge.number,
            "rival": edge.rival,
            "graph": triplet.graph,
            **{name: getattr(triplet, name) for name in ORIGIN},
        }
        ends = {"subject": entity_id(draft.sample, triplet.subject), "object": entity_id(draft.sample, triplet.object)}
        yield node_row(f"{draft.id}|{position:02}", properties) | ends


def _triplet_row(triplet: Triplet) -> Row:
    ends = {"subject": triplet.subject.name, "subject_number": triplet.subject.number, "object": triplet.object.name}
    return ends | {name: getattr(triplet, name) for name in ORIGIN}


def _identity_of(row: Row) -> Identity:
    subject = Entity(row["subject"], row["subject_number"])
    triplet = Triplet(subject, row["relation"], Entity(row["object"]), "visual", *(row[name] for name in ORIGIN[1:]))
    return value_of(Identity, "identity", row, triplet=triplet)
