"""Groups of two questions and two pictures as NaturalBench's table has them (2410.14669, BaiqiL/NaturalBench)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.export.release import LeftOut, Release, ReleaseFormat, ReleaseItem
from kbe_graph.types import TWIN

TABLE = "train-00000-of-00001.parquet"
ALONE = "no twin, or no second question about the same two pictures"
_TEXTS = ("Question_0", "Image_0_Question_0", "Image_1_Question_0", "Question_1", "Image_0_Question_1")
TEXTS = (*_TEXTS, "Image_1_Question_1", "Question Type", "Source")


class _Pair(NamedTuple):
    """The same words about two pictures, in the order of the pictures' keys."""

    first: ReleaseItem
    second: ReleaseItem

    @property
    def pictures(self) -> tuple[str, str]:
        return self.first.sample.picture_key, self.second.sample.picture_key


def _pairs(items: Iterable[ReleaseItem]) -> Iterator[_Pair]:
    by_id = {item.id: item for item in items}
    for item in by_id.values():
        if item.question.kind == TWIN and item.question.parent in by_id:
            both = (by_id[item.question.parent], item)
            yield _Pair(*sorted(both, key=lambda each: each.sample.picture_key))


def grouped(items: Iterable[ReleaseItem]) -> list[tuple[_Pair, _Pair]]:
    """Group pairs about the same two pictures, two by two, as the figures do."""
    by_pictures: dict[tuple[str, str], list[_Pair]] = defaultdict(list)
    for pair in sorted(_pairs(items), key=lambda pair: min(pair, key=lambda item: item.question.kind == TWIN).id):
        by_pictures[pair.pictures].append(pair)
    return [two for own in by_pictures.values() for two in zip(own[::2], own[1::2], strict=False)]


def _row(index: int, group: tuple[_Pair, _Pair], source: str) -> dict[str, Any]:
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

    groups: Sequence[tuple[_Pair, _Pair]] = grouped(release.items)
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
