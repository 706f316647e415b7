"""Conversion of triplets to rows of entities and edges, and back; paths over the edges (KBE, section 3.2).

Ids: an edge is ``sample id|triplet id`` (an explored edge adds ``@run``); a key edge or an alternative is
``question id|position``.
"""

import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from kbe_graph.english.inflect import head, singular
from kbe_graph.english.words import entity_type
from kbe_graph.errors import KbeWarning
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection, StatementTimeout, Stored, batches, batches_by
from kbe_graph.store.nodes import Row, entity_id, node_row
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, PRESUPPOSED, Alternative, Entity, Question, SampleGraph, Triplet

ENTITY = ("term", "name", "number", "noun", "concept", "type", "kind")
ORIGIN = ("relation", "source", "source_ref", "evidence")


def entity_rows(sample: str, triplets: Iterable[Triplet]) -> list[Row]:
    """Return the unique entities of the triplets as rows; the first of several with the same key wins."""
    entities: dict[str, Entity] = {}
    for triplet in triplets:
        for entity in (triplet.subject, triplet.object):
            entities.setdefault(entity_id(sample, entity), entity)
    return [node_row(id_, _entity_properties(sample, entity)) for id_, entity in sorted(entities.items())]


def _entity_properties(sample: str, entity: Entity) -> Row:
    names = {"sample": sample, "term": fold(entity.name), "name": entity.name, "number": entity.number}
    type_ = entity_type(entity.name, entity.concept)
    return names | {
        "noun": entity.noun,
        "concept": entity.concept,
        "type": type_,
        "kind": kind_of_term(fold(entity.name), entity.noun),
    }


def kind_of_term(term: str, noun: bool) -> str:
    """Return the kind by which another picture's things are like this one: that of a BLACK DOG is ``dog``."""
    return singular(head(term)) if noun else term


