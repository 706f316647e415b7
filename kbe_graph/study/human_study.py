"""Studies with human raters: the questions shown to them, and the columns that they rate."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.whole import private_folder, replacing
from kbe_graph.seeds import seed_of
from kbe_graph.study.item_form import FormStep, form_step
from kbe_graph.types import Question, Sample


class StudyKind(NamedTuple):
    """A kind of study: its name, the rating questions by column, the accepted words, and the instruction."""

    name: str
    asked: Mapping[str, str]
    words: tuple[str, ...]
    about: str


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
    "Each item shows a picture, a question, its answer, and the key triplets that lead to the answer. Answer yes or no "
    "to each of five questions. If you are not sure, look it up; if you are still not sure, answer no.",
)
PAIRS = StudyKind(
    "pairs",
    {"harder": "Which of the two questions is harder?"},
    ("1", "2"),
    "Each item shows a picture and two questions about it, with their answers. Choose the question that is harder to "
    "answer. There is no tie: if they seem equally hard, go with your first impression.",
)
KINDS = {kind.name: kind for kind in (QUALITY, PAIRS)}


class StudyQuestion(NamedTuple):
    """A question of a study; raters do not see its id, hop, or number of key edges."""

    id: str
    hop: int
    edges: int
    text: str
    answer: str
    aliases: tuple[str, ...]
    path: tuple[FormStep, ...]


class StudyItem(NamedTuple):
    """An item to rate: one question, or two of one sample, under an opaque id."""

    id: str
    sample: str
    picture: str
    questions: tuple[StudyQuestion, ...]


class HumanStudy(NamedTuple):
    """A study: a name derived from its content, and its items in the order in which they are shown."""

    name: str
    kind: StudyKind
    run: str
    seed: int
    items: tuple[StudyItem, ...]


def draw_quality(
    questions: Sequence[Question],
    samples: Mapping[str, Sample],
    *,
    run: str,
    number: int = 150,
    seed: int = 0,
    reselected: bool = False,
) -> HumanStudy:
    """Draw a study of up to ``number`` explored questions, spread evenly over the hops (KBE, Table 3).

    A hop with too few questions contributes all of them. ``samples`` are by id. With ``reselected``, re-selected
    questions of hop 0 are drawn too. Raises InputError if there is nothing to draw.
    """
    kinds = {"explored", "reselected"} if reselected else {"explored"}
    by_id = {question.id: question for question in questions if question.kind in kinds and question.status == "kept"}
    drawn = draw_stratified({id_: question.hop for id_, question in by_id.items()}, number, seed)
    return _study(QUALITY, [[by_id[id_]] for id_ in drawn], samples, run, seed)


def draw_pairs(
    questions: Sequence[Question], samples: Mapping[str, Sample], *, run: str, number: int = 150, seed: int = 0
) -> HumanStudy:
    """Draw a study of up to ``number`` pairs of questions of one sample at different hops (KBE, appendix G).

    Pairs are spread evenly over the combinations of hops, as far as there are enough, and the order within a pair is
    random. The first question of a sample is its raw one, or the re-selected one if the chain starts there. Raises
    InputError if there is nothing to draw.
    """
    pairs = {f"{first.id} {second.id}": (first, second) for first, second in _pairs(questions)}
    drawn = draw_stratified({id_: (first.hop, second.hop) for id_, (first, second) in pairs.items()}, number, seed)
    turned = [pairs[id_][::-1] if seed_of("turn", seed, id_) % 2 else pairs[id_] for id_ in drawn]
    return _study(PAIRS, turned, samples, run, seed)


def _pairs(questions: Sequence[Question]) -> Iterator[tuple[Question, Question]]:
    chains: dict[str, dict[int, Question]] = defaultdict(dict)
    for question in sorted(questions, key=lambda question: question.kind == "reselected"):
        if question.status == "kept":
            chains[question.sample][question.hop] = question
    for chain in chains.values():
        yield from ((chain[low], chain[high]) for low, high in combinations(sorted(chain), 2))


def _study(
    kind: StudyKind, drawn: Sequence[Sequence[Question]], samples: Mapping[str, Sample], run: str, seed: int
) -> HumanStudy:
    if not drawn:
        raise InputError(f"run {run!r} has no question that a study of {kind.name} could show; evolve it first")
    ids = [" ".join(question.id for question in questions) for questions in drawn]
    digest = hashlib.sha256("\n".join((kind.name, str(seed), *ids)).encode()).hexdigest()
    items = tuple(
        StudyItem(
            f"q{seed_of('study', digest, id_):016x}"[:11],
            questions[0].sample,
            ", ".join(samples[questions[0].sample].images),
            tuple(map(_study_question, questions)),
        )
        for id_, questions in zip(ids, drawn, strict=True)
    )
    return HumanStudy(f"{kind.name}-{digest[:10]}", kind, run, seed, items)


def _study_question(question: Question) -> StudyQuestion:
    path = tuple(map(form_step, question.key))
    return StudyQuestion(
        question.id, question.hop, question.difficulty, question.text, question.answer, question.aliases, path
    )


def save_study(folder: Path, study: HumanStudy) -> None:
    """Save a study in a folder, so that ratings can be read back; raises InputError."""
    private_folder(folder)
    items = [item._asdict() | {"questions": [each._asdict() for each in item.questions]} for item in study.items]
    with replacing(folder / f"{study.name}.json", private=True) as stream:
        json.dump(study._asdict() | {"kind": study.kind.name, "items": items}, stream, ensure_ascii=False, indent=1)


def read_study(folder: Path, name: str) -> HumanStudy:
    """Load a study by name from a folder.

    Raises InputError, which lists the names that exist, and DatasetError for a damaged file.
    """
    files = {file.stem: file for file in folder.glob("*.json")}
    if name not in files:
        names = ", ".join(map(repr, sorted(files))) or "none"
        raise InputError(f"no study {name!r} in this workspace; studies drawn here are {names}")
    try:
        return _of_record(json.loads(files[name].read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError) as error:
        problem = f"not a saved study ({error!r}); draw it again with the same run, number and seed"
        raise DatasetError(files[name], problem) from None


def _of_record(record: Mapping[str, Any]) -> HumanStudy:
    items = tuple(
        StudyItem(**{**item, "questions": tuple(map(_question_of_record, item["questions"]))})
        for item in record["items"]
    )
    return HumanStudy(**{**record, "kind": KINDS[record["kind"]], "items": items})


def _question_of_record(record: Mapping[str, Any]) -> StudyQuestion:
    return StudyQuestion(
        **{**record, "aliases": tuple(record["aliases"]), "path": tuple(FormStep(*step) for step in record["path"])}
    )


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
