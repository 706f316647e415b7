"""The results of a study: shares and agreement by column and hop, and the disputed items (KBE, Table 3)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from kbe_graph.statistics.intervals import Measurement
from kbe_graph.statistics.rater_agreement import (
    Ratings,
    class_share,
    gwet_ac1,
    krippendorff_alpha,
    mean_correlation,
    percent,
)
from kbe_graph.study.human_study import PAIRS, HumanStudy, StudyItem
from kbe_graph.study.study_files import Rating

ALL = "all"


class StudyRow(NamedTuple):
    """A column of a study, over all items or a group: the share, and the raters' agreement by each measure.

    The share is that of yes; in a study of pairs, that of pairs whose question with more key edges was rated harder.
    """

    asked: str
    group: str
    items: int
    share: Measurement
    agreement: tuple[Measurement, ...]


@dataclass(frozen=True, slots=True)
class StudyResult:
    """The results of a study: its raters, a row per column and group, and the disputed columns by item.

    ``seconds`` is the median time per item, None if no form recorded any.
    """

    study: HumanStudy
    raters: tuple[str, ...]
    rows: tuple[StudyRow, ...]
    disputed: Mapping[str, tuple[str, ...]]
    seconds: float | None = None

    def as_mapping(self) -> dict[str, Any]:
        """Return the results as plain values, for JSON."""
        rows = [
            row._asdict()
            | {"share": row.share._asdict(), "agreement": [measurement._asdict() for measurement in row.agreement]}
            for row in self.rows
        ]
        disputed = {item: list(columns) for item, columns in self.disputed.items()}
        head = {"study": self.study.name, "kind": self.study.kind.name, "run": self.study.run}
        about = {"raters": list(self.raters), "items": len(self.study.items), "seconds": self.seconds}
        return {**head, **about, "rows": rows, "disputed": disputed}


def study_result(study: HumanStudy, ratings: Sequence[Rating], *, seed: int = 0) -> StudyResult:
    """Compute shares and agreement by column, and by hop (quality) or by difference in key edges (pairs).

    Intervals are 95 %; the note of a missing figure states the reason.
    """
    raters = tuple(sorted({rating.rater for rating in ratings}))
    by_item: dict[str, dict[str, Mapping[str, str]]] = defaultdict(dict)
    for rating in ratings:
        by_item[rating.item][rating.rater] = rating.words
    make = _pairs_row if study.kind is PAIRS else _quality_row
    rows = []
    for asked in study.kind.asked:
        for group, items in _groups(study):
            words = [[by_item[item.id].get(rater, {}).get(asked) for rater in raters] for item in items]
            rows.append(make(asked, group, items, words, seed))
    times = [rating.seconds for rating in ratings if rating.seconds]
    return StudyResult(study, raters, tuple(rows), dict(_disputes(study, by_item)), median(times) if times else None)


def _groups(study: HumanStudy) -> Iterator[tuple[str, Sequence[StudyItem]]]:
    yield ALL, study.items
    name: Callable[[int], str] = (lambda key: f"{key} apart") if study.kind is PAIRS else (lambda key: f"hop {key}")
    groups = defaultdict(list)
    for item in study.items:
        groups[abs(_more_edges(item)) if study.kind is PAIRS else item.questions[0].hop].append(item)
    if len(groups) > 1:
        yield from ((name(key), groups[key]) for key in sorted(groups))


def _quality_row(asked: str, group: str, items: Sequence[StudyItem], words: Ratings, seed: int) -> StudyRow:
    share = class_share(words, "yes")
    return StudyRow(asked, group, len(items), share, _agreement(words, ("yes", "no"), seed))


def _pairs_row(asked: str, group: str, items: Sequence[StudyItem], words: Ratings, seed: int) -> StudyRow:
    planned = ["1" if _more_edges(item) > 0 else "2" for item in items]
    as_planned = [
        [None if word is None else "yes" if word == plan else "no" for word in row]
        for item, plan, row in zip(items, planned, words, strict=True)
        if _more_edges(item)
    ]
    pearson = mean_correlation(words, "1", seed=seed)
    share = class_share(as_planned, "yes")
    return StudyRow(asked, group, len(items), share, (*_agreement(words, ("1", "2"), seed), pearson))


def _more_edges(item: StudyItem) -> int:
    first, second = item.questions
    return first.edges - second.edges


def _agreement(words: Ratings, classes: Sequence[str], seed: int) -> tuple[Measurement, ...]:
    return (
        percent(words),
        gwet_ac1(words, classes=classes),
        krippendorff_alpha(words, classes=classes, seed=seed),
    )


def _disputes(
    study: HumanStudy, by_item: Mapping[str, Mapping[str, Mapping[str, str]]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for item in study.items:
        by_rater = by_item.get(item.id, {}).values()
        columns = tuple(
            asked for asked in study.kind.asked if len({words[asked] for words in by_rater if asked in words}) > 1
        )
        if columns:
            yield item.id, columns
