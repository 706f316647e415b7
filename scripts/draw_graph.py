"""Draw the graph of one sample of the demo, with the key path of its three-hop question: ``docs/images/graph.svg``.

``python scripts/draw_graph.py WORKSPACE`` reads a workspace that ``kbe demo`` has evolved. The places are chosen by
hand, so that nothing overlaps; an entity without a place, or a place without an entity, is an error.
"""

import argparse
import base64
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from kbe_graph.store import open_store
from kbe_graph.types import Question, SampleGraph, Triplet

SAMPLE = "demo/demo/183709-country"
RUN = "demo-0"
DOCS = Path(__file__).parents[1] / "docs"
PHOTO = DOCS / "images" / "crosswalk.jpg"
FILE = DOCS / "images" / "graph.svg"

WIDTH, HEIGHT = 1260, 660
PLACES = {
    "IMAGE": (120, 300),
    "BUILDING #2": (220, 60),
    "CAR": (400, 50),
    "BUILDING": (640, 50),
    "CAP": (400, 120),
    "PERSON": (600, 140),
    "JACKET #2": (420, 246),
    "CROSSWALK": (450, 300),
    "ITALY": (640, 300),
    "ROME": (800, 300),
    "TIBER": (960, 300),
    "TYRRHENIAN SEA": (1160, 300),
    "CAR #2": (820, 370),
    "STREET": (620, 415),
    "MAN": (390, 425),
    "JACKET": (640, 475),
    "SIGN": (640, 610),
    "TRAFFIC LIGHT #2": (430, 610),
    "POLE": (245, 610),
    "TRAFFIC LIGHT": (120, 520),
}
SEEN, IMPLIED, EXPLORED, GREY = "#2563a8", "#b45309", "#15803d", "#9aa5b1"
STYLE = """
  text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2933; text-anchor: middle }
  .name { font-weight: bold } .small { font-size: 11px; fill: #52606d } .left { text-anchor: start }
  .label { font-size: 12px; paint-order: stroke; stroke: white; stroke-width: 4px; stroke-linejoin: round }
"""


class Box(NamedTuple):
    """A node as it is drawn: its middle, its width and height, its name, and its attributes in small."""

    x: float
    y: float
    width: float
    height: float
    name: str
    attributes: str = ""

    def edge(self, other: "Box") -> tuple[float, float]:
        """Return the point where a line from the middle of this box to that of another leaves this box."""
        across, down = other.x - self.x, other.y - self.y
        share = min(
            self.width / 2 / abs(across) if across else float("inf"),
            self.height / 2 / abs(down) if down else float("inf"),
        )
        return self.x + across * share, self.y + down * share


def drawing(graph: SampleGraph, question: Question, photo: bytes) -> str:
    """Return the picture as SVG: what is seen, what question and answer imply, what was explored, and the key path."""
    triplets = (*graph.visual, *graph.textual, *question.key)
    things = [triplet for triplet in triplets if not _is_attribute(triplet)]
    boxes = {box.name: box for box in _boxes(things, [triplet for triplet in triplets if _is_attribute(triplet)])}
    key = {triplet.id for triplet in question.key}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        "<title>The graph of one sample, and the key path of its three-hop question</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_markers(),
        *_lines({triplet.id: triplet for triplet in things}, boxes, key),
        *_hops(question, boxes),
        *_nodes(boxes, question, photo),
        *_legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _is_attribute(triplet: Triplet) -> bool:
    return triplet.object.label.islower()


def _boxes(things: Sequence[Triplet], attributes: Sequence[Triplet]) -> Iterator[Box]:
    names = {entity.label for triplet in things for entity in (triplet.subject, triplet.object)}
    if names != PLACES.keys():
        raise SystemExit(f"places and entities differ: {sorted(names ^ PLACES.keys())}; mend PLACES")
    for name in sorted(names):
        words = " · ".join(triplet.object.label for triplet in attributes if triplet.subject.label == name)
        size = (165, 220) if name == "IMAGE" else (max(9 * len(name), 6.2 * len(words)) + 20, 40 if words else 28)
        yield Box(*PLACES[name], *size, name, words)


