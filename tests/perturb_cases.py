"""Questions to perturb, with their answers."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kbe_graph.perturb.eligible import NotEligible, Original, Rewritten
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS, text_fault
from kbe_graph.types import Question, Sample, seed_of


def original(text: str, *answers: str) -> Original:
    """Build a raw question with its accepted answers, the gold one first."""
    gold = answers[0] if answers else "nothing"
    sample = Sample("own/val/1", "own", "val", text, gold, answers)
    question = Question("own/val/1@raw/0", sample.id, "raw", 0, "raw", text, gold, ())
    return Original(sample, question)


def rewrite(operation: str, case: Original, text: str = "", seed: int = 0) -> Rewritten:
    """Apply an operation to a question, or to a text made from it."""
    return TEXT_OPERATIONS[operation].rewrite(case, text or case.question.text, np.random.default_rng(seed))


def attempt(operation: str, case: Original, seed: int = 0) -> Rewritten | str:
    """Apply an operation to a question, and return the result or the reason why there is none."""
    rng = np.random.default_rng(seed_of(case.sample.id, operation, seed))
    try:
        rewritten = TEXT_OPERATIONS[operation].rewrite(case, case.question.text, rng)
    except NotEligible as none:
        return str(none)
    return text_fault(rewritten.text, case) or rewritten


def dev_halves(folder: Path) -> Iterator[Original]:
    """Yield the questions of both development halves."""
    for row, name in _rows(folder):
        answers = [answer.strip() for answer in row.get("answers") or row["direct_answers"]]
        gold = Counter(answers).most_common(1)[0][0]
        sample = Sample(f"{name}/val/{row['question_id']}", name, "val", row["question"], gold, tuple(answers))
        question = Question(f"{sample.id}@raw/0", sample.id, "raw", 0, "raw", sample.question, gold, ())
        yield Original(sample, question)


def _rows(folder: Path) -> Iterator[tuple[dict[str, object] | object, str]]:
    for name in ("okvqa", "aokvqa"):
        with gzip.open(folder / name / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
            yield from ((json.loads(line), name) for line in lines)
