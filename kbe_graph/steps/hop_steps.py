"""Steps of a hop: ``knowledge``, ``representative``, ``express``, ``reselect`` and ``paraphrase``."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.noun import ENGLISH
from kbe_graph.steps.asker import (
    Step,
    chain_text,
    numbered_lines,
    triplet_text,
)
from kbe_graph.steps.forms import (
    CandidateForm,
    ExpressForm,
    KnowledgeForm,
    ParaphraseForm,
    ReselectForm,
    VerdictsForm,
)
from kbe_graph.steps.prompt import Data, Examples, examples
from kbe_graph.steps.reply_text import TripletWords, is_forged, is_whole, read_question
from kbe_graph.steps.verifier import TOKENS_A_VERDICT, verdicts_of
from kbe_graph.text import fold
from kbe_graph.types import Question, Sample, Triplet

QUESTION_TOKENS = 120


_ANY_PICTURE = frozenset({"image", "picture", "photo", "show", "see", "depict", "shown", "seen"})
_POINTING = _ANY_PICTURE.union(
    ("this", "that", "these", "those", "here", "it", "its", "he", "his", "him", "she", "her", "they", "their", "them")
)


class Proposal(NamedTuple):
    """Candidate that a model proposes; its subject is the current answer.

    ``names`` are aliases of the object, ``type`` its type in one word, and ``written`` the object in normal
    capitalisation, if the reply gives both.
    """

    relation: str
    object: str
    names: tuple[str, ...] = ()
    type: str = ""
    written: str = ""


def knowledge_step(question: Question, *, language: str = ENGLISH) -> Step[list[Proposal]]:
    """Ask for facts about the current answer, of which there may be none."""

    def parse(form: KnowledgeForm) -> list[Proposal]:
        return _sound(question.answer, map(_proposal, form.candidates), examples("knowledge"))

    values: dict[str, Data] = {"question": question.text, "answer": question.answer}
    values |= {"chain": chain_text(question.key), "language": language}
    return Step("knowledge", KnowledgeForm, parse, values, 500)


def representative_step(question: Question, triplets: Sequence[Triplet]) -> Step[list[bool]]:
    """Ask whether each object is representative of its subject and relation, in context."""
    values: dict[str, Data] = {"question": question.text, "answer": question.answer}
    values["triplets"] = numbered_lines(chain_text(triplets))
    parse, most = partial(verdicts_of, count=len(triplets)), 20 + TOKENS_A_VERDICT * len(triplets)
    return Step("representative", VerdictsForm, parse, values, most)


def _proposal(candidate: CandidateForm) -> Proposal:
    thing = candidate.o.strip()
    names = dict.fromkeys(name.strip() for name in candidate.names if fold(name) != fold(thing))
    sound = tuple(name for name in names if name and not is_forged(name))
    spelled = (name.strip() for name in candidate.names if thing.isupper() and not name.isupper())
    written = next((name for name in spelled if name.upper() == thing), "")
    return Proposal(candidate.r.strip(), thing, sound, candidate.type.strip(), written=written)


def _sound(answer: str, proposals: Iterable[Proposal], shown: Examples) -> list[Proposal]:
    sound: dict[tuple[str, str], Proposal] = {}
    for proposal in proposals:
        words = TripletWords(answer, proposal.relation, proposal.object)
        if is_whole(words) and not shown.holds_of_another(answer, words):
            sound.setdefault((fold(proposal.relation), fold(proposal.object)), proposal)
    return list(sound.values())


def express_step(
    parent: Question, triplet: Triplet, *, hidden: Collection[str] = (), language: str = ENGLISH
) -> Step[str]:
    """Ask for the question whose answer is the object of the new triplet.

    The reply is unusable if it mentions a ``hidden`` name, repeats the parent's question or an example's, or ignores
    the parent (checked in English).
    """

    def parse(form: ExpressForm) -> str:
        question = _new_question("express", form.question, old=parent.text, hidden=hidden)
        if language == ENGLISH and ignores(question, parent):
            raise ValueError("the question ignores the one before: it has none of its words and points to nothing seen")
        return question

    values: dict[str, Data] = {"question": parent.text, "answer": parent.answer, "chain": chain_text(parent.key)}
    values |= {"triplet": triplet_text(triplet), "language": language}
    return Step("express", ExpressForm, parse, values, QUESTION_TOKENS)


def _new_question(step: str, text: str, *, old: str, hidden: Collection[str]) -> str:
    question = read_question(text, hidden=hidden)
    if is_same_question(question, old):
        raise ValueError("the question is the old one")
    if examples(step).holds_question(question):
        raise ValueError("the question is the example's")
    return question


def is_same_question(text: str, old: str) -> bool:
    """Return True if two questions have the same words, or the same lemmas apart from "in this picture" etc."""
    new_lemmas, old_lemmas = (frozenset(lemmas(question)) - _ANY_PICTURE for question in (text, old))
    return fold(text) == fold(old) or (bool(new_lemmas) and new_lemmas == old_lemmas)


def ignores(text: str, parent: Question) -> bool:
    """Return True if a question neither points to what is seen nor has a word of its parent's question or key."""
    things = (end.name for triplet in parent.key for end in (triplet.subject, triplet.object))
    old, new = set(lemmas(parent.text)), set(lemmas(text))
    return bool(old) and not new & old.union(lemmas(" ".join(things))) and not _POINTING & set(fold(text).split())


def paraphrase_step(text: str, answers: Sequence[str], *, language: str = ENGLISH) -> Step[str]:
    """Ask for a paraphrase of a question with the same answers."""

    def parse(form: ParaphraseForm) -> str:
        return read_question(form.question)

    values = {"question": text, "answers": ", ".join(dict.fromkeys(answers)), "language": language}
    return Step("paraphrase", ParaphraseForm, parse, values, QUESTION_TOKENS, sees_image=False)


def reselect_step(sample: Sample, path: Sequence[Triplet], *, language: str = ENGLISH) -> Step[str]:
    """Ask for the question whose answer is the end of a path; the outcome is empty if the model wrote none.

    The reply is unusable if it is not a question, repeats the old one or an example's, or mentions the old answer or an
    entity of the path after the first.
    """

    def parse(form: ReselectForm) -> str:
        hidden = (sample.answer, *(triplet.object.name for triplet in path[1:]), path[-1].object.name)
        text = form.question.strip()
        return text and _new_question("reselect", text, old=sample.question, hidden=hidden)

    values = {"question": sample.question, "answer": sample.answer, "chain": chain_text(path), "language": language}
    return Step("reselect", ReselectForm, parse, values, QUESTION_TOKENS)
