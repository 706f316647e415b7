"""Candidates from a model: the steps ``knowledge``, ``hop`` and ``chain`` (KBE, section 3.2, exploration)."""

from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.ask import ECHOES, Answered, Ask, ask, chain_text, whole
from kbe_graph.steps.forms import Chained, Hopped, Known, Proposed, Told, read_form
from kbe_graph.steps.reply import Words, about, plain, triplets
from kbe_graph.text import fold
from kbe_graph.types import Question


class Proposal(NamedTuple):
    """A candidate as a model gave it: the subject is the current answer.

    ``names`` are other right names of the object, ``type`` its type in a word, ``ok`` the model's own verdict (None where it
    was not asked), ``text`` a drafted question.
    """

    relation: str
    object: str
    names: tuple[str, ...] = ()
    type: str = ""
    ok: bool | None = None
    text: str = ""


def render_knowledge(question: Question, *, language: str = "English") -> Ask:
    """Return what asks for facts about the current answer."""
    return ask("knowledge", Known, sees_image=True, max_tokens=500, **_values(question, language))


def render_hop(question: Question, *, language: str = "English") -> Ask:
    """Return what asks for facts, verdicts and drafted questions in one."""
    return ask("hop", Hopped, sees_image=True, max_tokens=900, **_values(question, language))


def render_chain(question: Question, hops: int, *, language: str = "English") -> Ask:
    """Return what asks for several hops at once."""
    return ask("chain", Chained, sees_image=True, max_tokens=300 * hops, hops=str(hops), **_values(question, language))


def parse_knowledge(answered: Answered, answer: str) -> list[Proposal]:
    """Return the proposals, one a relation and object; from lines only those whose subject is the current answer.

    Raises ReplyError where the reply is cut or declined, or where it holds triplets but none about the answer.
    """
    text = whole(answered)
    if '"s"' in text and (told := read_form(Told, text)) is not None:
        found = [one.words for one in told.candidates]
    elif (form := read_form(Known, text)) is not None:
        return _once([_proposal(one) for one in form.candidates])
    else:
        found = triplets(plain(text, echoes=ECHOES))
    ours = about(found, answer)
    if not ours:
        raise ReplyError(f"no whole triplet about {answer!r}", reply=answered.text)
    return _once([Proposal(one.relation, one.object) for one in _one_a_relation(ours)])


def parse_hop(answered: Answered) -> list[Proposal]:
    """Return the proposals with verdicts and drafts; raises ReplyError."""
    form = read_form(Hopped, whole(answered))
    if form is None:
        raise ReplyError("no JSON object in the reply", reply=answered.text)
    return _once([_proposal(one)._replace(ok=one.ok, text=one.q.strip()) for one in form.candidates])


def parse_chain(answered: Answered) -> list[Proposal]:
    """Return the hops in order, each with its question; raises ReplyError."""
    form = read_form(Chained, whole(answered))
    if form is None:
        raise ReplyError("no JSON object in the reply", reply=answered.text)
    return [_proposal(one)._replace(text=one.q.strip()) for one in form.hops]


def _values(question: Question, language: str) -> dict[str, str]:
    chain = chain_text(question.key)
    return {"question": question.text, "answer": question.answer, "chain": chain, "language": language}


def _proposal(one: Proposed) -> Proposal:
    return Proposal(one.r.strip(), one.o.strip(), tuple(name.strip() for name in one.names if name.strip()), one.type)


def _once(proposals: Sequence[Proposal]) -> list[Proposal]:
    first = {(fold(one.relation), fold(one.object)): one for one in reversed(proposals)}
    return [one for one in proposals if first[fold(one.relation), fold(one.object)] is one]


def _one_a_relation(found: Sequence[Words]) -> list[Words]:
    """Keep the relations that name one object: with several, the model itself says that none is the one."""
    objects: dict[str, set[str]] = {}
    for one in found:
        objects.setdefault(fold(one.relation), set()).add(fold(one.object))
    return [one for one in found if len(objects[fold(one.relation)]) == 1]
