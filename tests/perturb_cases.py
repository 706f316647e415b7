"""Questions to perturb, with their answers."""

import numpy as np

from kbe_graph.perturb.eligible import Original, Rewritten
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.types import Question, Sample


def original(text: str, *answers: str) -> Original:
    """Build a raw question with its accepted answers, the gold one first."""
    gold = answers[0] if answers else "nothing"
    sample = Sample("own/val/1", "own", "val", text, gold, answers)
    question = Question("own/val/1@raw/0", sample.id, "raw", 0, "raw", text, gold, ())
    return Original(sample, question)


def rewrite(operation: str, case: Original, text: str = "", seed: int = 0) -> Rewritten:
    """Apply an operation to a question, or to a text made from it."""
    return TEXT_OPERATIONS[operation].rewrite(case, text or case.question.text, np.random.default_rng(seed))
