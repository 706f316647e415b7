"""200 questions of which 30 are bad in known ways, with noisy judgements by models and people."""

import random
from typing import NamedTuple

from kbe_graph.review.material import ReviewMaterial
from kbe_graph.review.question_version import question_version
from kbe_graph.review.state import question_states, reviewed_item
from kbe_graph.store.nodes import StoredCandidate, StoredGuess, StoredInspection
from kbe_graph.types import (
    IMAGE,
    RAW,
    UNSOURCED,
    VERDICTS,
    Alternative,
    Entity,
    Prediction,
    Provenance,
    Question,
    Review,
    Sample,
    Triplet,
    question_id,
)

RUN = "r"
BAD = {"guessable": 8, "wrong": 9, "ambiguous": 4, "unsourced": 6, "unseen": 3}  # 30; nothing tells of the last
DENIES = {"guessable": "image_needed", "wrong": "fact", "ambiguous": "one_answer", "unsourced": "fact"}
INSPECTORS = ("inspector A", "inspector B")
MODELS = {"model A": 0.85, "model B": 0.75, "model C": 0.65, "model D": 0.55, "model E": 0.45}
RELATIONS = ("habitat", "diet", "colour", "family", "continent")


class Planted(NamedTuple):
    """The questions with all judgements of them, and the kind of fault by id of the bad ones."""

    material: ReviewMaterial
    bad: dict[str, str]


def planted(seed: int = 0, number: int = 200) -> Planted:
    """Build a set whose inspectors are wrong in one case of five, and whose models fail good questions too."""
    draw = random.Random(seed)
    faults = [fault for fault, count in BAD.items() for _ in range(count)]
    faults += ["" for _ in range(number - len(faults))]
    draw.shuffle(faults)
    samples = {f"b/s/{place}": Sample(f"b/s/{place}", "b", "s", "What?", "thing") for place in range(number)}
    raw = [_raw(sample) for sample in samples]
    asked = [_question(place, fault, draw) for place, fault in enumerate(faults)]
    pairs = list(zip(asked, faults, strict=True))
    material = ReviewMaterial(
        [*raw, *asked],
        samples,
        inspections=[each for question, fault in pairs for each in _inspections(question, fault, draw)],
        guesses=[_guess(question, fault, draw) for question, fault in pairs],
        candidates=[_candidate(question, fault, draw) for question, fault in pairs],
        alternatives={question.id: _alternatives(fault, draw) for question, fault in pairs},
        predictions=[each for question, fault in pairs for each in _predictions(question, fault, draw)],
    )
    return Planted(material, {question.id: fault for question, fault in pairs if fault})


def _raw(sample: str) -> Question:
    key = (Triplet(IMAGE, "depicts", Entity("THING"), source="caption"),)
    return Question(question_id(sample, RAW, 0), sample, RAW, 0, "raw", "What?", "thing", key)


def _question(place: int, fault: str, draw: random.Random) -> Question:
    sample, relation = f"b/s/{place}", RELATIONS[place % len(RELATIONS)]
    unsourced = fault == "unsourced" or draw.random() < 0.05
    thing, end = Entity("THING"), Entity(f"END {place}")
    fact = Triplet(thing, relation, end, "textual", UNSOURCED if unsourced else "pack")
    return Question(
        *(question_id(sample, RUN, 1), sample, RUN, 1, "explored", f"What {relation}?", f"end {place}"),
        (*_raw(sample).key, fact),
        parent=question_id(sample, RAW, 0),
        provenance=Provenance("writer", prompt="write:1") if place % 2 else Provenance("rule", pattern="plain"),
    )


def _inspections(question: Question, fault: str, draw: random.Random) -> list[StoredInspection]:
    """Inspect an ambiguous question at random, and any other with one error in five."""
    of_no = 0.5 if fault == "ambiguous" else 0.8 if DENIES.get(fault) else 0.2
    inspections = []
    for position, inspector in enumerate(INSPECTORS):
        no = DENIES.get(fault) or draw.choice(VERDICTS) if draw.random() < of_no else ""
        yes = tuple(verdict for verdict in VERDICTS if verdict != no)
        place = (question.id, question.sample, RUN, 1, position)
        inspections.append(StoredInspection(question.text, question.answer, yes, inspector, "inspect:1", "", *place))
    return inspections


