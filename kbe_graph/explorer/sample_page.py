"""The page of a sample: its picture, its chain of questions, its graph, and the answers of models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import Explorer, PageView
from kbe_graph.files.pixels import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.report.question_story import JudgedAnswer
from kbe_graph.store.nodes import prediction_of
from kbe_graph.types import RAW, Question, Triplet
from kbe_graph.web.page_request import Given, number_of
from kbe_graph.workspace.workspace import Workspace

MOST = 120  # edges
SIZES = {"small": Encoding(side=240, quality=70), "page": Encoding(side=1280, quality=85)}


class Drawing(NamedTuple):
    """Nodes and edges as cytoscape.js takes them, and how many edges there are in all."""

    nodes: Sequence[Mapping[str, Any]]
    edges: Sequence[Mapping[str, Any]]
    total: int


class PlacedTriplet(NamedTuple):
    """A triplet with the hop that it came with, and the hops whose question's key it lies on."""

    triplet: Triplet
    hop: int
    key: tuple[int, ...] = ()


def triplets_by_hop(own: Iterable[Triplet], questions: Sequence[Question]) -> list[PlacedTriplet]:
    """Return the triplets of a sample, and those that the questions added, each once, those of a key first."""
    key: dict[str, list[int]] = {}
    first: dict[str, PlacedTriplet] = {triplet.id: PlacedTriplet(triplet, 0) for triplet in own}
    for question in questions:
        for triplet in question.key:
            key.setdefault(triplet.id, []).append(question.hop)
            first.setdefault(triplet.id, PlacedTriplet(triplet, question.hop))
    placed = [place._replace(key=tuple(sorted(set(key.get(id_, ()))))) for id_, place in first.items()]
    return sorted(placed, key=lambda place: (not place.key, place.hop))


def draw_triplets(placed: Sequence[PlacedTriplet]) -> Drawing:
    """Return the first triplets as a drawing."""
    shown = placed[:MOST]
    entities = {entity.key: entity for place in shown for entity in (place.triplet.subject, place.triplet.object)}
    nodes = [{"id": key, "label": entity.label} for key, entity in entities.items()]
    edges = [
        {
            "id": f"{place.triplet.id}|{place.triplet.graph}",
            "source": place.triplet.subject.key,
            "target": place.triplet.object.key,
            "label": _edge_label(place.triplet),
            "graph": place.triplet.graph,
            "hop": place.hop,
            "key": list(place.key),
        }
        for place in shown
    ]
    return Drawing(nodes, edges, len(placed))


def _edge_label(triplet: Triplet) -> str:
    return f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation


def draw_rows(rows: Iterable[Sequence[Any]]) -> Drawing:
    """Return the nodes and edges in the rows of a query: a path, or an edge that stands between its two nodes."""
    nodes: dict[str, Mapping[str, Any]] = {}
    edges: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        for cells in (row, *(cell for cell in row if isinstance(cell, list))):
            _take(cells, nodes, edges)
    shown = list(edges.values())[:MOST]
    ends = {end for edge in shown for end in (edge["source"], edge["target"])}
    alone = [id_ for id_ in nodes if id_ not in ends][: max(MOST - len(ends), 0)]
    return Drawing([nodes[id_] for id_ in nodes if id_ in {*ends, *alone}], shown, len(edges))


def _take(cells: Sequence[Any], nodes: dict[str, Mapping[str, Any]], edges: dict[str, Mapping[str, Any]]) -> None:
    for cell in filter(_is_node, cells):
        nodes.setdefault(_node_id(cell), {"id": _node_id(cell), "label": _label(cell)})
    for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
        if _is_node(before) and _is_edge(cell) and _is_node(after):
            source, target = _node_id(before), _node_id(after)
            id_ = f"{source} {cell['type']} {cell.get('id', '')} {target}"
            label = str(cell.get("relation") or cell["type"].lower())
            edges[id_] = {"id": id_, "source": source, "target": target, "label": label, **_kind(cell)}


def _is_node(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("labels"), list)


def _is_edge(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("type"), str)


def _node_id(cell: Mapping[str, Any]) -> str:
    return f"{_labels(cell)} {cell.get('id') or cell.get('name')}"


