"""The sport of a picture: no annotation says what is played, but what it takes is shown (a tennis racket)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from kbe_graph.english.words import words
from kbe_graph.extract.scene import Scene, source_of, sources_of
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Triplet

SPORT = "sport"
_COLUMNS = ("thing", "sport", "concept")


def sport_triplet(scene: Scene) -> Triplet | None:
    """Return the triplet that says which sport a scene shows, with the sources of what tells it; None for none or two.

    A sport is told by a caption or by one of the 80 categories of COCO, which detectors know best; where there are both
    captions and detections, by both.
    """
    sports = list(_sports_told(scene.links(IMAGE)))
    return sports[0] if len(sports) == 1 else None


def _sports_told(depicted: tuple[Triplet, ...]) -> Iterator[Triplet]:
    needed = {source for triplet in depicted for source in sources_of(triplet)} & {"caption", "detection"}
    for sport in dict.fromkeys(_sports().values()):
        telling = [triplet for triplet in depicted if _sports().get(fold(triplet.object.name)) == sport]
        sources = dict.fromkeys(source for triplet in telling for source in sources_of(triplet))
        if needed <= set(sources) and (sure := next(filter(_is_sure, telling), None)):
            yield replace(sure, object=sport, source=source_of(sources))


def _is_sure(triplet: Triplet) -> bool:
    return set(sources_of(triplet)) != {"detection"} or fold(triplet.object.name) in words("coco categories")


@cache
def _sports() -> Mapping[str, Entity]:
    """Return the sports by the names of what tells them."""
    table = rows(data("sports.tsv"), _COLUMNS)
    return {thing: Entity(sport.upper(), concept=concept) for _, (thing, sport, concept) in table}