def _markers() -> Iterator[str]:
    yield "<defs>"
    for colour in (SEEN, IMPLIED, EXPLORED, GREY):
        yield (
            f'<marker id="to{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8Z" fill="{colour}"/></marker>'
        )
    yield "</defs>"


def _lines(things: dict[str, Triplet], boxes: dict[str, Box], key: set[str]) -> Iterator[str]:
    for triplet in sorted(things.values(), key=lambda triplet: triplet.id in key):
        start, end = boxes[triplet.subject.label], boxes[triplet.object.label]
        (x1, y1), (x2, y2) = start.edge(end), end.edge(start)
        on_path = triplet.id in key
        plain = triplet.relation == "depicts" and not on_path
        colour = GREY if plain else _colour(triplet)
        yield (
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{colour}" '
            f'stroke-width="{3 if on_path else 1}" marker-end="url(#to{colour[1:]})"/>'
        )
        if not plain:
            yield (
                f'<text class="label" x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2 - 6:.0f}">'
                f"{escape(triplet.relation)}</text>"
            )


def _hops(question: Question, boxes: dict[str, Box]) -> Iterator[str]:
    explored = question.key[len(question.key) - question.hop :]
    for hop, triplet in enumerate(explored, 1):
        start, end = boxes[triplet.subject.label], boxes[triplet.object.label]
        x, y = (start.edge(end)[0] + end.edge(start)[0]) / 2, (start.y + end.y) / 2 - 22
        yield f'<text class="small" x="{x:.0f}" y="{y:.0f}">hop {hop}, {escape(triplet.source)}</text>'


def _colour(triplet: Triplet) -> str:
    if triplet.graph == "visual":
        return SEEN
    return IMPLIED if triplet.source == "question" else EXPLORED


def _nodes(boxes: dict[str, Box], question: Question, photo: bytes) -> Iterator[str]:
    on_path = {entity.label for triplet in question.key for entity in (triplet.subject, triplet.object)}
    for box in boxes.values():
        left, top = box.x - box.width / 2, box.y - box.height / 2
        if box.name == "IMAGE":
            yield (
                f'<image x="{left}" y="{top}" width="{box.width}" height="{box.height}" '
                f'href="data:image/jpeg;base64,{base64.b64encode(photo).decode()}"/>'
            )
            yield f'<text class="name" x="{box.x}" y="{top - 8}">IMAGE</text>'
            continue
        width = 2.5 if box.name in on_path else 1
        yield (
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{box.width:.0f}" height="{box.height}" rx="6" fill="#f5f7fa" '
            f'stroke="#52606d" stroke-width="{width}"/>'
        )
        yield f'<text class="name" x="{box.x}" y="{box.y + (-3 if box.attributes else 5)}">{escape(box.name)}</text>'
        if box.attributes:
            yield f'<text class="small" x="{box.x}" y="{box.y + 13}">{escape(box.attributes)}</text>'


def _legend() -> Iterator[str]:
    entries = ((GREY, 1, "depicts"), (SEEN, 1, "visual"), (IMPLIED, 1, "textual, implied by question and answer"))
    for place, (colour, width, words) in enumerate(
        (*entries, (EXPLORED, 1, "textual, explored"), ("#1f2933", 3, "key"))
    ):
        y = 470 + 24 * place
        yield f'<line x1="830" y1="{y}" x2="870" y2="{y}" stroke="{colour}" stroke-width="{width}"/>'
        yield f'<text class="left" x="880" y="{y + 4}">{words}</text>'


def main() -> None:
    """Draw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--to", type=Path, default=FILE, help="where the picture goes")
    arguments = parser.parse_args()
    with open_store(arguments.workspace / ".kbe", None) as store:
        graph = store.graphs([SAMPLE])[SAMPLE]
        question = max(store.questions(run=RUN, samples=[SAMPLE]), key=lambda question: question.hop)
    arguments.to.write_text(drawing(graph, question, PHOTO.read_bytes()), encoding="utf-8")


if __name__ == "__main__":
    main()