def _guess(question: Question, fault: str, draw: random.Random) -> StoredGuess:
    right = draw.random() < (0.85 if fault == "guessable" else 0.12)
    about = (question.id, question.sample, RUN, 1, "explored", 0)
    return StoredGuess(question.text, question.answer, "a guess", right, "guesser", "guess:1", "", *about)


def _candidate(question: Question, fault: str, draw: random.Random) -> StoredCandidate:
    """Build a candidate: the checks find a fault in every second ambiguous question, and in one of twenty others."""
    faulty = draw.random() < (0.5 if fault == "ambiguous" else 0.05)
    relation = question.explored[0].relation
    place = {"question": question.id, "sample": question.sample, "run": RUN, "hop": 1}
    return StoredCandidate(relation, question.answer, "x", "kept", faulty=faulty, **place)


def _alternatives(fault: str, draw: random.Random) -> tuple[Alternative, ...]:
    few = draw.random() < (0.6 if fault == "guessable" else 0.2)
    return tuple(Alternative(f"ROOT {place}", f"other {place}") for place in range(1 if few else 4))


def _predictions(question: Question, fault: str, draw: random.Random) -> list[Prediction]:
    """Build predictions: if the key is wrong, hardly any model matches it, and better ones no more often."""
    rights = {model: draw.random() < (0.05 if fault == "wrong" else skill) for model, skill in MODELS.items()}
    return [
        Prediction(model, question.id, "an answer", verdict="right" if right else "wrong", judge="alias")
        for model, right in rights.items()
    ]


CRITERION = {"guessable": "image", "wrong": "factual", "ambiguous": "one", "unsourced": "factual", "unseen": "worth"}


def reviewed(seed: int = 0, *, number: int = 200, overlap: float = 0.4, careless: float = 0.1) -> Planted:
    """Add people's decisions to the planted set: Ann sees all, Bea some, Cy those on which they differ."""
    material, bad = planted(seed, number)
    draw = random.Random(f"people {seed}")
    asked = [question for question in material.questions if question.run == RUN]
    reviews = []
    for place, question in enumerate(asked):
        ann = _review(question, bad.get(question.id, ""), "Ann", place, draw, careless)
        reviews.append(ann)
        if draw.random() < overlap:
            bea = _review(question, bad.get(question.id, ""), "Bea", place, draw, careless)
            reviews.append(bea)
            if ann.verdict != bea.verdict:
                reviews.append(_review(question, bad.get(question.id, ""), "Cy", place, draw, 0))
    states = question_states(map(reviewed_item, asked), reviews)
    return Planted(material._replace(reviews=reviews, states=states), bad)


def _review(question: Question, fault: str, reviewer: str, place: int, draw: random.Random, careless: float) -> Review:
    """Reject bad questions and approve good ones, or the reverse if careless."""
    is_bad = bool(fault) != (draw.random() < careless)
    refused = CRITERION.get(fault, "worth") if is_bad else ""
    criteria = ("factual", "one", "image", "worth")
    return Review(
        *(f"{question.id}|{reviewer}|0", question.id, question_version(question), reviewer),
        f"2026-11-27T{10 + 'ABC'.index(reviewer[0])}:{place // 60:02}:{place % 60:02}Z",
        round(draw.uniform(5, 60), 1),
        "reject" if is_bad else "approve",
        tuple((name, "no" if name == refused else "yes") for name in criteria),
        f"the {refused} is wrong" if is_bad else "",
        (("another", "also right"),) if fault == "ambiguous" else (),
        "another" if fault == "ambiguous" and draw.random() < 0.5 else question.answer if draw.random() < 0.8 else "?",
    )
