"""Frames of answers by scripted models of known skill."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from kbe_graph.figures.outcomes import COLUMNS

RELATIONS = ("part of", "habitat", "colour")


def simulated_answers(
    skills: Mapping[str, float],
    *,
    samples: int = 200,
    hops: int = 3,
    drop: float = 0.1,
    runs: int = 1,
    variants: Mapping[str, float] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Build a frame of answers at raw and every hop; a model is right with its skill, less a drop per hop.

    Two samples share an image, and images differ in ease by up to 0.1 either way. ``variants`` maps other ways to ask
    to their loss of accuracy.
    """
    draw = np.random.default_rng(seed)
    ease = np.repeat(draw.uniform(-0.1, 0.1, size=(samples + 1) // 2), 2)[:samples]
    rows = [
        answer_row(
            model=model,
            sample=sample,
            hop=hop,
            run=run,
            variant=variant,
            right=bool(draw.random() < skill - drop * hop - off + ease[sample]),
        )
        for model, skill in skills.items()
        for sample in range(samples)
        for hop in range(hops + 1)
        for variant, off in ({"image": 0.0} | dict(variants or {})).items()
        for run in range(1, runs + 1)
    ]
    return answers_of(rows)


def answer_row(**values: object) -> dict[str, object]:
    """Build a row of the frame; defaults follow from the sample's number and the hop."""
    sample, hop = values.get("sample", 0), values.get("hop", 0)
    evolution = "seed-0" if hop or values.get("kind") == "reselected" else "raw"
    usual = {
        "model": "llava",
        "question": f"okvqa/val/{sample}@{evolution}/{hop}",
        "image": f"image {int(str(sample)) // 2}",
        "benchmark": "okvqa",
        "evolution": evolution,
        "hop": hop,
        "kind": "explored" if hop else "raw",
        "run": 1,
        "variant": "image",
        "text": "a short answer",
        "judge": "match",
        "tokens": 4,
        "other_verdicts": (),
        "key_edges": 3 + int(str(hop)),
        "relation": RELATIONS[int(str(hop)) % 3] if hop else "",
        "source": "pack" if hop else "",
        "asked": "",
        "shape": "path" if hop else "raw",
    }
    row = usual | values
    row["sample"] = f"okvqa/val/{sample}"
    right = row.setdefault("right", True)
    row["verdict"] = "" if right is None else "right" if right else "wrong"
    return row


def answers_of(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Convert the rows to a frame in the format of ``answers_frame``."""
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"right": "boolean", "tokens": "Int64"})
    return frame.sort_values(["model", "hop", "question", "variant", "run"], ignore_index=True)
