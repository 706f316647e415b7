"""OK-VQA and A-OKVQA: files in the official formats, for the official evaluators."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from kbe_graph.export.release import Release, ReleaseItem
from kbe_graph.export.release_format import LeftOut, ReleaseFormat
from kbe_graph.text import id_number
from kbe_graph.types import Triplet

QUESTIONS, ANNOTATIONS = "OpenEnded_mscoco_val2014_questions.json", "mscoco_val2014_annotations.json"
_KIND = {"data_type": "mscoco", "data_subtype": "val2014"}


def _write_okvqa(folder: Path, release: Release) -> LeftOut:
    release.require_numbers()
    about = {"info": {"description": release.warning, "version": release.canary}, "license": {"name": "see README.md"}}
    with (folder / QUESTIONS).open("w", encoding="utf-8") as stream:
        write_object(stream, about | _KIND | {"task_type": "Open-Ended"}, "questions", map(_question, release))
    with (folder / ANNOTATIONS).open("w", encoding="utf-8") as stream:
        write_object(stream, about | _KIND, "annotations", map(_annotation, release.items))
    _place_images(folder / "images", release, "COCO_val2014_")
    return {}


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
    return int(own) if own.isascii() and own.isdecimal() and len(own) <= 12 else id_number(own) % 10**12


def _question(item: ReleaseItem) -> dict[str, Any]:
    return {"image_id": image_number(item), "question": item.text, "question_id": item.number}


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


def _write_aokvqa(folder: Path, release: Release) -> LeftOut:
    with (folder / "aokvqa_v1p0_val.json").open("w", encoding="utf-8") as stream:
        write_list(stream, (_aokvqa_record(item, release) for item in release))
    _place_images(folder / "images", release, "")
    return {}


def _aokvqa_record(item: ReleaseItem, release: Release) -> dict[str, Any]:
    right = item.letters[0] if item.letters else ""
    return {
        "split": "val",
        "image_id": image_number(item),
        "question_id": item.id,
        "question": item.text,
        "choices": list(item.options),
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
