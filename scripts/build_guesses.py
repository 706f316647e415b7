"""Builds what the words of a question give away, ``kbe_graph/data/guesses.tsv``, and what is often seen, ``shown.tsv``.

The counts are of captions of COCO's val2014 images as github.com/microsoft/PICa has them (``input_text/vinvl_caption``,
MIT licence), one image in ``EVERY``, none that OK-VQA asks about. For a relation ("riding"), what a question may call
its end ("animal", nothing) and who has it (a name, a sort of thing, anything) the ends are written that hold more than
``MOST`` of what captions say, where they say it ``LEAST`` times. Of one edge alone ("What animal is in this image?")
the relation is "depicts". Seen is what captions depict ``SEEN`` times, of the kinds that are asked for so. The same
captions give the same bytes::

    python scripts/build_guesses.py VinVL_base_val2014.tsv.gz --without val_detections.json.gz
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.annotations.annotations import Annotations, read_annotations
from kbe_graph.annotations.view import View
from kbe_graph.checks.askable import ALONE
from kbe_graph.checks.giveaway import ANYTHING, COLUMNS, AskedEnd, asked_of
from kbe_graph.english.parse import ENGLISH
from kbe_graph.extract.captions import read_caption
from kbe_graph.extract.scene import DEPICTS, related
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Triplet

DATA = Path(__file__).parent.parent / "kbe_graph" / "data"
LEAST, MOST, SEEN = 4, 0.25, 2
EVERY = 3  # images: one in three tells as much
COMMON = 12  # ends of which one may hold so much
TOGETHER = 500

Counts = dict[AskedEnd, Counter[str]]


def counts(annotations: Annotations, images: Sequence[str]) -> Counts:
    """Return how often each end stands under what is asked."""
    found: Counts = defaultdict(Counter)
    for start in range(0, len(images), TOGETHER):
        batch = images[start : start + TOGETHER]
        ENGLISH.parse_all(view.evidence for image in batch for view in annotations.views[image])
        for triplet in (triplet for image in batch for triplet in triplets(annotations.views[image])):
            for asked in asked_of(triplet):
                found[asked][triplet.object.name.lower()] += 1
    return found


def triplets(views: Sequence[View]) -> Iterator[Triplet]:
    """Give what the captions of an image show, each thing of a name once."""
    for view in map(read_caption, views):
        things = {thing.id: Entity(thing.name.upper()) for thing in view.things}
        yield from (Triplet(IMAGE, DEPICTS, thing) for thing in dict.fromkeys(things.values()))
        yield from (Triplet(things[link.subject], link.relation, things[link.object]) for link in view.links)


def guesses(ends: Counter[str]) -> list[str]:
    """Return the ends that hold more than their share, each with its kinds and with what it is a kind of."""
    if ends.total() < LEAST:
        return []
    names = [name for name, _ in ends.most_common(COMMON) if ends[name] > 1]
    shares = {name: sum(count for other, count in ends.items() if related(name, other)) for name in names}
    return sorted(name for name, count in shares.items() if count > MOST * ends.total())


def lines(found: Counts) -> Iterator[str]:
    """Give the rows, without those that a wider one says already."""
    yield "\t".join(COLUMNS)
    common = {asked: guesses(ends) for asked, ends in sorted(found.items())}
    for asked, names in common.items():
        wider = common.get(asked._replace(subject=ANYTHING), ()) if asked.subject else ()
        yield from ("\t".join((*asked, name)) for name in names if name not in wider)


def shown(found: Counts) -> Iterator[str]:
    """Give the rows of what is often seen."""
    yield "name"
    ends = [found[AskedEnd(ANYTHING, DEPICTS, kind)] for kind in ALONE]
    yield from sorted({fold(name) for names in ends for name, count in names.items() if count >= SEEN})


def main() -> None:
    """Read the captions and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("captions", type=Path)
    parser.add_argument("--without", type=Path, required=True, help="detections of the images to leave out")
    arguments = parser.parse_args()
    annotations = read_annotations(captions=[arguments.captions])
    left_out = read_annotations(detections=[arguments.without]).views
    images = sorted(annotations.views.keys() - left_out.keys())[::EVERY]
    found = counts(annotations, images)
    for name, rows in (("guesses.tsv", list(lines(found))), ("shown.tsv", list(shown(found)))):
        (DATA / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
        print(f"{len(images)} images, {len(rows) - 1} rows of {name}")


if __name__ == "__main__":
    main()
