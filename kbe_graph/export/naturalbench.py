"""Groups of two questions and two pictures as NaturalBench's table has them (2410.14669, BaiqiL/NaturalBench)."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kbe_graph.export.release import LeftOut, Release, ReleaseFormat, ReleaseItem

TABLE = "train-00000-of-00001.parquet"
ALONE = "no twin, or no second question about the same two pictures"
_TEXTS = ("Question_0", "Image_0_Question_0", "Image_1_Question_0", "Question_1", "Image_0_Question_1")
TEXTS = (*_TEXTS, "Image_1_Question_1", "Question Type", "Source")
Pair = tuple[ReleaseItem, ReleaseItem]
"""The same words about two pictures."""


def grouped(items: Iterable[ReleaseItem]) -> list[tuple[Pair, Pair]]:
    """Group questions with their twins, in the order of their pictures, two by two about the same two pictures."""
    by_id = {item.id: item for item in items}
    by_pictures: dict[tuple[str, ...], list[Pair]] = defaultdict(list)
    for twin in sorted(by_id.values(), key=lambda item: item.question.twin_of):
        if twin.question.twin_of in by_id:
            both = sorted((by_id[twin.question.twin_of], twin), key=lambda item: item.sample.picture_key)
            by_pictures[tuple(item.sample.picture_key for item in both)].append((both[0], both[1]))
    return [two for own in by_pictures.values() for two in zip(own[::2], own[1::2], strict=False)]


def _row(index: int, group: tuple[Pair, Pair], source: str) -> dict[str, Any]:
    """Build a row: the answers on both pictures are the options of a question; where A is right, B is on the other."""
    row: dict[str, Any] = {"Index": index, "Question Type": "multiple_choice", "Source": source}
    for number, (first, second) in enumerate(group):
        options = (first.answer, second.answer) if number == 0 else (second.answer, first.answer)
        row[f"Question_{number}"] = f"{first.question.text}\nOption: A: {options[0]}; B: {options[1]};"
        row[f"Image_0_Question_{number}"], row[f"Image_1_Question_{number}"] = ("AB", "BA")[number]
    for number, item in enumerate(group[0]):
        picture = item.pictures[0] if item.pictures else None
        row[f"Image_{number}"] = {"bytes": picture.read(), "path": picture.name} if picture else None
    return row


def _write(folder: Path, release: Release) -> LeftOut:
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups = grouped(release.items)
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    types = {"Index": pa.int64(), "Image_0": image, "Image_1": image} | dict.fromkeys(TEXTS, pa.string())
    schema = pa.schema(list(types.items()), metadata={"canary": release.warning})
    with pq.ParquetWriter(folder / TABLE, schema, compression="zstd") as writer:
        for index, group in enumerate(groups):
            writer.write_table(pa.Table.from_pylist([_row(index, group, release.run)], schema=schema))
    alone = len(release.items) - 4 * len(groups)
    return {ALONE: alone} if alone else {}


NATURALBENCH = ReleaseFormat(
    "naturalbench",
    "Write a Parquet table with NaturalBench's columns: two questions with twins about the same two pictures a row.",
    ("open",),
    ("embed", "none"),
    _write,
    extra="parquet",
    most_images=1,
)
