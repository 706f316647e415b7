"""Answers to 600 questions in two wordings, by scripted models of known skill and memory."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

SKILLS = (1.0, 0.5, 0.0, -0.5, -1.0)


def both_wordings(
    seed: int,
    *,
    questions: int = 600,
    skills: Sequence[float] = SKILLS,
    memory: Mapping[int, float] | None = None,
    harder: float = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Simulate each model's answers to the published wordings and the paraphrases, and assign images.

    ``memory`` maps a model to the share of the published questions that it knows by heart; ``harder`` is how many
    logits harder the paraphrases are. For half of a model's questions, the answers to both wordings come from the same
    draw; two questions share each image.
    """
    draw = np.random.default_rng(seed)
    shape = len(skills), questions
    difficulty = draw.normal(0, 1, questions)
    again = difficulty + harder + draw.normal(0, 0.3, questions)
    luck, fresh = draw.random(shape), draw.random(shape)
    skill = np.array(skills)[:, None]
    original = luck < 1 / (1 + np.exp(difficulty - skill))
    paraphrase = np.where(draw.random(shape) < 0.5, luck, fresh) < 1 / (1 + np.exp(again - skill))
    for model, share in (memory or {}).items():
        original[model] |= draw.random(questions) < share
    return original.astype(float), paraphrase.astype(float), [f"image {number // 2}" for number in range(questions)]
