"""The formats that a graph is exported in, for other engines and tools."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.bulk_import import write_bulk_import
from kbe_graph.types import Progress
from kbe_graph.workspace.networks import write_graphml
from kbe_graph.workspace.turtle import write_turtle
from kbe_graph.workspace.values import SampleTriplet


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
        """Write the triplets of a graph."""
        triplets = source.triplets()
        write(file, triplets)
        entities = {
            (place.sample, entity.key) for place in triplets for entity in (place.triplet.subject, place.triplet.object)
        }
        return GraphExport(name, len(entities), len(triplets))

    return export


GRAPH_FORMATS: Mapping[str, GraphFormat] = {
    "csv": GraphFormat("the whole graph, for neo4j-admin database import", "", _write_csv, is_whole=True),
    "graphml": GraphFormat(
        "triplets, for Gephi, yEd, Cytoscape and networkx", ".graphml", _of_triplets("graphml", write_graphml)
    ),
    "turtle": GraphFormat("triplets with their sources, as RDF", ".ttl", _of_triplets("turtle", write_turtle)),
}
"""The formats by name."""


def graph_format(name: str | None, to: Path, *, is_part: bool) -> GraphFormat:
    """Return the format of this name, else the one of the file's suffix.

    Raises InputError for an unknown name or suffix, and for a part of a graph in a format that holds whole graphs.
    """
    if name is None:
        is_folder = to.is_dir() or not to.exists()
        names = [name for name, row in GRAPH_FORMATS.items() if row.suffix == to.suffix and (row.suffix or is_folder)]
        name = names[0] if names else ""
    if name not in GRAPH_FORMATS:
        formats = ", ".join(f"{format_} ({row.suffix or 'a folder'})" for format_, row in GRAPH_FORMATS.items())
        problem = f"no format of a graph is called {name!r}" if name else f"{str(to)!r} does not tell its format"
        raise InputError(f"{problem}; name one of {formats}")
    if is_part and GRAPH_FORMATS[name].is_whole:
        others = " or ".join(format_ for format_, row in GRAPH_FORMATS.items() if not row.is_whole)
        raise InputError(f"{name!r} holds whole graphs; leave the sample and the run out, or choose {others}")
    return GRAPH_FORMATS[name]
