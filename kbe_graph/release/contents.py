"""Contents of a release: each question as it is in a version, its hash, and how it is read from the graph."""

import hashlib
import json
from collections.abc import Iterable, Mapping
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


def aligned(before: Mapping[str, ReleasedQuestion], after: Mapping[str, str]) -> dict[str, ReleasedQuestion]:
    """Return the questions of a version by the ids that they have ``after`` (each with its content).

    A question with the same words about the same pictures is the same, also where a round carried it into another run.
    """
    new = {_asks(content): id_ for id_, content in after.items() if id_ not in before}
    ids = {id_: id_ if id_ in after else new.pop(_asks(each.content), id_) for id_, each in before.items()}
    return {ids[id_]: replace(each, question=ids[id_]) for id_, each in before.items()}


def _asks(content: str) -> str:
    fields = json.loads(content or "{}")
    return json.dumps([fields.get("question"), fields.get("pictures")])


def release_questions(access: GraphAccess, name: str) -> list[Question]:
    """Return the questions of a release as they are in it, by id, without the withdrawn ones.

    ``name`` is that of a release (its newest version) or the id of a version (``demo@1``). Raises InputError.
    """
    store = access.store
    release = store.release(name)
    return as_released(store.questions(run=release.run, status=None), store.released(release))


def as_released(questions: Iterable[Question], released: Iterable[ReleasedQuestion]) -> list[Question]:
    """Return questions with the text, answers and key that they have in a version, without those withdrawn from it."""
    stored = {question.id: question for question in questions}
    live = (each for each in released if each.status != "withdrawn" and each.question in stored)
    return [_as_in(stored[each.question], each.content) for each in live]


def _as_in(question: Question, content_: str) -> Question:
    content = json.loads(content_)
    key = tuple(map(triplet_of, content["key"]))
    aliases = tuple(content["aliases"])
    return replace(question, text=content["question"], answer=content["answer"], aliases=aliases, key=key)


def triplet_of(record: Mapping[str, str]) -> Triplet:
    """Build the triplet of a record in a line's key."""
    subject, object_ = (Entity.of(record[name]) for name in ("subject", "object"))
    graph: Graph = "visual" if record["graph"] == "visual" else "textual"
    return Triplet(subject, record["relation"], object_, graph, record["source"], record["source_ref"])
