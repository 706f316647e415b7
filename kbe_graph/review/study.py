"""Studies: a fixed draw of questions, pairs of questions or answers, which people rate, and what came of it."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from kbe_graph.brief import brief
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.whole import private_folder, replacing
from kbe_graph.review.doubt import ItemForm
from kbe_graph.review.review_desk import MOST_REASON, check_reviewer, time_now
from kbe_graph.review.review_report import Findings
from kbe_graph.statistics.intervals import Measurement, Ratings, agreement, class_share, mean_correlation
from kbe_graph.store import Store
from kbe_graph.types import RAW, Prediction, Question, Review, sample_of_question, seed_of


class StudyKind(NamedTuple):
    """A kind of study: its name, the rating questions by column, and the accepted words; ``share`` is of the first."""

    name: str
    asked: Mapping[str, str]
    words: tuple[str, ...]


QUALITY = StudyKind(
    "quality",
    {
        "reasonable": "Is it a reasonable question about this picture, and is the answer right?",
        "triplets": "Is each key triplet true?",
        "aligned": "Do the question and the key triplets say the same thing, with nothing missing and nothing added?",
        "path": "Does each step of the key path lead to the next, and the last one to the answer?",
        "image": "Is the picture needed to answer?",
    },
    ("yes", "no"),
)
PAIRS = StudyKind("pairs", {"harder": "Which of the two questions is harder? There is no tie."}, ("1", "2"))
ANSWERS = StudyKind("answers", {"label": "Is the answer that was given right?"}, ("right", "wrong"))
KINDS = {kind.name: kind for kind in (QUALITY, PAIRS, ANSWERS)}


class StudyItem(NamedTuple):
    """An item to rate, under an opaque id: a question, two of one sample, or a question with a model's ``answer``."""

    id: str
    questions: tuple[Question, ...]
    answer: Prediction | None = None

    @property
    def more_edges(self) -> int:
        """The number of key edges that the first question of a pair has more than the second."""
        first, second = self.questions
        return first.difficulty - second.difficulty


@brief()
class Study(NamedTuple):
    """A study: a name derived from its content, and its items in the order in which they are shown."""

    name: str
    kind: StudyKind
    run: str
    seed: int
    items: tuple[StudyItem, ...]

    @property
    def rated(self) -> list[str]:
        """The ids of the questions that the ratings are stored with."""
        return [item.questions[0].id for item in self.items]


def draw_study(
    kind: str,
    questions: Sequence[Question],
    answers: Sequence[Prediction] = (),
    *,
    run: str,
    number: int,
    seed: int,
    reselected: bool = False,
) -> Study:
    """Draw up to ``number`` items, spread evenly over hops, pairs of hops, or verdicts and hops.

    ``quality`` takes explored questions, and with ``reselected`` those of hop 0 too (KBE, Table 3); ``pairs`` two
    questions of one sample at different hops, in random order (appendix G); ``answers`` judged ones of ``answers``. A
    larger number only adds items. Raises InputError if there is nothing to draw.
    """
    if kind not in KINDS:
        raise InputError(f"no kind of study {kind!r}; choose from {', '.join(KINDS)}")
    kept = [question for question in questions if question.status in {"kept", "loaded"}]
    if kind == "quality":
        kinds = {"explored", "reselected"} if reselected else {"explored"}
        drawable = [StudyItem("", (each,)) for each in kept if each.kind in kinds]
    elif kind == "pairs":
        drawable = [StudyItem("", pair) for pair in _pairs(kept, seed)]
    else:
        drawable = list(_answered(kept, answers))
    units = {_unit_id(unit): unit for unit in drawable}
    ids = draw_stratified({id_: _stratum(unit) for id_, unit in units.items()}, number, seed)
    if not ids:
        raise InputError(f"run {run!r} has nothing that a study of {kind} could show; evolve or evaluate it first")
    digest = hashlib.sha256("\n".join((kind, str(seed), *ids)).encode()).hexdigest()
    items = [units[id_]._replace(id=f"q{seed_of('study', digest, id_):016x}"[:11]) for id_ in ids]
    return Study(f"{kind}-{digest[:10]}", KINDS[kind], run, seed, tuple(items))


def _unit_id(unit: StudyItem) -> str:
    return unit.answer.id if unit.answer else " ".join(question.id for question in unit.questions)


def _stratum(unit: StudyItem) -> Hashable:
    return unit.answer and unit.answer.verdict, *sorted(question.hop for question in unit.questions)


