"""Skills and equated accuracies of models over releases or runs that have questions in common."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kbe_graph.brief import brief
from kbe_graph.errors import InputError
from kbe_graph.figures.outcomes import IMAGE, Rows, one_judge
from kbe_graph.release.mini import agreement
from kbe_graph.types import Question

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.statistics.splits import WithInterval


@brief()
class LinkTable(NamedTuple):
    """Models of several releases on one scale.

    ``model`` is rasch or 2pl, the one with the smaller of ``bic``. ``skills`` has a row for each model, ``differences``
    one for each two models, ``anchors`` one for each question that links a release to those before it. ``left_out``
    names the models that were always right or always wrong, which therefore have no skill.
    """

    model: str
    bic: Mapping[str, float]
    skills: Rows
    differences: Rows
    anchors: Rows
    left_out: tuple[str, ...]


def link_releases(
    answers: "pd.DataFrame", releases: Mapping[str, Iterable[Question]], judge: str | None = None
) -> LinkTable:
    """Link releases by their common questions: those with the same sample, text and answer.

    ``answers`` comes from ``answers_frame``; ``releases`` are in order, and the first one sets the scale. Raises
    InputError if nothing links them.
    """
    from kbe_graph.statistics.linking import link

    ids = _first_ids(releases)
    first_id = {id_: first for own in ids.values() for id_, first in own.items()}
    asked = asked_plainly(answers.assign(question=answers["question"].map(first_id)), judge)
    table = asked.pivot_table(index="model", columns="question", values="right")
    same = table.mean(axis=1).isin([0, 1])
    shown = table[~same]
    if shown.empty:
        raise InputError(
            "no model has both right and wrong answers to questions of these releases: `evaluate` asks models"
        )
    held = np.array([shown.columns.isin(list(own.values())) for own in ids.values()])
    images = asked.groupby("question")["image"].first().reindex(shown.columns)
    linked = link(shown.to_numpy(), held, names=list(releases), clusters=images.to_numpy())
    skills = [
        {"model": model, "release": [*releases][release]}
        | _spread("skill", linked.skills[row])
        | {"accuracy": float(shown.loc[model, held[release]].mean())}
        | {"questions": int(shown.loc[model, held[release]].count())}
        | _spread("equated", linked.equated[row])
        | {"anchors": linked.anchors_of[row]}
        for row, (model, release) in enumerate(zip(shown.index, linked.releases, strict=True))
    ]
    differences = [
        {"model": shown.index[first], "minus": shown.index[second]} | _spread("skill", linked.difference(first, second))
        for first, second in combinations(range(len(shown)), 2)
    ]
    anchors = [
        anchor._asdict() | {"question": shown.columns[anchor.question], "release": [*releases][anchor.release]}
        for anchor in linked.anchors
    ]
    bic = dict(zip(("rasch", "2pl"), linked.bic, strict=True))
    return LinkTable(linked.model, bic, skills, differences, anchors, tuple(table.index[same]))


def _first_ids(releases: Mapping[str, Iterable[Question]]) -> dict[str, dict[str, str]]:
    """Map the questions of each release to the same question in the first release that holds it, by ids."""
    id_of: dict[tuple[str, str, str], str] = {}
    return {
        name: {each.id: id_of.setdefault((each.sample, each.text, each.answer), each.id) for each in questions}
        for name, questions in releases.items()
    }


def mini_table(
    answers: "pd.DataFrame", whole: Collection[str], part: Collection[str], judge: str | None = None
) -> "pd.DataFrame":
    """Compare accuracies on a part of the questions and on the whole: rank correlation, and each model's difference."""
    import pandas as pd

    asked = asked_plainly(answers[answers["question"].isin(whole)], judge)
    table = asked.pivot_table(index="model", columns="question", values="right")
    chosen = table.columns.isin(list(part))
    if not chosen.any():
        raise InputError("no question of the mini set has a judged answer: `evaluate` asks models")
    agreed = agreement(table.to_numpy(), chosen)
    rows = [("rank correlation", agreed.rank), *zip(table.index, agreed.differences, strict=True)]
    return pd.DataFrame([{"figure": name} | figure._asdict() for name, figure in rows])


def asked_plainly(answers: "pd.DataFrame", judge: str | None) -> "pd.DataFrame":
    """Return the answers that a judge judged to questions asked unchanged, with ``right`` as a number."""
    own = one_judge(answers, judge)
    return own[own["variant"] == IMAGE].dropna(subset=["right", "question"]).astype({"right": float})


def _spread(name: str, figure: "WithInterval") -> dict[str, float]:
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
