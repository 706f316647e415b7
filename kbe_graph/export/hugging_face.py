"""Hugging Face datasets (Parquet tables, a card and Croissant), and lmms-eval tasks, which read such tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.export.demands import stated_fields
from kbe_graph.export.release import README, Release, ReleaseFormat, ReleaseItem
from kbe_graph.files.opening import sha256_of
from kbe_graph.files.resources import data, fields
from kbe_graph.types import FORMS

if TYPE_CHECKING:
    import pyarrow as pa


_CARD = """\
---
pretty_name: {name}
language:
- en
license: other
license_name: by-row
task_categories:
- visual-question-answering
{settings}---
"""


def _write_hugging_face(folder: Path, release: Release) -> None:
    _write_tables(folder, release)
    card = _CARD.format(name=release.name, settings=_dataset_settings(release))
    (folder / README).write_text(card, encoding="utf-8")
    head = {
        "name": release.name,
        "description": f"Visual questions of run {release.run}, by hop. {release.warning}",
        "url": f"urn:uuid:{release.canary}",
    } | stated_fields(release.statements)
    tables = {group: _table_path(group) for group in release.groups}
    description = croissant(folder, head, tables, _table_columns(release), "application/x-parquet")
    (folder / "croissant.json").write_text(json.dumps(description, indent=2, ensure_ascii=False), encoding="utf-8")


HUGGINGFACE = ReleaseFormat(
    "huggingface",
    "Write a folder for datasets.load_dataset: Parquet with images, a dataset card and Croissant metadata.",
    FORMS,
    ("embed", "none"),
    _write_hugging_face,
    extra="parquet",
)


TASKS = "lmms_tasks"
_TEMPLATE = "_kbe_template_yaml"  # without the extension, so that it is not loaded as a task


def _write_lmms_eval(folder: Path, release: Release) -> None:
    _write_tables(folder, release)
    (folder / README).write_text(f"---\n{_dataset_settings(release)}---\n", encoding="utf-8")
    for name, text in _tasks(folder.name, release).items():
        (folder / TASKS).mkdir(exist_ok=True)
        (folder / TASKS / name).write_text(f"# {release.warning}\n{text}", encoding="utf-8")


def _tasks(dataset: str, release: Release) -> dict[str, str]:
    names = {group: f"{release.name}_{group}" for group in release.groups}
    group = f"group: {release.name}\ntask:\n" + "".join(f"- {task}\n" for task in names.values())
    return {
        _TEMPLATE: data("export/lmms_template.txt").read_text(encoding="utf-8").replace("$dataset", dataset),
        "utils.py": data("export/lmms_utils.txt").read_text(encoding="utf-8"),
        f"_{release.name}.yaml": group,
        **{
            f"{task}.yaml": f"include: {_TEMPLATE}\ntask: {task}\ndataset_name: {group}\n"
            for group, task in names.items()
        },
    }


LMMS_EVAL = ReleaseFormat(
    "lmms-eval",
    "Write a folder for lmms-eval: a Parquet table and a task for each hop.",
    FORMS,
    ("embed", "none"),
    _write_lmms_eval,
    extra="parquet",
)


_TEXTS = (
    *("id", "question", "answer", "sample", "source_id", "benchmark", "benchmark_split", "group", "kind", "run"),
    *("parent", "image_name", "form", "licence", "key", "canary"),
)
_LISTS = ["answers", "aliases", "options", "letters", "facts"]
COLUMNS = {**dict.fromkeys(_TEXTS, "string"), "hop": "int64", **dict.fromkeys(_LISTS, "list")}
"""The columns and their types, without the image."""
_ROWS, _BYTES = 500, 32_000_000  # limits of a row group, which is held in memory


def _write_tables(folder: Path, release: Release) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(release)
    for group, items in release.groups.items():
        file = folder / _table_path(group)
        file.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for rows in _batches(items, release):
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _batches(items: Sequence[ReleaseItem], release: Release) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    size = 0
    for item in items:
        row = _table_row(item, release)
        images = [{"bytes": picture.read(), "path": picture.name} for picture in item.pictures]
        if images:
            row |= {"image": images[0], "more_images": images[1:]}
            size += sum(len(image["bytes"]) for image in images)
        rows.append(row)
        if len(rows) >= _ROWS or size >= _BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _table_row(item: ReleaseItem, release: Release) -> dict[str, Any]:
    return {
        **item.metadata(),
        "id": item.id,
        "question": item.form.text,
        "answer": item.answer,
        "answers": list(item.people(4)),
        "aliases": list(item.names[1:]),
        "options": list(item.form.options),
        "letters": list(item.form.letters),
        "facts": list(item.form.facts),
        "key": json.dumps(item.key, ensure_ascii=False),
        "canary": release.warning,
    }


def _table_columns(release: Release) -> dict[str, str]:
    """List the columns of a release's tables with their types; those for further images only if there are any."""
    more = release.has_several_images
    images = {"image": "image", **({"more_images": "images"} if more else {})} if release.images_as != "none" else {}
    return {**images, **COLUMNS, **release.more_columns}


