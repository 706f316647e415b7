"""Contents of a release: each question as it is in a version, its hash, and how it is read from the graph."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kbe_graph.graph_access import GraphAccess
from kbe_graph.types import Entity, Graph, Question, ReleasedQuestion, Triplet

FIELDS = ("question", "answer", "aliases", "options", "key", "pictures")
"""The fields of a row that are the question; a change of any of them is a change of the question."""


def content_of(row: Mapping[str, Any]) -> str:
    """Encode the fields of a row that its hash is of; a row that lacks one raises KeyError."""
    return json.dumps({name: row[name] for name in FIELDS}, ensure_ascii=False, sort_keys=True)


def hash_of(content: str) -> str:
    """Return the hash of a question from its content, or of a line.

    >>> hash_of("{}")[:8]
    '44136fa3'
    """
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


def release_questions(access: GraphAccess, name: str, *, form: int | None = None) -> list[Question]:
    """Return the questions of a release as they are in it, by id, of all forms or one; without the withdrawn ones.

    ``name`` is that of a release (its newest version) or the id of a version (``demo@1``). Raises InputError.
    """
    store = access.store
    release = store.release(name)
    held = [each for each in store.released(release) if form in (None, each.form) and each.status != "withdrawn"]
    stored = {question.id: question for question in store.questions(run=release.run, status=None)}
    return [as_released(stored[each.question], each) for each in held]


def as_released(question: Question, released: ReleasedQuestion) -> Question:
    """Return a question with the text, answers and key that it has in a version of a release."""
    content = json.loads(released.content)
    key = tuple(map(triplet_of, content["key"]))
    aliases = tuple(content["aliases"])
    return replace(question, text=content["question"], answer=content["answer"], aliases=aliases, key=key)


def triplet_of(record: Mapping[str, str]) -> Triplet:
    """Build the triplet of a record in a line's key."""
    subject, object_ = (_entity(record[name]) for name in ("subject", "object"))
    graph: Graph = "visual" if record["graph"] == "visual" else "textual"
    return Triplet(subject, record["relation"], object_, graph, record["source"], record["source_ref"])


def _entity(label: str) -> Entity:
    name, mark, number = label.rpartition(" #")
    return Entity(name, int(number)) if mark and number.isdecimal() else Entity(label)
