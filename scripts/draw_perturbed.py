"""Draw what each operation makes of photos, so that it can be judged by eye.

    python scripts/draw_perturbed.py docs/images/perturb.png
    python scripts/draw_perturbed.py --data $KBE_DATA/coco_mini --sheets FOLDER [--each 40] [--seed 0]

The first draws photos of the demo, a row a photo and a column an operation; they may be shown with the attribution of
``kbe_graph/data/demo/ATTRIBUTION.md``. The second draws so many questions a kind, numbered, before and after, each with
its question and answers; most of those photos may not be passed on.
"""

import argparse
import io
import json
import random
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from kbe_graph.datasets.annotations import read_instances, read_scene_graphs
from kbe_graph.datasets.view import KeyedView, Thing
from kbe_graph.errors import KbeError
from kbe_graph.perturb.eligible import Original
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, PictureOperation
from kbe_graph.perturb.variant import perturb_picture
from kbe_graph.types import Question, Sample, seed_of

DEMO = Path(__file__).parents[1] / "kbe_graph" / "data" / "demo"
SHOWN = ("408805-appliance", "183709-country", "397133-dough", "519208-animal", "214753-animals", "377575-breed")
BENCHMARKS = ("okvqa", "aokvqa", "fvqa")
TILE, COLUMNS, TEXT = 300, 3, 46
SMALL = 0.6  # the size of the demo's sheet


class Case(NamedTuple):
    """A question with its photo."""

    original: Original
    file: Path


def case_of(id_: str, row: dict[str, Any], file: Path, objects: tuple[Thing, ...]) -> Case:
    """Return a row of a benchmark as a raw question."""
    answers = tuple(row.get("answers") or row.get("direct_answers") or [row["answer"]])
    answer = Counter(answers).most_common(1)[0][0]
    choices, rationales = tuple(row.get("choices", ())), tuple(row.get("rationales", ()))
    sample = Sample(
        id_, "own", "val", row["question"], answer, answers, str(file), choices=choices, rationales=rationales
    )
    question = Question(f"{id_}@raw/0", id_, "raw", 0, "raw", row["question"], answer, ())
    return Case(Original(sample, question, objects), file)


def objects_of(views: Iterable[KeyedView]) -> dict[str, tuple[Thing, ...]]:
    """Return the things of each picture by its key."""
    return {key: view.things for key, view in views}


