"""Errata: a mistake found in a fact, a question or an answer, which mends or withdraws each question that has it."""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import replace

from kbe_graph.errors import InputError
from kbe_graph.review.consequences import with_new_end
from kbe_graph.review.review_desk import time_now
from kbe_graph.review.state import first_version
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Entity, Erratum, ErratumKind, Provenance, Question, sample_of_question

Corrections = dict[str, tuple[Question | None, str]]
"""What errata do to questions, by the id of the first version: each as it is mended, None if withdrawn, and why."""


def add_erratum(
    store: Store, what: str, *, why: str, by: str = "", correct: str = "", also: str = ""
) -> tuple[Erratum, list[str]]:
    """Record an erratum, and return it with the ids of the questions that it concerns; a later one replaces it.

    ``what`` is a fact as it is printed ("(ROME, river, TIBER)" or "ROME|river|TIBER"), the id of a question, or an
    answer. Raises InputError if it concerns no kept question.
    """
    if not why.strip() or (correct and also):
        raise InputError("say why it is wrong (`why`), and give the right answer (`correct`) or a further one (`also`)")
    kind, name = _read(store, what)
    id_ = hashlib.sha256(f"{kind}|{name}".encode()).hexdigest()[:8]
    erratum = Erratum(id_, kind, name, why, time_now(), by, correct, also)
    concerned = store.questions_to_correct(erratum)
    if not concerned:
        raise InputError(
            f"no kept question has the {kind} {what!r}; give a fact as SUBJECT|relation|OBJECT (`show` prints the "
            "facts of a key), the id of a question, or an answer"
        )
    _save(store, erratum, concerned)
    return erratum, [*concerned]


def undo_erratum(store: Store, id_: str, *, why: str) -> Erratum:
    """Take an erratum back, which stays on record with the reason; raises InputError."""
    given = {erratum.id: erratum for erratum in store.errata() if not erratum.undone}
    if id_ not in given or not why.strip():
        raise InputError(f"say why (`why`) one of these errata is taken back: {', '.join(given) or 'there is none'}")
    undone = replace(given[id_], undone=why, undone_at=time_now())
    _save(store, undone, store.questions_to_correct(undone))
    return undone


def _save(store: Store, erratum: Erratum, questions: Collection[str]) -> None:
    """Save an erratum, and take back what rests on the key that its questions (ids) had: their forms, and verdicts."""
    store.save_erratum(erratum, questions)
    store.connection.save({"forget_forms": [{"id": id_} for id_ in questions]})
    firsts = {first_version(id_) for id_ in questions}
    for run in {each.run for each in store.questions(samples=[*map(sample_of_question, firsts)])}:
        answers = [each for each in store.predictions(run=run) if first_version(each.question) in firsts]
        store.save_predictions([each.unjudged for each in answers if each.verdict])


def _read(store: Store, what: str) -> tuple[ErratumKind, str]:
    text = what.strip()
    if store.connection.read("question_ids", ids=[text]):
        return "question", text
    is_printed = text.startswith("(") and text.endswith(")")
    parts = [" ".join(part.split()) for part in (text[1:-1].split(", ") if is_printed else text.split("|"))]
    if len(parts) != 3 or not all(parts):
        return "answer", fold(text)
    subject, object_ = (fold(Entity.of(label).name) for label in parts[::2])
    return "fact", "|".join((subject, parts[1].lower(), object_))


def corrections(store: Store, questions: Iterable[Question]) -> Corrections:
    """Apply all errata to questions, also to those made since, in their order.

    What a reviewer revised, or an earlier erratum mended, is corrected only if it still has the mistake; the right
    answer to a question that an erratum names stands also where another withdraws the question.
    """
    errata = store.errata()
    by_id = {first_version(question.id): question for question in questions} if errata else {}
    current = {question.id for question in by_id.values()}
    made: Corrections = {}
    righted: set[str] = set()
    for erratum in errata:
        concerned = {} if erratum.undone else store.questions_to_correct(erratum)
        for each, rests in concerned.items():
            id_, is_named = first_version(each), erratum.kind == "question" and not rests
            if id_ not in by_id or not (is_named or each in current) or (rests and id_ in righted):
                continue
            question, _ = made.get(id_, (by_id[id_], ""))
            if is_named and erratum.correct:
                question = question or by_id[id_]
                righted.add(id_)
            if question and (is_named or rests or id_ not in made or _has(question, erratum)):
                mended = None if rests else _mend(erratum, question)
                made[id_] = mended, f"erratum {erratum.id}: {erratum.why}"
    return made


def _has(question: Question, erratum: Erratum) -> bool:
    """Return True if a question that was mended still has the wrong fact in its key, or the wrong answer."""
    facts = ((fold(each.subject.name), each.relation.lower(), fold(each.object.name)) for each in question.key)
    return erratum.what in {fold(question.answer), *map("|".join, facts)}


def _mend(erratum: Erratum, question: Question) -> Question | None:
    """Return the question with the right answer; None if it is unknown, or later steps of the key rest on the fact."""
    if erratum.kind == "fact" and erratum.what.rpartition("|")[2] != fold(question.answer):
        return None
    if erratum.also:
        is_known = fold(erratum.also) in map(fold, (question.answer, *question.aliases))
        return question if is_known else replace(question, aliases=(*question.aliases, erratum.also))
    if not erratum.correct:
        return None
    made = replace(question, answer=erratum.correct, aliases=(), provenance=Provenance(f"erratum {erratum.id}"))
    return with_new_end(made, question.end) if made.key else made