def _answered(questions: Iterable[Question], answers: Iterable[Prediction]) -> Iterator[StudyItem]:
    asked = {question.id: question for question in questions}
    judged = sorted((each for each in answers if each.verdict and each.question in asked), key=lambda each: each.id)
    for answer in {(each.question, each.asked, each.text): each for each in reversed(judged)}.values():
        yield _judged_item(asked[answer.question], answer)


def _judged_item(question: Question, answer: Prediction) -> StudyItem:
    return StudyItem("", (replace(question, text=answer.asked or question.text, key=()),), answer)


def _pairs(questions: Iterable[Question], seed: int) -> Iterator[tuple[Question, ...]]:
    chains: dict[str, dict[int, Question]] = defaultdict(dict)
    for question in sorted(questions, key=lambda question: question.kind == "reselected"):
        chains[question.sample][question.hop] = question
    for chain in chains.values():
        for low, high in combinations(sorted(chain), 2):
            pair = chain[low], chain[high]
            yield pair[::-1] if seed_of("turn", seed, f"{pair[0].id} {pair[1].id}") % 2 else pair


def draw_stratified(strata: Mapping[str, Hashable], number: int, seed: object) -> list[str]:
    """Draw ``number`` ids, spread as evenly as possible over their strata, in random order.

    A stratum with too few ids contributes all of them, and the others make up for it; a larger ``number`` only adds
    ids.

    >>> draw_stratified({"a": 1, "b": 1, "c": 1, "d": 2}, 2, seed=0)
    ['c', 'd']
    """
    by_stratum = defaultdict(list)
    for id_ in sorted(strata, key=lambda id_: seed_of("evenly", seed, id_)):
        by_stratum[strata[id_]].append(id_)
    ranks = {id_: rank for ids in by_stratum.values() for rank, id_ in enumerate(ids)}
    first = sorted(ranks, key=lambda id_: (ranks[id_], seed_of("evenly", seed, id_)))[:number]
    return sorted(first, key=lambda id_: seed_of("order", seed, id_))


def save_study(folder: Path, study: Study) -> None:
    """Save the draw of a study in a folder; raises InputError."""
    private_folder(folder)
    items = [(item.id, [each.id for each in item.questions], item.answer and item.answer.id) for item in study.items]
    with replacing(folder / f"{study.name}.json", private=True) as stream:
        json.dump(study._asdict() | {"kind": study.kind.name, "items": items}, stream, ensure_ascii=False, indent=1)


def read_study(folder: Path, name: str, store: Store) -> Study:
    """Load a study by name from a folder, with its questions as they were drawn and answers from the graph.

    Raises InputError, which lists the names, and DatasetError if the file is damaged or a question is gone.
    """
    files = {file.stem: file for file in folder.glob("*.json")}
    if name not in files:
        names = ", ".join(map(repr, sorted(files))) or "none"
        raise InputError(f"no study {name!r} in this workspace; studies drawn here are {names}")
    try:
        record = json.loads(files[name].read_text(encoding="utf-8"))
        samples = [sample_of_question(id_) for _, ids, _ in record["items"] for id_ in ids]
        asked = {question.id: question for question in store.questions(samples=samples, status=None)}
        runs = {RAW, record["run"]} if record["kind"] == "answers" else ()
        answers = {answer.id: answer for run in runs for answer in store.predictions(run=run)}
        items = tuple(
            _judged_item(asked[ids[0]], answers[answer])._replace(id=id_)
            if answer
            else StudyItem(id_, tuple(asked[each] for each in ids))
            for id_, ids, answer in record["items"]
        )
        return Study(**{**record, "kind": KINDS[record["kind"]], "items": items})
    except (AttributeError, ValueError, TypeError, KeyError) as error:
        problem = f"not a saved study of this graph ({error!r}); draw it again with the same run, number and seed"
        raise DatasetError(files[name], problem) from None


def make_rating(
    study: Study, item: StudyItem, rater: str, words: Mapping[str, str], *, note: str = "", seconds: float = 0.0
) -> Review:
    """Build a rating of an item, without its id. Raises InputError unless ``words`` answer each column of the study."""
    kind = study.kind
    for column in kind.asked:
        if words.get(column) not in kind.words:
            word = words.get(column, "")
            raise InputError(f"{column!r} is {word[:60]!r}; give {' or '.join(kind.words)}")
    if len(note) > MOST_REASON:
        raise InputError(f"the note has {len(note):,} characters; the limit is {MOST_REASON:,}")
    criteria = tuple((column, words[column]) for column in kind.asked)
    question = item.questions[0].id
    return Review("", question, item.id, check_reviewer(rater), time_now(), seconds, "rate", criteria, note)


