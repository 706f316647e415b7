"""One JSON line a question, the raw ones (hop 0) included."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kbe_graph.files import replacing
from kbe_graph.types import Question, Sample, Triplet


def _triplet(triplet: Triplet) -> dict[str, str]:
    return {
        "subject": triplet.subject.label,
        "relation": triplet.relation,
        "object": triplet.object.label,
        "graph": triplet.graph,
        "source": triplet.source,
        "source_ref": triplet.source_ref,
    }


def record(sample: Sample, question: Question) -> dict[str, Any]:
    """Return the exported line of a question as a mapping."""
    return {
        "id": question.id,
        "sample": sample.id,
        "benchmark": sample.benchmark,
        "split": sample.split,
        "hop": question.hop,
        "kind": question.kind,
        "image": sample.image,
        "question": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "parent": question.parent or None,
        "key": [_triplet(triplet) for triplet in question.key],
        "run": question.run,
        "status": question.status,
        "reason": question.reason or None,
    }


def lines(pairs: Iterable[tuple[Sample, Question]]) -> Iterator[str]:
    """Return the lines of an export, each ending in a line feed."""
    return (json.dumps(record(sample, question), ensure_ascii=False) + "\n" for sample, question in pairs)


def write_jsonl(file: Path, pairs: Iterable[tuple[Sample, Question]]) -> int:
    """Write the questions to ``file`` and return how many; a failure leaves what was there. Raises InputError."""
    count = 0
    with replacing(file) as stream:
        for line in lines(pairs):
            stream.write(line)
            count += 1
    return count
