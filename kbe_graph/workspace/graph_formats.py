"""The formats that a graph is exported in, for other engines and tools: CSV, GraphML, Turtle; networkx and py2neo."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra
from kbe_graph.files.format_registry import Registry
from kbe_graph.files.whole import replacing
from kbe_graph.store import Store
from kbe_graph.store.bulk_import import write_bulk_import
from kbe_graph.store.nodes import entity_id
from kbe_graph.types import Entity, Progress
from kbe_graph.workspace.values import SampleTriplet

if TYPE_CHECKING:
    import networkx as nx


Properties = dict[str, str | int | bool]
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def network(triplets: Iterable[SampleTriplet]) -> "nx.MultiDiGraph":
    """Return the triplets of one sample as a graph.

    A node is an entity's key, with ``name``, ``noun`` and ``concept``; an edge a triplet, with ``relation``, ``graph``,
    ``source``, ``source_ref``, ``evidence``, ``key_path``, ``run`` and ``hop``.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for place in triplets:
        subject, object_ = place.triplet.subject, place.triplet.object
        for entity in (subject, object_):
            graph.add_node(entity.key, **_node(entity))
        graph.add_edge(subject.key, object_.key, **_edge(place))
    return graph


def write_graphml(file: Path, triplets: Iterable[SampleTriplet]) -> None:
    """Write the triplets of any samples as GraphML, each sample a part of its own.

    Nodes and edges are those of ``network``, nodes with their ``sample`` too. A sign that XML cannot hold becomes the
    replacement character. Raises InputError.
    """
    require_extra("networks")
    import networkx as nx

    graph = nx.MultiDiGraph()
    for number, place in enumerate(triplets, 1):
        for id_, entity in _ends(place):
            graph.add_node(_text(id_), sample=_text(place.sample), **_plain(_node(entity)))
        subject, object_ = (_text(id_) for id_, _ in _ends(place))
        graph.add_edge(subject, object_, key=str(number), **_plain(_edge(place)))
    with replacing(file) as stream:
        nx.write_graphml_xml(graph, stream.buffer)


def subgraph(triplets: Iterable[SampleTriplet]) -> Any:
    """Return the triplets as a ``py2neo.Subgraph``: entities as nodes, VISUAL and TEXTUAL relationships between them.

    Their properties are those of ``network``, and the ``id`` that the graph of the workspace has for an entity. Raises
    ResourceError where py2neo is not installed.
    """
    require_extra("py2neo")
    import py2neo

    nodes: dict[str, Any] = {}
    relationships = []
    for place in triplets:
        for id_, entity in _ends(place):
            nodes.setdefault(id_, py2neo.Node("Entity", id=id_, sample=place.sample, **_node(entity)))
        subject, object_ = (nodes[id_] for id_, _ in _ends(place))
        relationships.append(py2neo.Relationship(subject, place.triplet.graph.upper(), object_, **_edge(place)))
    return py2neo.Subgraph(nodes.values(), relationships)


def _ends(place: SampleTriplet) -> list[tuple[str, Entity]]:
    return [(entity_id(place.sample, entity), entity) for entity in (place.triplet.subject, place.triplet.object)]


def _node(entity: Entity) -> Properties:
    return {"name": entity.label, "noun": entity.noun, "concept": entity.concept}


def _edge(place: SampleTriplet) -> Properties:
    names = ("relation", "graph", "source", "source_ref", "evidence")
    origin: Properties = {name: getattr(place.triplet, name) for name in names}
    return origin | {"key_path": place.key, "run": place.run, "hop": place.hop}


def _plain(properties: Properties) -> Properties:
    return {name: _text(value) if isinstance(value, str) else value for name, value in properties.items()}


def _text(text: str) -> str:
    return _NO_XML.sub(_UNKNOWN, text)


_PREFIXES = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix kbe: <urn:kbe:> .