def entity_statements(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of entities and their terms by statement, in order; entities already stored are not changed."""
    links = _is_rows(rows)
    return {"save_entities": list(rows), "save_terms": term_rows(row["object"] for row in links), "save_is": links}


def term_rows(names: Iterable[str]) -> list[Row]:
    """Return the unique terms of these folded names."""
    return [node_row(name, {}) for name in sorted(set(names))]


def _is_rows(entities: Sequence[Row]) -> list[Row]:
    terms = [(row["id"], row["properties"]["term"], row["properties"]["name"]) for row in entities]
    return [{"subject": id_, "object": term} for id_, term, name in terms if name != "IMAGE"]


def graph_row(sample: str, visual: Sequence[Triplet], textual: Sequence[Triplet]) -> Row:
    """Return the graph of a sample as a row of ``create_graphs``; the header of that statement documents the lists.

    Each triplet appears once, with its position among those of its kind.
    """
    entities = entity_rows(sample, (*visual, *textual))
    places = {row["id"]: place for place, row in enumerate(entities)}
    return {
        "id": sample,
        "roots": [places[id_] for id_ in (entity_id(sample, IMAGE),) if id_ in places],
        "entities": [[row["id"], *(row["properties"][name] for name in ENTITY)] for row in entities],
        "links": [[places[row["subject"]], row["object"]] for row in _is_rows(entities)],
        "visual": _edges(sample, visual, places),
        "textual": _edges(sample, textual, places),
    }


def _edges(sample: str, triplets: Iterable[Triplet], places: Mapping[str, int]) -> list[list[Any]]:
    rows: dict[str, list[Any]] = {}
    for position, triplet in enumerate(triplets):
        id_ = _edge_id(sample, triplet)
        ends = (places[entity_id(sample, entity)] for entity in (triplet.subject, triplet.object))
        rows.setdefault(id_, [*ends, id_, position, edge_draw(sample, triplet), *_origin(triplet).values()])
    return [rows[id_] for id_ in sorted(rows)]


def _edge_id(sample: str, triplet: Triplet) -> str:
    return f"{sample}|{triplet.id}"


def edge_draw(sample: str, triplet: Triplet) -> int:
    """Return the random-draw value of a triplet; it differs between the two graphs if both hold the same triplet."""
    id_ = _edge_id(sample, triplet)
    return zlib.crc32((id_ if triplet.graph == "visual" else f"{id_}|{triplet.graph}").encode())


def explored_rows(question: Question) -> list[Row]:
    """Return the triplets that hops added to the key as edges of the run; saving skips those in the sample's graph."""
    rows = []
    for position, triplet in enumerate(question.explored, start=len(question.root)):
        if triplet.graph == "visual":  # an identity, which stands in the sample's graph
            continue
        own = _edge_id(question.sample, triplet)
        about = {"sample": question.sample, "hop": question.hop, "run": question.run, "question": question.id}
        values = about | {"position": position, "draw": zlib.crc32(own.encode())}
        rows.append(_edge_row(f"{own}@{question.run}", question.sample, triplet, values) | {"own": own})
    return rows


def key_rows(question: Question) -> list[Row]:
    """Return the key edges of a question; each carries the object as this run wrote it."""
    rows = []
    for position, triplet in enumerate(question.key):
        entity, about = triplet.object, {"question": question.id, "sample": question.sample, "run": question.run}
        place = {"hop": question.hop, "position": position, "graph": triplet.graph}
        written = {"name": entity.name, "noun": entity.noun, "concept": entity.concept}
        own = about | place | written | {"triplet": _edge_id(question.sample, triplet)}
        rows.append(_edge_row(f"{question.id}|{position:03}", question.sample, triplet, own))
    return rows


def alternative_rows(question: Question, alternatives: Iterable[Alternative]) -> list[Row]:
    """Return the edges from a question to the entity that its alternatives would replace; none without a key."""
    if not question.key:
        return []
    ends = {"subject": question.id, "object": entity_id(question.sample, question.start)}
    return [
        node_row(f"{question.id}|{position:02}", {**alternative._asdict(), "position": position}) | ends
        for position, alternative in enumerate(alternatives)
    ]


def _edge_row(id_: str, sample: str, triplet: Triplet, own: Row) -> Row:
    ends = {"subject": entity_id(sample, triplet.subject), "object": entity_id(sample, triplet.object)}
    return node_row(id_, own | _origin(triplet)) | ends


def _origin(triplet: Triplet) -> Row:
    return {name: getattr(triplet, name) for name in ORIGIN}


def graph_of(edges: Iterable[Sequence[Any]]) -> tuple[tuple[Triplet, ...], tuple[Triplet, ...]]:
    """Build the visual and the textual triplets of a sample, in order, from the edges that ``graphs`` returns."""
    triplets = [_triplet_of(edge) for edge in sorted(edges, key=lambda edge: edge[1])]
    visual = tuple(triplet for triplet in triplets if triplet.graph == "visual")
    return visual, tuple(triplet for triplet in triplets if triplet.graph == "textual")


def key_of(edges: Iterable[Sequence[Any]]) -> tuple[Triplet, ...]:
    """Build the key subgraph of a question, in order, from the edges that ``keys`` returns with the ids of their ends.

    A subject that is the object of an earlier edge is taken from that edge, so that it reads as the question's run
    wrote it.
    """
    met: dict[str, Entity] = {}
    triplets = []
    for edge, subject, thing in sorted(edges, key=lambda row: row[0][1]):
        triplets.append(_triplet_of(edge, met.get(subject)))
        met.setdefault(thing, triplets[-1].object)
    return tuple(triplets)


def _triplet_of(edge: Sequence[Any], subject: Entity | None = None) -> Triplet:
    graph, _, relation, source, source_ref, evidence, *ends = edge
    first, last = subject or Entity(*ends[:4]), Entity(*ends[4:])
    return Triplet(first, relation, last, graph, source or "", source_ref or "", evidence or "")


Path = tuple[Triplet, ...]
EDGES = 5_000
MOST_ENDS = 20
PATHS_TO_AN_END = 3
MOST_TRAILS = 20_000
BOUND = "*1..10"
SEEDS = 1_000_003
PRIME = 2_147_483_647
CYCLE_BATCH = 1_000
_START = IMAGE.key


class CycleRow(NamedTuple):
    """A cycle check: whether an object with this key would close a cycle in the question's key subgraph."""

    question: str
    sample: str
    object_key: str


class PathSearch(Stored):
    """Re-selection and cycle checks."""

    def reselect(
        self,
        graphs: Mapping[str, SampleGraph],
        *,
        seed: int,
        max_length: int = 10,
        timeout: float = 60,
        most_trails: int = MOST_TRAILS,
    ) -> dict[str, list[Path]]:
        """Find candidate key paths in each graph: longest first, to at most twenty ends, at most three paths to an end.

        ``graphs`` come from ``Store.graphs``; a sample whose search timed out is left out. A path is simple, starts at
        IMAGE, has at most ``max_length`` edges, avoids triplets that are only presupposed, and ends in a noun other
        than the old answer, so it is never the old key. Among paths of the same length to the same end, one is drawn at
        random. In a graph so dense that ``most_trails`` or more trails start at IMAGE, the maximum length is lowered
        one edge at a time until there are fewer, and a warning gives the number of such samples; so the result does not
        depend on the speed of the machine. ``timeout`` is in seconds.
        """
        limits = {"timeout": timeout, "trails": most_trails}
        factor = zlib.crc32(str(seed).encode()) % SEEDS + 1
        ways: dict[str, list[Path]] = {}
        left = sorted(graphs)
        sizes = {sample: len(graph.visual) + len(graph.textual) for sample, graph in graphs.items()}
        for length in range(max_length, 0, -1):
            dense = []
            for batch in batches_by(left, sizes.__getitem__, EDGES):
                for row in _search(self.connection, batch, length, limits):
                    if row["ways"] is None:
                        dense.append(row["sample"])
                    else:
                        ways[row["sample"]] = chosen_paths(graphs[row["sample"]], row["ways"], factor)
            left = dense
            if left and length == max_length:
                dense_ones = f"the graphs of {len(left)} samples are so dense that only paths"
                message = f"{dense_ones} shorter than {max_length} edges were looked at"
                warnings.warn(message, KbeWarning, stacklevel=2)
        return dict(sorted(ways.items()))

    def cycles(self, rows: Sequence[CycleRow]) -> list[str]:
        """Return for each row the key of the entity that its object is or leads back to, or an empty string.

        Such an entity is a subject of the question's key subgraph, or its answer; the first by name of several.
        """
        asked: list[Row] = [
            {"place": place, "question": row.question, "sample": row.sample, "object": row.object_key}
            for place, row in enumerate(rows)
        ]
        back: dict[int, str] = {}
        for batch in batches(asked, CYCLE_BATCH):
            back |= {row["place"]: min(row["back"]) for row in self.connection.read("cycles", rows=batch)}
        return [back.get(place, "").removeprefix(f"{row.sample}|") for place, row in enumerate(rows)]


def _search(connection: Connection, samples: list[str], length: int, limits: dict[str, Any]) -> list[Row]:
    text = statement("reselect").replace(BOUND, f"*1..{int(length)}")  # a path length cannot be a parameter
    try:
        return connection.read_text(text, samples=samples, **limits)
    except StatementTimeout:
        if len(samples) == 1:
            return []
    return [row for sample in samples for row in _search(connection, [sample], length, limits)]


def chosen_paths(graph: SampleGraph, ways: Iterable[Sequence[int]], factor: int) -> list[Path]:
    """Choose paths to at most twenty ends, longest first; at most three to an end, each of a different length.

    ``ways`` are the trails in the sample's graph, each as the draw values of its edges. If two triplets have the same
    draw value (rare), no path uses them. Among equally long paths to an end, the one with the highest score is chosen:
    the sum of its draw values times ``factor``, modulo a prime. So all are equally likely, and every engine gives the
    same result.
    """
    edges: dict[int, Triplet] = {}
    places: dict[int, str] = {}
    barred: set[int] = set()
    for triplet in (*graph.visual, *graph.textual):
        draw = edge_draw(graph.sample, triplet)
        if draw in edges or triplet.source == PRESUPPOSED:
            barred.add(draw)
        edges[draw], places[draw] = triplet, triplet.object.key
    best: dict[str, dict[int, tuple[int, Sequence[int]]]] = {}
    for way in ways:
        reached = {places[draw] for draw in way}
        if len(reached) < len(way) or _START in reached or not barred.isdisjoint(way):
            continue
        scored = len(way) * PRIME + sum(way) * factor % PRIME, way
        lengths = best.setdefault(places[way[-1]], {})
        if len(way) not in lengths or scored > lengths[len(way)]:
            lengths[len(way)] = scored
    ends = sorted(best.values(), key=lambda lengths: max(lengths.values()), reverse=True)[:MOST_ENDS]
    longest = (sorted(lengths.values(), reverse=True)[:PATHS_TO_AN_END] for lengths in ends)
    return [tuple(edges[draw] for draw in way) for _, way in sorted(chain(*longest), reverse=True)]
