"""Files for other programs: OK-VQA, A-OKVQA, Inspect, evalscope and VLMEvalKit, in the forms that they read."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from kbe_graph.errors import InputError
from kbe_graph.export.release import LETTERS, LeftOut, Release, ReleaseFormat, ReleaseItem
from kbe_graph.files.resources import data, sheet_cell
from kbe_graph.text import id_number
from kbe_graph.types import FORMS, ImagesAs, Triplet

QUESTIONS, ANNOTATIONS = "OpenEnded_mscoco_val2014_questions.json", "mscoco_val2014_annotations.json"
_KIND = {"data_type": "mscoco", "data_subtype": "val2014"}


def _write_okvqa(folder: Path, release: Release) -> None:
    release.require_numbers()
    about = {"info": {"description": release.warning, "version": release.canary}, "license": {"name": "see README.md"}}
    with (folder / QUESTIONS).open("w", encoding="utf-8") as stream:
        write_object(stream, about | _KIND | {"task_type": "Open-Ended"}, "questions", map(_question, release.items))
    with (folder / ANNOTATIONS).open("w", encoding="utf-8") as stream:
        write_object(stream, about | _KIND, "annotations", map(_annotation, release.items))
    _place_images(folder / "images", release, "COCO_val2014_")


def _place_images(folder: Path, release: Release, prefix: str) -> None:
    for item in release.items:
        for picture in item.pictures:
            ending = picture.name.rpartition(".")[2]
            picture.place(folder, release.images_as, f"{prefix}{image_number(item):012d}.{ending}")


def write_object(stream: TextIO, fields: Mapping[str, Any], name: str, values: Iterable[object]) -> None:
    """Write a JSON object whose last field is a long list, one value per line."""
    head = json.dumps(fields, ensure_ascii=False)
    stream.write(f"{head[:-1]}{', ' if fields else ''}{json.dumps(name)}: ")
    write_list(stream, values)
    stream.write("}\n")


def write_list(stream: TextIO, values: Iterable[object]) -> None:
    """Write a JSON list, one value per line."""
    stream.write("[")
    before = "\n"
    for value in values:
        stream.write(before + json.dumps(value, ensure_ascii=False))
        before = ",\n"
    stream.write("\n]")


def image_number(item: ReleaseItem) -> int:
    """Get the number of an item's image: COCO's if it has one, otherwise one derived from its name."""
    own = item.sample.image_id or item.sample.image
    return int(own) if re.fullmatch("[0-9]{1,12}", own) else id_number(own) % 10**12


def _question(item: ReleaseItem) -> dict[str, Any]:
    return {"image_id": image_number(item), "question": item.form.text, "question_id": item.number}


def _annotation(item: ReleaseItem) -> dict[str, Any]:
    return {
        "image_id": image_number(item),
        "question_id": item.number,
        "question_type": item.group,
        "answer_type": "other",
        "answers": [
            {"answer_id": number, "answer": answer, "raw_answer": answer, "answer_confidence": "yes"}
            for number, answer in enumerate(item.people(4), start=1)
        ],
        "id": item.id,
        **item.metadata(),
        "key": item.key,
    }


OKVQA_FILES = ReleaseFormat(
    "okvqa",
    "Write a folder with questions and annotations as in OK-VQA, for the official VQA evaluator.",
    ("open", "fill", "true-false"),
    ("copy", "link", "none"),
    _write_okvqa,
    most_images=1,
)


def _write_aokvqa(folder: Path, release: Release) -> None:
    with (folder / "aokvqa_v1p0_val.json").open("w", encoding="utf-8") as stream:
        write_list(stream, (_aokvqa_record(item, release) for item in release.items))
    _place_images(folder / "images", release, "")


def _aokvqa_record(item: ReleaseItem, release: Release) -> dict[str, Any]:
    right = item.form.letters[0] if item.form.letters else ""
    return {
        "split": "val",
        "image_id": image_number(item),
        "question_id": item.id,
        "question": item.form.text,
        "choices": list(item.form.options),
        "correct_choice_idx": ord(right) - ord("A") if right else None,
        "direct_answers": list(item.people(3)),
        "difficult_direct_answer": False,
        "rationales": [". ".join(map(_sentence, item.question.key)) + "."],
        **item.metadata(),
        "key": item.key,
        "canary": release.warning,
    }


def _sentence(triplet: Triplet) -> str:
    return f"{triplet.subject.label} {triplet.relation} {triplet.object.label}"


AOKVQA_FILE = ReleaseFormat(
    "aokvqa",
    "Write a folder with a file as in A-OKVQA, for its official evaluation script.",
    ("open", "choice", "fill", "true-false"),
    ("copy", "link", "none"),
    _write_aokvqa,
    most_images=1,
)


IMAGES = "images"


def _write_inspect(folder: Path, release: Release) -> None:
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as stream:
        for item in release.items:
            stream.write(json.dumps(_inspect_line(folder, item, release), ensure_ascii=False) + "\n")
    task = data("export/inspect_task.txt").read_text(encoding="utf-8")
    (folder / "kbe_task.py").write_text(f"# {release.warning}\n{task}", encoding="utf-8")


def _inspect_line(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    images = [{"type": "image", "image": address} for address in image_addresses(folder, item, release.images_as)]
    return {
        "id": item.id,
        "input": [{"role": "user", "content": [*images, {"type": "text", "text": item.form.text}]}],
        "target": list(item.form.letters or item.names),
        "choices": list(item.form.options) or None,
        "metadata": {**item.metadata(), "key": item.key, "facts": list(item.form.facts), "canary": release.warning},
    }


def image_addresses(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> list[str]:
    """Build the addresses of an item's images: data URLs, or paths in the folder, where the images are written."""
    if images_as == "embed":
        return [picture.data_url() for picture in item.pictures]
    return [f"{IMAGES}/{picture.place(folder / IMAGES, images_as)}" for picture in item.pictures]


