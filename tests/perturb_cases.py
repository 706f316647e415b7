"""Questions to perturb, with their answers and captions."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kbe_graph.perturb.eligible import NotEligible, Original, Rewritten, VariantRejected
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.seeds import seed_of
from kbe_graph.types import Question, Sample

CAPTIONS = "coco_captions_tags/VinVL_base_val2014.tsv.gz"


def original(text: str, *answers: str, captions: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> Original:
    """Build a raw question with its accepted answers, the gold one first."""
    gold = answers[0] if answers else "nothing"
    sample = Sample("own/val/1", "own", "val", text, gold, answers)
    question = Question("own/val/1@raw/0", sample.id, "raw", 0, "raw", text, gold, ())
    return Original(sample, question, None, captions, others)


def rewrite(operation: str, case: Original, text: str = "", seed: int = 0) -> Rewritten:
    """Apply an operation to a question, or to a text made from it."""
    return TEXT_OPERATIONS[operation].rewrite(case, text or case.question.text, np.random.default_rng(seed))


def attempt(operation: str, case: Original, seed: int = 0) -> Rewritten | str:
    """Apply an operation to a question, and return the result or the reason why there is none."""
    rng = np.random.default_rng(seed_of(case.sample.id, operation, seed))
    try:
        return TEXT_OPERATIONS[operation].refuse(case) or TEXT_OPERATIONS[operation].rewrite(
            case, case.question.text, rng
        )
    except (NotEligible, VariantRejected) as none:
        return str(none)


def dev_halves(folder: Path) -> Iterator[Original]:
    """Yield the questions of both development halves, each with a caption of its picture and thirty of others."""
    captions = dict(_captions(folder / CAPTIONS))
    pictures = sorted(captions)
    for row, name in _rows(folder):
        answers = [answer.strip() for answer in row.get("answers") or row["direct_answers"]]
        gold = Counter(answers).most_common(1)[0][0]
        sample = Sample(f"{name}/val/{row['question_id']}", name, "val", row["question"], gold, tuple(answers))
        question = Question(f"{sample.id}@raw/0", sample.id, "raw", 0, "raw", sample.question, gold, ())
        drawn = np.random.default_rng(seed_of(sample.id)).integers(len(pictures), size=30)
        others = tuple(captions[pictures[at]] for at in drawn if pictures[at] != row["image_id"])
        yield Original(sample, question, None, (captions[row["image_id"]],), others)


def _rows(folder: Path) -> Iterator[tuple[dict[str, object] | object, str]]:
    for name in ("okvqa", "aokvqa"):
        with gzip.open(folder / name / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
            yield from ((json.loads(line), name) for line in lines)


def _captions(file: Path) -> Iterator[tuple[int, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            picture, captions = line.rstrip("\n").split("\t")
            yield int(picture), json.loads(captions)[0]["caption"]
