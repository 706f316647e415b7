"""The version of a question: a hash of everything that a reviewer sees."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from kbe_graph.types import Question, Triplet

LENGTH = 16  # hexadecimal digits of a version


def question_version(question: Question, options: Sequence[str] = ()) -> str:
    """Hash a question's text, answer, aliases, options and key; the order of the options does not matter.

    >>> len(question_version(work.questions(run="demo")[0]))
    16
    """
    seen = [
        question.text,
        question.answer,
        list(question.aliases),
        sorted(options),
        [_step(triplet) for triplet in question.key],
    ]
    return hashlib.sha256(json.dumps(seen, ensure_ascii=False).encode()).hexdigest()[:LENGTH]


def _step(triplet: Triplet) -> list[str]:
    return [triplet.subject.label, triplet.relation, triplet.object.label]


def question_fields(question: Question, options: Sequence[str] = ()) -> str:
    """Encode the fields that a reviewer can revise as JSON: text, answer, aliases and options."""
    fields: Mapping[str, Any] = {
        "text": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "options": list(options),
    }
    return json.dumps(fields, ensure_ascii=False)
