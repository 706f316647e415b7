"""Studies: a fixed draw of questions, pairs of questions or answers, which people rate, and what came of it."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.whole import private_folder, replacing
from kbe_graph.review.item_form import FormQuestion, FormStep, ItemForm, form_step
from kbe_graph.review.review_desk import MOST_REASON, check_reviewer, time_now
from kbe_graph.review.state import number_of
from kbe_graph.seeds import seed_of
from kbe_graph.statistics.intervals import Measurement
from kbe_graph.statistics.rater_agreement import Ratings, agreement, class_share, majority, mean_correlation
from kbe_graph.types import Prediction, Question, Review, Sample


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


class StudyQuestion(NamedTuple):
    """A question of a study; raters do not see its id, hop, or number of key edges."""

    id: str
    hop: int
    edges: int
    text: str
    answer: str
    aliases: tuple[str, ...] = ()
    path: tuple[FormStep, ...] = ()


class StudyItem(NamedTuple):
    """An item to rate, under an opaque id: a question, two of one sample, or a question with the answer ``given``.

    ``prediction`` is the id of that answer.
    """

    id: str
    sample: str
    picture: str
    questions: tuple[StudyQuestion, ...]
    given: str = ""
    prediction: str = ""


class Study(NamedTuple):
    """A study: a name derived from its content, and its items in the order in which they are shown."""

    name: str
    kind: StudyKind
    run: str
    seed: int
    items: tuple[StudyItem, ...]


class _Unit(NamedTuple):
    stratum: Hashable
    questions: tuple[Question, ...]
    prediction: Prediction | None = None

    @property
    def id(self) -> str:
        return self.prediction.id if self.prediction else " ".join(question.id for question in self.questions)


def draw_study(
    kind: str,
    questions: Sequence[Question],
    samples: Mapping[str, Sample],
    *,
    run: str,
    number: int,
    seed: int,
    reselected: bool = False,
    predictions: Sequence[Prediction] = (),
) -> Study:
    """Draw up to ``number`` items, spread evenly over hops, pairs of hops, or verdicts and hops.

    ``quality`` takes explored questions, and with ``reselected`` those of hop 0 too (KBE, Table 3); ``pairs`` two
    questions of one sample at different hops, in random order (appendix G); ``answers`` judged ones of ``predictions``.
    A larger number only adds items. Raises InputError if there is nothing to draw.
    """
    if kind not in KINDS:
        raise InputError(f"no kind of study {kind!r}; choose from {', '.join(KINDS)}")
    kept = [question for question in questions if question.status in {"kept", "loaded"}]
    if kind == "quality":
        kinds = {"explored", "reselected"} if reselected else {"explored"}
        drawable = [_Unit(each.hop, (each,)) for each in kept if each.kind in kinds]
    else:
        drawable = list(_pairs(kept, seed) if kind == "pairs" else _answers(kept, predictions))
    units = {unit.id: unit for unit in drawable}
    ids = draw_stratified({id_: unit.stratum for id_, unit in units.items()}, number, seed)
    if not ids:
        raise InputError(f"run {run!r} has nothing that a study of {kind} could show; evolve or evaluate it first")
    digest = hashlib.sha256("\n".join((kind, str(seed), *ids)).encode()).hexdigest()
    items = [_item(units[id_], samples, f"q{seed_of('study', digest, id_):016x}"[:11]) for id_ in ids]
    return Study(f"{kind}-{digest[:10]}", KINDS[kind], run, seed, tuple(items))


def _pairs(questions: Iterable[Question], seed: int) -> Iterator[_Unit]:
    chains: dict[str, dict[int, Question]] = defaultdict(dict)
    for question in sorted(questions, key=lambda question: question.kind == "reselected"):
        chains[question.sample][question.hop] = question
    for chain in chains.values():
        for low, high in combinations(sorted(chain), 2):
            pair = chain[low], chain[high]
            turned = pair[::-1] if seed_of("turn", seed, f"{pair[0].id} {pair[1].id}") % 2 else pair
            yield _Unit((low, high), turned)


def _answers(questions: Iterable[Question], predictions: Iterable[Prediction]) -> Iterator[_Unit]:
    by_id = {question.id: question for question in questions}
    judged = [each for each in predictions if each.verdict and each.question in by_id]
    first = {(each.question, each.asked, each.text): each for each in sorted(judged, key=lambda each: each.id)[::-1]}
    for prediction in first.values():
        question = by_id[prediction.question]
        yield _Unit((prediction.verdict, question.hop), (question,), prediction)


def _item(unit: _Unit, samples: Mapping[str, Sample], id_: str) -> StudyItem:
    sample, prediction = samples[unit.questions[0].sample], unit.prediction
    questions = []
    for each in unit.questions:
        others = sample.answers if prediction and each.kind == "raw" else ()
        aliases = tuple(alias for alias in dict.fromkeys((*each.aliases, *others)) if alias != each.answer)
        text = prediction.asked or each.text if prediction else each.text
        path = tuple(map(form_step, each.key)) if len(unit.questions) == 1 and not prediction else ()
        questions.append(StudyQuestion(each.id, each.hop, each.difficulty, text, each.answer, aliases, path))
    given, answer = (prediction.text, prediction.id) if prediction else ("", "")
    return StudyItem(id_, sample.id, ", ".join(sample.images), tuple(questions), given, answer)


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
    """Save a study in a folder; raises InputError."""
    private_folder(folder)
    items = [item._asdict() | {"questions": [each._asdict() for each in item.questions]} for item in study.items]
    with replacing(folder / f"{study.name}.json", private=True) as stream:
        json.dump(study._asdict() | {"kind": study.kind.name, "items": items}, stream, ensure_ascii=False, indent=1)


def read_study(folder: Path, name: str) -> Study:
    """Load a study by name from a folder; raises InputError, which lists the names, and DatasetError if damaged."""
    files = {file.stem: file for file in folder.glob("*.json")}
    if name not in files:
        names = ", ".join(map(repr, sorted(files))) or "none"
        raise InputError(f"no study {name!r} in this workspace; studies drawn here are {names}")
    try:
        record = json.loads(files[name].read_text(encoding="utf-8"))
        items = tuple(_item_of_record(item) for item in record["items"])
        return Study(**{**record, "kind": KINDS[record["kind"]], "items": items})
    except (ValueError, TypeError, KeyError) as error:
        problem = f"not a saved study ({error!r}); draw it again with the same run, number and seed"
        raise DatasetError(files[name], problem) from None


def _item_of_record(record: Mapping[str, Any]) -> StudyItem:
    questions = (
        StudyQuestion(**{**each, "aliases": tuple(each["aliases"]), "path": tuple(FormStep(*s) for s in each["path"])})
        for each in record["questions"]
    )
    return StudyItem(**{**record, "questions": tuple(questions)})


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
    questions = [
        FormQuestion([(each.text, False)], each.answer, each.aliases, path=each.path, given=item.given)
        for each in item.questions
    ]
    asked = {column: (words, "") for column, words in study.kind.asked.items()}
    return ItemForm(item.id, questions, asked, study.kind.words, "", decides=False, own=own)


def ratings_of(study: Study, reviews: Iterable[Review]) -> dict[str, dict[str, Review]]:
    """Select the last rating of each person on each item of a study, by item and rater."""
    by_item: dict[str, dict[str, Review]] = {item.id: {} for item in study.items}
    for review in sorted(reviews, key=number_of):
        if review.verdict == "rate" and review.version in by_item:
            by_item[review.version][review.reviewer] = review
    return by_item


class StudyRow(NamedTuple):
    """Ratings in a column, over all items or a group: the share, and the agreement by each measure.

    The share is that of yes or right; in a study of pairs, that of pairs whose question with more key edges was rated
    harder. In a study of answers, a row ``ann and JUDGE`` compares a rater with a judge.
    """

    asked: str
    group: str
    items: int
    share: Measurement
    agreement: tuple[Measurement, ...]


class StudyResult(NamedTuple):
    """The results of a study: its raters, a row per column and group, and the disputed columns by item.

    ``seconds`` is the median time per item, None if none was recorded.
    """

    study: Study
    raters: tuple[str, ...]
    rows: tuple[StudyRow, ...]
    disputed: Mapping[str, tuple[str, ...]]
    seconds: float | None = None

    def as_mapping(self) -> dict[str, Any]:
        """Return the results as plain values, for JSON."""
        rows = [
            row._asdict() | {"share": row.share._asdict(), "agreement": [each._asdict() for each in row.agreement]}
            for row in self.rows
        ]
        head = {"study": self.study.name, "kind": self.study.kind.name, "run": self.study.run}
        return head | self._asdict() | {"study": self.study.name, "items": len(self.study.items), "rows": rows}


def study_result(
    study: Study, reviews: Iterable[Review], predictions: Iterable[Prediction] = (), *, seed: int = 0
) -> StudyResult:
    """Compute shares and agreement by column, and by hop or difference in key edges; intervals are 95 %.

    In a study of answers, raters and their majority are compared with each judge of the ``predictions`` too.
    """
    by_item = ratings_of(study, reviews)
    words = {id_: {rater: dict(each.criteria) for rater, each in own.items()} for id_, own in by_item.items()}
    raters = tuple(sorted({rater for own in words.values() for rater in own}))
    rows = [
        _row(
            study,
            asked,
            group,
            items,
            [[words[item.id].get(rater, {}).get(asked) for rater in raters] for item in items],
            seed,
        )
        for asked in study.kind.asked
        for group, items in _groups(study)
    ]
    if study.kind is ANSWERS:
        rows += _judge_rows(study, words, raters, {each.id: each for each in predictions}, seed)
    disputed = {
        id_: columns
        for id_, own in words.items()
        if (
            columns := tuple(asked for asked in study.kind.asked if len({each.get(asked) for each in own.values()}) > 1)
        )
    }
    times = [each.seconds for own in by_item.values() for each in own.values() if each.seconds]
    return StudyResult(study, raters, tuple(rows), disputed, median(times) if times else None)


def _groups(study: Study) -> Iterator[tuple[str, Sequence[StudyItem]]]:
    yield "all", study.items
    groups = defaultdict(list)
    for item in study.items:
        groups[abs(_more_edges(item)) if study.kind is PAIRS else item.questions[0].hop].append(item)
    if len(groups) > 1:
        yield from ((f"{key} apart" if study.kind is PAIRS else f"hop {key}", groups[key]) for key in sorted(groups))


def _row(study: Study, asked: str, group: str, items: Sequence[StudyItem], words: Ratings, seed: int) -> StudyRow:
    kind = study.kind
    measured = agreement(words, kind.words, seed=seed)
    if kind is not PAIRS:
        return StudyRow(asked, group, len(items), class_share(words, kind.words[0]), measured)
    planned = [
        [word and str(word == ("1" if _more_edges(item) > 0 else "2")) for word in row]
        for item, row in zip(items, words, strict=True)
        if _more_edges(item)
    ]
    correlation = mean_correlation(words, "1", seed=seed)
    return StudyRow(asked, group, len(items), class_share(planned, "True"), (*measured, correlation))


def _more_edges(item: StudyItem) -> int:
    first, second = item.questions
    return first.edges - second.edges


def _judge_rows(
    study: Study,
    words: Mapping[str, Mapping[str, Mapping[str, str]]],
    raters: Sequence[str],
    predictions: Mapping[str, Prediction],
    seed: int,
) -> Iterator[StudyRow]:
    judged = [(words[item.id], predictions[item.prediction]) for item in study.items if item.prediction in predictions]
    for judge in sorted({vote.judge for _, prediction in judged for vote in prediction.verdicts}):
        own = [(labels, verdict) for labels, prediction in judged if (verdict := prediction.verdict_of(judge))]
        columns = {rater: [labels.get(rater, {}).get("label") for labels, _ in own] for rater in raters}
        if len(raters) > 1:
            columns["majority"] = [majority(each["label"] for each in labels.values()) for labels, _ in own]
        for rater, labels_of in columns.items():
            pairs = [[label, verdict] for label, (_, verdict) in zip(labels_of, own, strict=True)]
            share = class_share([[verdict] for label, verdict in pairs if label], "right")
            yield StudyRow(f"{rater} and {judge}", "all", len(own), share, agreement(pairs, ANSWERS.words, seed=seed))