INSPECT = ReleaseFormat(
    "inspect",
    "Write a folder for Inspect (inspect_ai): questions.jsonl and a task.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write_inspect,
)


_PLACE = re.compile(r"<(?=(?:image|video|audio) \d+>)")


def _write_evalscope(folder: Path, release: Release) -> None:
    has_options = release.form in {"choice", "true-false"}
    for group, items in release.groups.items():
        with (folder / f"{group}_{'val' if has_options else 'test'}.jsonl").open("w", encoding="utf-8") as stream:
            for item in items:
                addresses = image_addresses(folder, item, release.images_as)
                line = _choice(item, addresses) if has_options else _open(item, addresses)
                line |= {"id": item.id, **item.metadata(), "key": item.key, "canary": release.warning}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def _open(item: ReleaseItem, addresses: Sequence[str]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    parts.append({"type": "text", "text": f"{_plain(item.form.text)}\nAnswer in a word or a short phrase."})
    return {"messages": [{"role": "user", "content": parts}], "answer": item.answer}


def _choice(item: ReleaseItem, addresses: Sequence[str]) -> dict[str, Any]:
    places = "".join(f"<image {number}> " for number, _ in enumerate(addresses, 1))
    line: dict[str, Any] = {"options": [*map(_plain, item.form.options)], "answer": item.form.letters[0]}
    line["question"] = f"{places}{_plain(item.form.text)}"
    return line | {f"image_{number}": address for number, address in enumerate(addresses, 1)}


def _plain(text: str) -> str:
    return _PLACE.sub("< ", text)


EVALSCOPE = ReleaseFormat(
    "evalscope",
    "Write a folder for evalscope, with one file per hop.",
    ("open", "choice", "fill", "true-false"),
    ("copy", "link", "embed", "none"),
    _write_evalscope,
)


_SERVED = "/data/local-files/?d="  # Label Studio's prefix for local files


def _write_label_studio(folder: Path, release: Release) -> None:
    with (folder / "tasks.json").open("w", encoding="utf-8") as stream:
        write_list(stream, (_task(folder, item, release) for item in release.items))
    view = data("export/labelling.xml").read_text(encoding="utf-8")
    (folder / "labelling.xml").write_text(f"<!-- {release.warning} -->\n{view}", encoding="utf-8")


def _task(folder: Path, item: ReleaseItem, release: Release) -> dict[str, Any]:
    return {
        "data": {
            "id": item.id,
            "image": _served_image(folder, item, release.images_as),
            "question": item.form.text,
            "answer": "; ".join(item.names),
            "options": "; ".join(item.form.options),
            "triplets": "\n".join(f"{part['subject']} | {part['relation']} | {part['object']}" for part in item.key),
            **item.metadata(),
            "key": item.key,
            "facts": "\n".join(item.form.facts),
            "canary": release.warning,
        }
    }


def _served_image(folder: Path, item: ReleaseItem, images_as: ImagesAs) -> str:
    address = next(iter(image_addresses(folder, item, images_as)), item.sample.image)
    return f"{_SERVED}{folder.name}/{address}" if item.pictures and images_as != "embed" else address


LABEL_STUDIO = ReleaseFormat(
    "labelstudio",
    "Write a folder with Label Studio tasks, for people to review questions.",
    FORMS,
    ("copy", "link", "embed", "none"),
    _write_label_studio,
    most_images=1,
)


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
    items = [item for item in release.items if not unsupported_reason(item)]
    if not items:
        raise InputError(f"vlmevalkit cannot represent any of the questions: {dict(left_out)}; choose another format")
    letters = LETTERS[: max(len(item.form.options) for item in items)]
    with (folder / f"{name}.tsv").open("w", encoding="utf-8", newline="") as stream:
        rows = _rows(folder / "images" / name, items, release)
        first = next(rows)
        columns = [*dict.fromkeys((*first, *letters, *release.more_columns))]
        writer = csv.DictWriter(stream, columns, delimiter="\t", restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)
    kind = {"class": "ImageMCQDataset" if has_options else "ImageVQADataset", "dataset": name}
    (folder / "data.json").write_text(json.dumps({name: kind}), encoding="utf-8")
    return left_out


def unsupported_reason(item: ReleaseItem) -> str:
    """Explain why the table cannot hold an item; empty if it can."""
    if any(name in _MISSING for name in item.form.options or item.names):
        return _LOST
    if not item.form.options and any(name.startswith("=") for name in item.names):
        return _FORMULA
    return _OTHER_NUMBER if any(map(_is_other_number, item.form.options)) else ""


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
    texts = {"id": item.id, "question": item.form.text}
    if item.form.options:
        texts |= dict(zip(LETTERS, item.form.options, strict=False)) | {
            "answer": item.form.letters[0],
            "category": item.group,
        }
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