def _schema(release: Release) -> "pa.Schema":
    import pyarrow as pa

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    types = {"string": pa.string(), "int64": pa.int64(), "list": pa.list_(pa.string())}
    types |= {"image": image, "images": pa.list_(image)}
    columns = _table_columns(release)
    return pa.schema([(name, types[kind]) for name, kind in columns.items()], metadata={"canary": release.warning})


def _dataset_settings(release: Release) -> str:
    """Build the README metadata from which ``datasets`` knows the tables: a configuration per hop, and the columns."""
    files = "".join(
        f"- config_name: {group}\n  data_files:\n  - split: test\n    path: {_table_path(group)}\n"
        for group in release.groups
    )
    lists = {"list": "list: string", "images": "list: image"}
    features = "".join(
        f"  - name: {name}\n    {lists.get(kind, f'dtype: {kind}')}\n" for name, kind in _table_columns(release).items()
    )
    infos = "".join(f"- config_name: {group}\n  features:\n{features}" for group in release.groups)
    return f"configs:\n{files}dataset_info:\n{infos}"


def _table_path(group: str) -> str:
    return f"{group}/test-00000-of-00001.parquet"


_TYPES = {"string": "sc:Text", "list": "sc:Text", "int64": "sc:Integer"}


def croissant(
    folder: Path, head: Mapping[str, Any], files: Mapping[str, str], columns: Mapping[str, str], encoding: str
) -> dict[str, Any]:
    """Describe a folder's tables in Croissant with its extension for responsible AI (RAI).

    ``head`` are fields of the whole, ``files`` the path in the folder, which must exist, by the name of the table.
    """
    return {
        **fields("export/croissant.json"),
        **head,
        "distribution": [_file(folder, name, path, encoding) for name, path in files.items()],
        "recordSet": [
            {"@type": "cr:RecordSet", "@id": name, "name": name}
            | {"field": [_field(name, column, kind) for column, kind in columns.items()]}
            for name in files
        ],
    }


def _file(folder: Path, table: str, path: str, encoding: str) -> dict[str, str]:
    name = {"@type": "cr:FileObject", "@id": f"{table}-file", "name": f"{table}-file"}
    return name | {"contentUrl": path, "encodingFormat": encoding, "sha256": sha256_of(folder / path)}


def _field(group: str, column: str, kind: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileObject": {"@id": f"{group}-file"}, "extract": {"column": column}}
    if kind in {"image", "images"}:
        source["transform"] = {"jsonPath": "bytes"}
    field: dict[str, Any] = {"@type": "cr:Field", "@id": f"{group}/{column}", "name": column}
    field |= {"dataType": _TYPES.get(kind, "sc:ImageObject"), "source": source}
    return field | {"repeated": True} if kind in {"list", "images"} else field