def _label(cell: Mapping[str, Any]) -> str:
    return str(cell.get("name") or cell.get("id") or _labels(cell))


def _labels(cell: Mapping[str, Any]) -> str:
    return ":".join(map(str, cell["labels"]))  # a map of a query may look like a node, whatever it holds


def _kind(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    graph = cell["type"].lower()
    return {"graph": graph if graph in {"visual", "textual"} else "other", "hop": 0, "key": [0] * (graph == "key")}


def sample_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the sample ``id`` (or of a question's), with the questions of ``run`` or of its last run.

    Raises InputError for an unknown sample or run.
    """
    with explorer.work() as work:
        story = work.sample(given.get("id", ""), run=given.get("run") or None)
        id_ = story.sample.id
        runs = sorted({question.run for question in story.questions if question.run != RAW})
        run = given.get("run") or (runs[-1] if runs else None)
        asked = [question for question in story.questions if question.run in {RAW, run}]
        own = [place.triplet for place in work.graph.triplets(id_)] if any(asked) else []
        answers = answers_to(work, asked)
        every_run = runs if run is None else work.store.connection.read("run_questions_of_samples", samples=[id_])
    chain = [question for question in asked if question.status == "kept"]
    placed = triplets_by_hop(own, chain)
    hops = max((question.hop for question in chain), default=0)
    values = {
        "sample": story.sample,
        "state": story.state,
        "pictures": range(len(story.pictures)),
        "run": run,
        "runs": sorted({row["run"] if isinstance(row, dict) else row for row in every_run}),
        "chain": replace(
            story,
            questions=tuple(asked),
            guesses=tuple(guess for guess in story.guesses if guess.run == run),
        ).chain,
        "placed": in_reading_order(placed),
        "drawing": draw_triplets(placed),
        "hops": hops,
        "hop": number_of(given, "hop", hops, most=hops),
        "answers": answers,
    }
    return PageView("sample.html", values)


def in_reading_order(placed: Sequence[PlacedTriplet]) -> list[PlacedTriplet]:
    """Return triplets as a list is read: hop by hop, those of a key first, visual before textual."""
    return sorted(placed, key=lambda place: (place.hop, not place.key, place.triplet.graph != "visual"))


def answers_to(work: Workspace, questions: Sequence[Question]) -> list[JudgedAnswer]:
    """Return the models' answers to questions, by model and variant in the order of the questions."""
    places = {question.id: place for place, question in enumerate(questions)}
    rows = work.store.connection.read("answers_to_questions", ids=list(places))
    answers = [answer for row in rows for answer in _answers(row)]
    return sorted(answers, key=lambda answer: (answer.model, answer.variant, places[answer.question]))


def _answers(row: Mapping[str, Any]) -> list[JudgedAnswer]:
    """Return a model's answer to a question, once for each judge."""
    answer = prediction_of(row)
    judged = JudgedAnswer(
        *(answer.question, answer.model, answer.variant, answer.run, answer.text, answer.verdict, answer.judge)
    )
    return judged.by_each_judge(answer.other_verdicts)


def picture_of(explorer: Explorer, given: Given) -> tuple[bytes, str]:
    """Return a picture of a sample and its media type, as ``shown_picture`` does.

    Raises InputError if it is not in the workspace's image folders, PictureError if it cannot be read.
    """
    with explorer.work() as work:
        story = work.sample(given.get("sample", ""), status="kept")
    if not story.pictures:
        raise InputError(f"no picture of {story.sample.id!r} in the folders that its benchmark was loaded with")
    return shown_picture(story.pictures, given)


def shown_picture(pictures: Sequence[Path], given: Given) -> tuple[bytes, str]:
    """Return the first picture, or that of the ``number``, and its media type; raises PictureError.

    The ``size`` "small" is for a list, "page" for a page beside its text.
    """
    file = pictures[number_of(given, "number", 0, most=len(pictures) - 1)]
    if encoding := SIZES.get(given.get("size", "")):
        return encode_jpeg(file, encoding), "image/jpeg"
    content = publish_picture(file)
    return content, mime_of(content)