def demo_cases() -> list[Case]:
    """Return the questions of the demo that are shown."""
    objects = objects_of(read_scene_graphs(DEMO / "scene_graphs.json"))
    rows = [json.loads(line) for line in (DEMO / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    shown = (by_id[id_] for id_ in SHOWN)
    return [case_of(row["id"], row, DEMO / row["image"], objects[str(row["image_id"])]) for row in shown]


def coco_cases(folder: Path) -> Iterator[Case]:
    """Give the questions about the photos of a small part of COCO, which ``index.jsonl`` lists.

    A photo with annotations and no question is asked for the kind of its largest thing.
    """
    objects = {
        key: things
        for split in ("train", "val")
        for key, things in objects_of(read_instances(folder / f"instances_{split}2017.json")).items()
    }
    for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        things = objects.get(str(row["image_id"]), ())
        if things and not any(row.get(name) for name in BENCHMARKS):
            name = max(things, key=lambda thing: thing.area).name
            row["none"] = [
                {"question_id": row["image_id"], "question": f"What kind of {name} is this?", "answer": name}
            ]
        for benchmark in (*BENCHMARKS, "none"):
            for question in row.get(benchmark, ()):
                id_ = f"{benchmark}/{question['question_id']}"
                yield case_of(id_, question, folder / row["file"], objects.get(str(row["image_id"]), ()))


def after(case: Case, operation: PictureOperation, seed: int) -> tuple[Image.Image, str]:
    """Return the changed photo and its step; raises KbeError where there is none."""
    rng = np.random.default_rng(seed_of(case.original.sample.id, operation.name, seed))
    content, recipe = perturb_picture(case.file, (operation,), case.original, rng)
    drawn = {name: value for name, value in recipe[0].items() if name not in {"operation", "seed", "object"}}
    return Image.open(io.BytesIO(content)), json.dumps(drawn) if drawn else ""


def tile(picture: Image.Image | None, text: str, lines: int = 1) -> Image.Image:
    """Return a photo with a text below it."""
    ground = Image.new("RGB", (TILE, TILE * 3 // 4 + 14 * lines + 4), "white")
    if picture:
        ground.paste(ImageOps.pad(picture.convert("RGB"), (TILE, TILE * 3 // 4), color="white"))
    ImageDraw.Draw(ground).multiline_text((3, TILE * 3 // 4 + 2), text, fill="black")
    return ground


def sheet(tiles: Sequence[Image.Image], columns: int) -> Image.Image:
    """Return tiles of one size side by side, row by row."""
    width, height = tiles[0].width + 4, tiles[0].height + 4
    ground = Image.new("RGB", (columns * width, -(-len(tiles) // columns) * height), "white")
    for place, each in enumerate(tiles):
        ground.paste(each, (place % columns * width, place // columns * height))
    return ground


def demo_sheet(seed: int) -> Image.Image:
    """Return a row a photo and a column an operation; empty where the question refuses it."""
    tiles = []
    for case in demo_cases():
        tiles.append(tile(Image.open(case.file), f"{case.original.question.text}"[:TEXT]))
        for operation in PICTURE_OPERATIONS.values():
            try:
                tiles.append(tile(after(case, operation, seed)[0], operation.name))
            except KbeError as error:
                tiles.append(
                    tile(None, "\n".join(textwrap.wrap(f"{operation.name}: {error}", TEXT)), 2).crop(
                        (0, 0, TILE, tiles[0].height)
                    )
                )
    return sheet(tiles, len(PICTURE_OPERATIONS) + 1)


def kind_sheet(
    cases: Sequence[Case], operation: PictureOperation, each: int, seeds: Iterable[int]
) -> tuple[Image.Image, Counter[str]]:
    """Return numbered questions, each before and after, and how many were done and refused, by reason.

    Where one seed gives too few, the next ones are tried; the same step on one photo is drawn once.
    """
    tiles: list[Image.Image] = []
    counts: Counter[str] = Counter()
    seen: set[tuple[Path, str]] = set()
    for case, seed in ((case, seed) for seed in seeds for case in cases):
        try:
            picture, drawn = after(case, operation, seed)
        except KbeError as error:
            counts[str(error)] += 1
            continue
        counts["done"] += 1
        if len(tiles) < 2 * each and (case.file, drawn) not in seen:
            seen.add((case.file, drawn))
            asked = textwrap.wrap(f"{len(tiles) // 2 + 1}. {case.original.question.text}", TEXT)
            given = textwrap.wrap(f"{case.original.question.answer} | {drawn}", TEXT)
            tiles += [tile(Image.open(case.file), "\n".join(asked), 3), tile(picture, "\n".join(given), 3)]
    return sheet(tiles, 2 * COLUMNS), counts


def main() -> None:
    """Draw the sheet of the demo, or one a kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("image", nargs="?", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sheets", type=Path)
    parser.add_argument("--kinds", nargs="*", default=list(PICTURE_OPERATIONS))
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from the first on")
    arguments = parser.parse_args()
    if arguments.image:
        drawn = ImageOps.scale(demo_sheet(arguments.seed), SMALL)
        drawn.quantize(256).save(arguments.image, optimize=True)
    if arguments.data:
        cases = list(coco_cases(arguments.data))
        random.Random(arguments.seed).shuffle(cases)
        arguments.sheets.mkdir(parents=True, exist_ok=True)
        for name in arguments.kinds:
            seeds = range(arguments.seed, arguments.seed + arguments.seeds)
            drawn, counts = kind_sheet(cases, PICTURE_OPERATIONS[name], arguments.each, seeds)
            drawn.save(arguments.sheets / f"{name}.png")
            print(name, json.dumps(counts))


if __name__ == "__main__":
    main()
