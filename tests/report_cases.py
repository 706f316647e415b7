"""Simulated answers for reports: five models of known skill, and a sample with hostile names everywhere."""

import random
from collections.abc import Iterable, Iterator

from kbe_graph.figures.outcomes import answers_frame
from kbe_graph.show.report_data import ReportSource
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import IMAGE, Alternative, Entity, Prediction, Provenance, Question, Sample, Triplet, question_id

SKILLS = {"model A": 0.9, "model B": 0.8, "model C": 0.7, "model D": 0.6, "small $model_1$": 0.5}
HOSTILE = '<script>document.title="owned"</script> </script><!-- "quotes" \'&amp; {{ 7 * 7 }} ]]> \\u003c'


def answers_of(questions: Iterable[Question], skills: dict[str, float] | None = None) -> Iterator[Prediction]:
    """Yield an answer of each model to each question; the higher the hop, the more rarely it is right."""
    draw = random.Random(0)
    for question in questions:
        for model, skill in (SKILLS if skills is None else skills).items():
            right = draw.random() < skill - 0.15 * question.hop
            strict = draw.random() < 0.7
            text = (question.answer if strict else f"it is {question.answer}") if right else "no idea"
            verdict = "right" if right else "wrong"
            yield Prediction(model, question.id, text, tokens=3, verdict=verdict, judge="scripted judge")


def chain(number: int) -> list[Question]:
    """Build a raw question and one at hop 1; two samples share an image."""
    sample, thing = f"okvqa/val/{number}", Entity(f"THING {number}")
    key = (Triplet(IMAGE, "depicts", thing), Triplet(thing, f"relation {number % 3}", Entity("OTHER"), "textual"))
    return [
        Question(
            question_id(sample, "raw", 0), sample, "raw", 0, "raw", f"What is {number}?", f"thing {number}", key[:1]
        ),
        Question(
            *(question_id(sample, "r", 1), sample, "r", 1, "explored", f"What of {number}?", "other", key),
            provenance=Provenance("rule"),
        ),
    ]


def source_of(predictions: list[Prediction], count: int = 20) -> ReportSource:
    """Build the source of a report: questions of OK-VQA by ``chain``, and these answers."""
    samples = {
        f"okvqa/val/{number}": Sample(f"okvqa/val/{number}", "okvqa", "val", "q", "a", image_id=str(number // 2))
        for number in range(count)
    }
    questions = [question for number in range(count) for question in chain(number)]
    frame = answers_frame(predictions, {question.id: question for question in questions}, samples)
    status = {"samples": {"extracted": count}, "runs": {"r": {"questions": {"hop 1": {"kept": count}}}}}
    return ReportSource("r", samples, questions, frame, status)


def hostile_source() -> ReportSource:
    """Build the source of a report in which every external text tries to break out of the HTML."""
    sample = Sample(f"b/val/{HOSTILE}", "b", "val", HOSTILE, HOSTILE, image=HOSTILE)
    thing = Entity(HOSTILE)
    key = (
        Triplet(IMAGE, HOSTILE, thing, source=HOSTILE),
        Triplet(thing, HOSTILE, Entity("other"), "textual", source=HOSTILE),
    )
    raw = Question(question_id(sample.id, "raw", 0), sample.id, "raw", 0, "raw", HOSTILE, HOSTILE, key[:1])
    run = f"r {HOSTILE}"
    hop = Question(question_id(sample.id, run, 1), sample.id, run, 1, "explored", HOSTILE, HOSTILE, key, (HOSTILE,))
    questions = {question.id: question for question in (raw, hop)}
    predictions = [
        Prediction(HOSTILE, question.id, HOSTILE, verdict="right", judge=HOSTILE) for question in questions.values()
    ]
    named = {"asked": 1, "right": 0, "share": 0.0, "by": [HOSTILE]}
    counts = {"kept": 1, "dropped": 1, "dropped by reason": {HOSTILE: 1}}
    return ReportSource(
        run=run,
        samples={sample.id: sample},
        questions=list(questions.values()),
        answers=answers_frame(predictions, questions, {sample.id: sample}),
        status={"samples": {"extracted": 1}, "runs": {run: {"questions": {HOSTILE: counts}, NAMED: {HOSTILE: named}}}},
        named={hop.id: [StoredGuess(HOSTILE, HOSTILE, HOSTILE, right=False, model=HOSTILE, question=hop.id)]},
        alternatives={hop.id: (Alternative(HOSTILE, HOSTILE),)},
    )
