"""Candidates from a model: the steps ``knowledge``, ``hop`` and ``chain`` (KBE, section 3.2, exploration)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kbe_graph.steps.answered import ECHOES, Answered
from kbe_graph.steps.ask import Ask, ask, chain_text
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import Chained, Hopped, Known, Proposed, Repeated, read_form
from kbe_graph.steps.reply import Words, about, triplets, whole
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


def parse_knowledge(
    answered: Answered, answer: str, *, shown: Examples | None = None, echoes: tuple[str, ...] = ECHOES
) -> list[Proposal]:
    """Return the proposals, one a relation and object; of triplets only those whose subject is the current answer.

    Raises ReplyError where the reply declines, or says something but no whole triplet about the answer.
    """
    found = _repeated(answered) if '"s"' in answered.text else None
    if found is None and (form := read_form(Known, answered)) is not None:
        return _sound(answer, map(_proposal, form.candidates), shown or examples("knowledge"))
    ours = about(triplets(answered.lines(echoes)) if found is None else found, answer)
    proposals = [Proposal(one.relation, one.object) for one in _one_a_relation(ours)]
    proposals = _sound(answer, proposals, shown or examples("knowledge"))
    if not proposals:
        raise answered.fault(f"no whole triplet about {answer!r} with one object a relation")
    return proposals


def parse_hop(answered: Answered, answer: str) -> list[Proposal]:
    """Return the proposals with verdicts and drafts; raises ReplyError."""
    form = read_form(Hopped, answered)
    if form is None:
        raise answered.fault("no JSON object in the reply")
    found = (_proposal(one)._replace(ok=one.ok, text=_draft(one.q, examples("hop"))) for one in form.candidates)
    return _sound(answer, found, examples("hop"))


def parse_chain(answered: Answered, answer: str) -> list[Proposal]:
    """Return the hops in order, each with its question, up to the first that states nothing; raises ReplyError."""
    form = read_form(Chained, answered)
    if form is None:
        raise answered.fault("no JSON object in the reply")
    hops: list[Proposal] = []
    for one in form.hops:
        found = _proposal(one)._replace(text=_draft(one.q, examples("chain")))
        if not _sound(answer, [found], examples("chain")):
            break
        hops.append(found)
        answer = found.object
    return hops


def _values(question: Question, language: str) -> dict[str, str]:
    chain = chain_text(question.key)
    return {"question": question.text, "answer": question.answer, "chain": chain, "language": language}


def _repeated(answered: Answered) -> list[Words] | None:
    form = read_form(Repeated, answered)
    return None if form is None else [one.words for one in form.candidates]


def _proposal(one: Proposed) -> Proposal:
    names = tuple(dict.fromkeys(name.strip() for name in one.names if fold(name) != fold(one.o)))
    return Proposal(one.r.strip(), one.o.strip(), tuple(name for name in names if name), one.type.strip())


def _draft(text: str, shown: Examples) -> str:
    return "" if shown.asks(text) else text.strip()


def _sound(answer: str, proposals: Iterable[Proposal], shown: Examples) -> list[Proposal]:
    """Return those that state something about the answer that is no example's, each relation and object once."""
    found: dict[tuple[str, str], Proposal] = {}
    for one in proposals:
        words = Words(answer, one.relation, one.object)
        if whole(words) and not shown.carried(answer, words):
            found.setdefault((fold(one.relation), fold(one.object)), one)
    return list(found.values())


def _one_a_relation(found: Sequence[Words]) -> list[Words]:
    """Keep the relations that name one object: with several, the model itself says that none is the one."""
    objects: dict[str, set[str]] = {}
    for one in found:
        objects.setdefault(fold(one.relation), set()).add(fold(one.object))
    return [one for one in found if len(objects[fold(one.relation)]) == 1]
