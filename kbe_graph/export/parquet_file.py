"""Parquet tables of a release, with the images in them, as Hugging Face datasets reads them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.export.release import Release, ReleaseItem

if TYPE_CHECKING:
    import pyarrow as pa

_TEXTS = [
    "id",
    "question",
    "answer",
    "sample",
    "source_id",
    "benchmark",
    "benchmark_split",
    "group",
    "kind",
    "run",
    "parent",
    "image_name",
    "form",
    "licence",
    "key",
    "canary",
]
_LISTS = ["answers", "aliases", "options", "letters", "facts"]
COLUMNS = {**dict.fromkeys(_TEXTS, "string"), "hop": "int64", **dict.fromkeys(_LISTS, "list")}
"""The columns and their types, the image aside."""
_ROWS, _BYTES = 500, 32_000_000  # of a row group: it is held in memory


def write_parquet(file: Path, items: Sequence[ReleaseItem], release: Release, *, with_images: bool) -> None:
    """Write the items as a table, some rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file.parent.mkdir(parents=True, exist_ok=True)
    schema = _schema(release, with_images=with_images)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _batches(items, release):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _batches(items: Sequence[ReleaseItem], release: Release) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    size = 0
    for item in items:
        row = table_row(item, release)
        if item.picture:
            content = item.picture.read()
            size += len(content)
            row["image"] = {"bytes": content, "path": item.picture.name}
        rows.append(row)
        if len(rows) >= _ROWS or size >= _BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def table_row(item: ReleaseItem, release: Release) -> dict[str, Any]:
    """Return the columns of an item, the image aside: ``answers`` are ten, as benchmarks of the VQA kind have them."""
    return {
        **item.metadata(),
        "id": item.id,
        "question": item.text,
        "answer": item.answer,
        "answers": list(item.people(4)),
        "aliases": list(item.names[1:]),
        "options": list(item.options),
        "letters": list(item.letters),
        "facts": list(item.facts),
        "key": json.dumps(item.key, ensure_ascii=False),
        "canary": release.warning,
    }


def _schema(release: Release, *, with_images: bool) -> "pa.Schema":
    import pyarrow as pa

    types = {"string": pa.string(), "int64": pa.int64(), "list": pa.list_(pa.string())}
    fields = [pa.field(name, types[kind]) for name, kind in COLUMNS.items()]
    if with_images:
        fields.insert(0, pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])))
    return pa.schema(fields, metadata={"canary": release.warning})


def dataset_settings(release: Release, *, with_images: bool) -> str:
    """Return the head of a README by which datasets knows the tables: a configuration a hop, and the columns."""
    files = "".join(
        f"- config_name: {group}\n  data_files:\n  - split: test\n    path: {table_path(group)}\n"
        for group in release.groups
    )
    columns = {"image": "image", **COLUMNS} if with_images else COLUMNS
    features = "".join(
        f"  - name: {name}\n    {'list: string' if kind == 'list' else f'dtype: {kind}'}\n"
        for name, kind in columns.items()
    )
    infos = "".join(f"- config_name: {group}\n  features:\n{features}" for group in release.groups)
    return f"configs:\n{files}dataset_info:\n{infos}"


def table_path(group: str) -> str:
    """Return the place of a group's table in the folder."""
    return f"{group}/test-00000-of-00001.parquet"
