"""The raw question of a sample, at hop 0, with the key subgraph that was extracted."""

from collections import Counter

from kbe_graph.text import fold
from kbe_graph.types import RAW, Provenance, Question, Sample, SampleGraph, question_id

AGREED = 3


def raw_question(sample: Sample, graph: SampleGraph) -> Question:
    """Return the benchmark's own question; an answer that at least three people gave counts as an alias of the answer.

    Three of ten is where the VQA metric gives full credit.
    """
    counts = Counter(fold(answer) for answer in sample.answers)
    answers = {fold(answer): answer for answer in reversed(sample.answers)}
    aliases = (answers[name] for name in dict.fromkeys(map(fold, sample.answers)) if counts[name] >= AGREED)
    return Question(
        id=question_id(sample.id, RAW, 0),
        sample=sample.id,
        run=RAW,
        hop=0,
        kind="raw",
        text=sample.question,
        answer=sample.answer,
        key=graph.key,
        aliases=tuple(alias for alias in aliases if fold(alias) != fold(sample.answer)),
        provenance=Provenance("benchmark"),
    )
