"""Errata: a mistake found in a fact, a question or an answer, which mends or withdraws each question that has it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kbe_graph.errors import InputError
from kbe_graph.review.consequences import with_new_end
from kbe_graph.review.state import first_version
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Erratum, ErratumKind, Provenance, Question


@dataclass(frozen=True, slots=True)
class Corrections:
    """What errata do to questions, by the id of the first version: mended ones, and why each is mended or withdrawn."""

    mended: dict[str, Question] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    withdrawn: dict[str, str] = field(default_factory=dict)


def add_erratum(
    store: Store, what: str, *, why: str, by: str = "", correct: str = "", also: str = ""
) -> tuple[Erratum, list[str]]:
    """Record an erratum, and return it with the ids of the questions that it concerns; a later one replaces it.

    ``what`` is a fact as it is printed ("(ROME, river, TIBER)" or "ROME|river|TIBER"), the id of a question, or an
    answer. Raises InputError if it concerns no kept question.
    """
    if not why or (correct and also):
        raise InputError("say why it is wrong (`why`), and give the right answer (`correct`) or a further one (`also`)")
    kind, name = _read(store, what)
    id_ = hashlib.sha256(f"{kind}|{name}".encode()).hexdigest()[:8]
    time = datetime.now(UTC).isoformat(timespec="seconds")
    erratum = Erratum(id_, kind, name, why, time, by, correct, also)
    concerned = store.questions_to_correct(erratum)
    if not concerned:
        raise InputError(
            f"no kept question has the {kind} {what!r}; give a fact as SUBJECT|relation|OBJECT (`show` prints the "
            "facts of a key), the id of a question, or an answer"
        )
    store.save_erratum(erratum, concerned)
    return erratum, concerned


def _read(store: Store, what: str) -> tuple[ErratumKind, str]:
    text = what.strip()
    if store.connection.read("question_ids", ids=[text]):
        return "question", text
    parts = text.split("|") if "|" in text else text.removeprefix("(").removesuffix(")").split(", ")
    if len(parts) != 3 or not all(parts):
        return "answer", fold(text)
    subject, relation, object_ = (part.strip() for part in parts)
    return "fact", "|".join((fold(subject), relation.lower(), fold(object_)))


def corrections(store: Store, questions: Iterable[Question]) -> Corrections:
    """Apply all errata to questions, those found since too; each erratum is linked to the questions it concerns."""
    by_id = {first_version(question.id): question for question in questions}
    made = Corrections()
    for erratum in store.errata():
        concerned = store.questions_to_correct(erratum)
        store.save_erratum(erratum, concerned)
        for id_ in {first_version(each) for each in concerned} & by_id.keys():
            reason = f"erratum {erratum.id}: {erratum.why}"
            if mended := _mend(erratum, made.mended.get(id_, by_id[id_])):
                made.mended[id_] = mended
                made.reasons[id_] = reason
            else:
                made.withdrawn[id_] = reason
    return made


def _mend(erratum: Erratum, question: Question) -> Question | None:
    """Return the question with the right answer; None if it is unknown, or later steps of the key rest on the fact."""
    if erratum.kind == "fact" and erratum.what.rpartition("|")[2] != fold(question.answer):
        return None
    if erratum.also:
        return replace(question, aliases=(*question.aliases, erratum.also))
    if not erratum.correct:
        return None
    made = replace(question, answer=erratum.correct, aliases=(), provenance=Provenance(f"erratum {erratum.id}"))
    return with_new_end(made, question.end) if made.key else made