"""


def write_turtle(file: Path, triplets: Iterable[SampleTriplet]) -> None:
    """Write triplets as Turtle. Raises InputError.

    Entities and relations are resources with a label: ``urn:kbe:entity:ID`` with the id that the graph of the
    workspace has, ``urn:kbe:relation:NAME``. A triplet is one more, an rdf:Statement with ``kbe:graph``,
    ``kbe:source``, ``kbe:source_ref``, ``kbe:evidence``, ``kbe:key_path``, ``kbe:run`` and ``kbe:hop``.
    """
    labels: set[str] = set()
    with replacing(file) as stream:
        stream.write(_PREFIXES)
        for place in triplets:
            for label in _labels(place):
                if label not in labels:
                    labels.add(label)
                    stream.write(label)
            stream.write(_statement(place))


def _labels(place: SampleTriplet) -> Iterator[str]:
    for entity in (place.triplet.subject, place.triplet.object):
        concept = f" ; kbe:concept {_literal(entity.concept)}" if entity.concept else ""
        about = f"a kbe:Entity ; rdfs:label {_literal(entity.label)} ; kbe:sample {_literal(place.sample)}"
        yield f"{_entity(place, entity)} {about}{concept} .\n"
    yield f"{_relation(place)} a rdf:Property ; rdfs:label {_literal(place.triplet.relation)} .\n"


def _statement(place: SampleTriplet) -> str:
    triplet = place.triplet
    subject, relation, object_ = _entity(place, triplet.subject), _relation(place), _entity(place, triplet.object)
    names = ("graph", "source", "source_ref", "evidence")
    texts = {name: getattr(triplet, name) for name in names} | {"run": place.run}
    origin = [f"kbe:{name} {_literal(text)}" for name, text in texts.items() if text]
    parts = [
        "a rdf:Statement",
        f"rdf:subject {subject}",
        f"rdf:predicate {relation}",
        f"rdf:object {object_}",
        *origin,
        f"kbe:key_path {str(place.key).lower()}",
        f"kbe:hop {place.hop}",
    ]
    name = _resource("triplet", f"{place.sample}|{triplet.graph}|{triplet.id}@{place.run}/{place.hop}")
    return f"{subject} {relation} {object_} .\n{name} {' ; '.join(parts)} .\n"


def _entity(place: SampleTriplet, entity: Entity) -> str:
    return _resource("entity", entity_id(place.sample, entity))


def _relation(place: SampleTriplet) -> str:
    return _resource("relation", place.triplet.relation)


def _resource(kind: str, name: str) -> str:
    return f"<urn:kbe:{kind}:{quote(name, safe='/@')}>"


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # the escapes of JSON are escapes of Turtle too


class GraphExport(NamedTuple):
    """An exported graph: its format, its size, and the command that reads it in, if it needs one."""

    format: str
    nodes: int
    edges: int
    command: str = ""


class GraphSource(NamedTuple):
    """A graph to export: its store, and its triplets, of all samples or of some."""

    store: Store
    triplets: Callable[[], Sequence[SampleTriplet]]
    progress: Progress


class GraphFormat(NamedTuple):
    """A format: its contents, the suffix of its file (empty for a folder), and its writer.

    ``is_whole`` marks a format that holds the graph with its questions and answers; the others hold triplets.
    """

    about: str
    suffix: str
    write: Callable[[Path, GraphSource], GraphExport]
    is_whole: bool = False


def _write_csv(folder: Path, source: GraphSource) -> GraphExport:
    return GraphExport("csv", *write_bulk_import(source.store.connection, folder, progress=source.progress))


def _of_triplets(
    name: str, write: Callable[[Path, Sequence[SampleTriplet]], None]
) -> Callable[[Path, GraphSource], GraphExport]:
    def export(file: Path, source: GraphSource) -> GraphExport:
        triplets = source.triplets()
        write(file, triplets)
        entities = {
            (place.sample, entity.key) for place in triplets for entity in (place.triplet.subject, place.triplet.object)
        }
        return GraphExport(name, len(entities), len(triplets))

    return export


GRAPH_FORMATS: Registry[GraphFormat] = Registry(
    "graph format",
    "kbe_graph.graphs",
    {
        "csv": GraphFormat("the whole graph for neo4j-admin database import", "", _write_csv, is_whole=True),
        "graphml": GraphFormat(
            "triplets for Gephi, yEd, Cytoscape and networkx", ".graphml", _of_triplets("graphml", write_graphml)
        ),
        "turtle": GraphFormat("triplets with their sources as RDF", ".ttl", _of_triplets("turtle", write_turtle)),
    },
)


def graph_format(name: str | None, to: Path, *, is_part: bool) -> GraphFormat:
    """Return the format of this name, else the one of the file's suffix.

    Raises InputError for an unknown name or suffix, and for a part of a graph in a format that holds whole graphs.
    """
    if name is None:
        is_folder = to.is_dir() or not to.exists()
        names = [name for name, row in GRAPH_FORMATS.items() if row.suffix == to.suffix and (row.suffix or is_folder)]
        if not names:
            formats = ", ".join(f"{format_} ({row.suffix or 'a folder'})" for format_, row in GRAPH_FORMATS.items())
            raise InputError(f"{str(to)!r} does not show which format to write; name one of {formats}")
        name = names[0]
    chosen = GRAPH_FORMATS.require(name)
    if is_part and chosen.is_whole:
        others = " or ".join(format_ for format_, row in GRAPH_FORMATS.items() if not row.is_whole)
        raise InputError(f"{name!r} contains whole graphs; leave out the sample and the run, or choose {others}")
    return chosen