def study_form(study: Study, item: StudyItem, own: Review | None = None) -> ItemForm:
    """Build the form of an item; ``own`` is the rater's rating so far."""
    asked = {column: (words, "") for column, words in study.kind.asked.items()}
    return ItemForm(item.id, item.questions, asked, study.kind.words, decides=False, answer=item.answer, own=own)


def ratings_of(study: Study, reviews: Iterable[Review]) -> dict[str, dict[str, Review]]:
    """Select the last rating of each person on each item of a study, by item and rater."""
    by_item: dict[str, dict[str, Review]] = {item.id: {} for item in study.items}
    for review in sorted(reviews, key=attrgetter("number")):
        if review.verdict == "rate" and review.version in by_item:
            by_item[review.version][review.reviewer] = review
    return by_item


def study_result(study: Study, reviews: Iterable[Review], *, seed: int = 0) -> Findings:
    """Compute shares and agreement by column, and by hop or difference in key edges; intervals are 95 %.

    The share in the table ``ratings`` is that of yes or right; in a study of pairs, that of pairs whose question with
    more key edges was rated harder. In a study of answers, rows ``ann and JUDGE`` compare raters with judges.
    ``disputed`` has the columns of items on which raters differ.
    """
    by_item = ratings_of(study, reviews)
    words = {id_: {rater: dict(each.criteria) for rater, each in own.items()} for id_, own in by_item.items()}
    raters = sorted({rater for own in words.values() for rater in own})
    rows = []
    for asked in study.kind.asked:
        for group, items in _groups(study):
            given = [[words[item.id].get(rater, {}).get(asked) for rater in raters] for item in items]
            rows.append(_row(study.kind, asked, group, items, given, seed))
    if study.kind is ANSWERS:
        rows += _judge_rows(study, words, raters, seed)
    disputed = [
        {"item": id_, "column": asked}
        for id_, own in words.items()
        for asked in study.kind.asked
        if len({each.get(asked) for each in own.values()}) > 1
    ]
    times = [each.seconds for own in by_item.values() for each in own.values() if each.seconds]
    counts = {"items": len(study.items), "raters": len(raters), "median_seconds": median(times) if times else None}
    return Findings(counts, {"ratings": rows, "disputed": disputed})


def _groups(study: Study) -> Iterator[tuple[str, Sequence[StudyItem]]]:
    yield "all", study.items
    groups = defaultdict(list)
    for item in study.items:
        groups[abs(item.more_edges) if study.kind is PAIRS else item.questions[0].hop].append(item)
    if len(groups) > 1:
        yield from ((f"{key} apart" if study.kind is PAIRS else f"hop {key}", groups[key]) for key in sorted(groups))


def _row(
    kind: StudyKind, asked: str, group: str, items: Sequence[StudyItem], words: Ratings, seed: int
) -> dict[str, Any]:
    if kind is not PAIRS:
        return _measured(asked, group, class_share(words, kind.words[0]), words, kind, seed)
    planned = [
        [word and str(word == ("1" if item.more_edges > 0 else "2")) for word in row]
        for item, row in zip(items, words, strict=True)
        if item.more_edges
    ]
    row = _measured(asked, group, class_share(planned, "True"), words, kind, seed)
    return row | {"Pearson": mean_correlation(words, "1", seed=seed)}


def _measured(asked: str, group: str, share: Measurement, words: Ratings, kind: StudyKind, seed: int) -> dict[str, Any]:
    measures = {each.measure: each for each in agreement(words, kind.words, seed=seed)}
    name = "more key edges harder" if kind is PAIRS else kind.words[0]
    return {"asked": asked, "of": group, "items": len(words), name: share} | measures


def _judge_rows(
    study: Study, words: Mapping[str, Mapping[str, Mapping[str, str]]], raters: Sequence[str], seed: int
) -> Iterator[dict[str, Any]]:
    judged = [(words[item.id], item.answer) for item in study.items if item.answer]
    for judge in sorted({vote.judge for _, answer in judged for vote in answer.verdicts}):
        for rater in raters:
            pairs = [
                [labels.get(rater, {}).get("label"), verdict]
                for labels, answer in judged
                if (verdict := answer.verdict_of(judge))
            ]
            share = class_share([[verdict] for label, verdict in pairs if label], "right")
            yield _measured(f"{rater} and {judge}", "all", share, pairs, ANSWERS, seed)
