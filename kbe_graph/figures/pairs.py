"""Questions and their twins, scored together: both right, equal answers, and groups of two pairs (NaturalBench)."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from kbe_graph.figures.outcomes import JUDGED_MODEL, Rows, groups, judged_by, judges_of, rows_by
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.text import fold

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"  # the row of all shapes
_ASKED = [*JUDGED_MODEL, "variant"]
_OPTIONS = {"choice": 4, "true-false": 2}  # of forms that tell their answers


def pair_rows(answers: "pd.DataFrame") -> Rows:
    """Score questions with their twins by judge, variant and shape, and all shapes together.

    ``single`` is the share of right answers, ``both`` the share of pairs with both right (``low`` and ``high`` bound it
    at 95 %, clustered by image), ``fall`` the difference. ``same`` is the share of pairs that got the same answer: the
    bias, as the right ones differ. ``constant`` is the share of questions that the commonest right answer answers.
    ``chance`` is what guessing gets by pair: 1 over the square of the number of options, and 0 for open answers, where
    whoever says the same of both pictures is wrong of one.
    """
    asked = _pairs(answers)
    if asked.empty:
        return []
    shares = {name: (name, "mean") for name in ("single", "both", "same")}
    about = {name: (name, "first") for name in ("shape", "image", "answer", "answer_twin")}
    pairs = asked.groupby([*_ASKED, "question"], sort=False).agg(**shares, **about).reset_index()
    every = pairs.assign(shape=ALL)
    return [row for part in (every, pairs) for row in rows_by(part, [*_ASKED, "shape"], _together)]


def group_rows(answers: "pd.DataFrame") -> Rows:
    """Score groups of two questions about the same two pictures, as NaturalBench does (2410.14669).

    ``question`` is the share of questions right on both pictures, ``image`` that of pictures on which both questions
    are right, and ``group`` that of groups with all four right.
    """
    pairs = _pairs(answers)
    pictures = ["\n".join(sorted(each)) for each in zip(pairs["image"], pairs["image_twin"], strict=True)]
    pairs = pairs.assign(pictures=pictures).sort_values("question")
    return [row for row in rows_by(pairs, _ASKED, _in_groups) if row["groups"]]


def _pairs(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Return a row for each question with a twin and each run in which both were asked and judged."""
    import pandas as pd

    judged = [judged_by(answers, judge).dropna(subset="right") for judge in judges_of(answers)]
    asked = pd.concat(judged) if judged else answers[:0]
    asked = asked.assign(right=asked["right"].astype(float), said=asked["text"].map(fold))
    asking = ["model", "judge", "variant", "run"]
    is_twin = asked["twin_of"].notna() & (asked["twin_of"] != "")  # a table read from CSV has no empty texts
    twins = asked.loc[is_twin, [*asking, "twin_of", "right", "said", "answer", "image"]]
    twins = twins.rename(columns={"twin_of": "question"})
    both = asked.merge(twins, on=[*asking, "question"], suffixes=("", "_twin"))
    return both.assign(
        single=(both["right"] + both["right_twin"]) / 2,
        both=both["right"] * both["right_twin"],
        same=(both["said"] == both["said_twin"]).astype(float),
    )


def _together(pairs: "pd.DataFrame") -> dict[str, Any]:
    low, high = clustered_wilson(pairs["both"], pairs["image"])
    single, both = float(pairs["single"].mean()), float(pairs["both"].mean())
    commonest = Counter(map(fold, (*pairs["answer"], *pairs["answer_twin"]))).most_common(1)[0][1]
    options = _OPTIONS.get(pairs["variant"].iloc[0], 0)
    scores = {"pairs": len(pairs), "single": single, "both": both, "low": low, "high": high, "fall": single - both}
    guessed = {"constant": commonest / (2 * len(pairs)), "chance": 1 / options**2 if options else 0.0}
    return {**scores, "same": float(pairs["same"].mean()), **guessed}


def _in_groups(pairs: "pd.DataFrame") -> dict[str, Any]:
    together = []
    for _, own in groups(pairs, ["pictures", "run"]):
        sides = (own[["image", "right"]], own[["image_twin", "right_twin"]])
        rows = zip(*(side.itertuples(index=False, name=None) for side in sides), strict=True)
        rights: list[dict[str, float]] = [dict(row) for row in rows]
        together += list(zip(rights[::2], rights[1::2], strict=False))  # one that is left over is in no group
    by_question = [min(rights.values()) for two in together for rights in two]
    by_image = [min(first[image], second[image]) for first, second in together for image in first]
    by_group = [min(*first.values(), *second.values()) for first, second in together]
    shares = {"question": by_question, "image": by_image, "group": by_group}
    counted = {"groups": len(together), "runs": int(pairs["run"].nunique())}
    return counted | {name: sum(each) / len(each) for name, each in shares.items() if each}
