"""VLMEvalKit: one table with embedded images; each image is stored once, and other rows refer to it."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.export.release import LETTERS, Release, ReleaseItem
from kbe_graph.export.release_format import LeftOut, ReleaseFormat
from kbe_graph.files.resources import sheet_cell

_MISSING = frozenset(  # the defaults of pandas.read_csv
    "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split("|")  # noqa: SIM905
)
_OTHER_NUMBER = "an option is a number that pandas reads as another (007)"
_FORMULA = "a right name begins as a formula (=), which the workbook of results would reckon"
_LOST = "a right name or an option is a word that pandas reads as nothing (None, NA)"


def _write(folder: Path, release: Release) -> LeftOut:
    release.require_numbers()
    has_options = release.form in {"choice", "true-false"}
    name = f"{release.name}_{'MC' if has_options else 'openended'}"
    left_out = Counter(reason for item in release.items if (reason := unsupported_reason(item)))
    items = [item for item in release if not unsupported_reason(item)]
    if not items:
        raise InputError(f"vlmevalkit cannot represent any of the questions: {dict(left_out)}; choose another format")
    letters = LETTERS[: max(len(item.options) for item in items)]
    with (folder / f"{name}.tsv").open("w", encoding="utf-8", newline="") as stream:
        rows = _rows(folder / "images" / name, items, release)
        first = next(rows)
        more = [
            *(["more_image_names"] if release.has_several_images else []),
            *(["origin"] if release.has_origins else []),
        ]
        columns = [*dict.fromkeys((*first, *letters, *more))]
        writer = csv.DictWriter(stream, columns, delimiter="\t", restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)
    kind = {"class": "ImageMCQDataset" if has_options else "ImageVQADataset", "dataset": name}
    (folder / "data.json").write_text(json.dumps({name: kind}), encoding="utf-8")
    return left_out


def unsupported_reason(item: ReleaseItem) -> str:
    """Explain why the table cannot hold an item; empty if it can."""
    if any(name in _MISSING for name in item.options or item.names):
        return _LOST
    if not item.options and any(name.startswith("=") for name in item.names):
        return _FORMULA
    return _OTHER_NUMBER if any(map(_is_other_number, item.options)) else ""


def _is_other_number(option: str) -> bool:
    try:
        number = float(option)
    except ValueError:
        return False
    return option not in {repr(number), f"{number:.0f}"}


def _rows(images: Path, items: list[ReleaseItem], release: Release) -> Iterator[dict[str, Any]]:
    first: dict[tuple[str, ...], int] = {}
    for item in items:
        yield {
            "index": item.number,
            **_image(images, item, release, first),
            **{name: sheet_cell(str(value)) for name, value in _texts(item, release).items()},
        }


def _image(images: Path, item: ReleaseItem, release: Release, first: dict[tuple[str, ...], int]) -> dict[str, Any]:
    if not item.pictures:
        return {"image_path": sheet_cell(_cell(item.sample.images))}
    if release.images_as != "embed":
        return {"image_path": _cell([picture.place(images, release.images_as) for picture in item.pictures])}
    row = first.setdefault(tuple(picture.name for picture in item.pictures), item.number)
    return {"image": _cell([picture.base64() for picture in item.pictures]) if row == item.number else row}


def _cell(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else str(list(texts))


def _texts(item: ReleaseItem, release: Release) -> dict[str, Any]:
    texts = {"id": item.id, "question": item.text}
    if item.options:
        texts |= dict(zip(LETTERS, item.options, strict=False)) | {"answer": item.letters[0], "category": item.group}
    else:
        texts |= {"answer": str(list(item.people(4))), "split": item.group}
    return texts | item.metadata() | {"key": json.dumps(item.key, ensure_ascii=False), "canary": release.warning}


VLMEVALKIT_TSV = ReleaseFormat(
    "vlmevalkit",
    "Write a folder with a TSV for VLMEvalKit.",
    ("open", "choice", "fill", "true-false"),
    ("embed", "copy", "link", "none"),
    _write,
)
