"""Conversion of a raw question into the noun phrase that stands for its answer, based on the parts of its clause."""

from dataclasses import replace
from functools import lru_cache

from kbe_graph.english.inflect import inflector
from kbe_graph.errors import NoCandidate
from kbe_graph.question import Reading
from kbe_graph.question.clause import Clause
from kbe_graph.question.tokens import ADJECTIVE, BE, DO, MODAL, STRANDED, Token, Tokens, joined
from kbe_graph.wording.predicate import (
    BARE,
    BEING_THERE,
    CALLED,
    HEADS,
    INTRANSITIVE,
    MAKERS,
    NAMING,
    NONE,
    PEOPLE,
    PLACES,
    SEVERAL,
    SHOWN,
    THINGS,
    TIMES,
    about,
    description,
    head_of,
    of_predicate,
    property_of,
)
from kbe_graph.wording.reference import Phrase, Reference, is_many, phrases, pointing_reference, relative


def agreeing(auxiliary: str, head: str) -> str:
    """Inflect an auxiliary for the number of the head before it; unchanged after "kind of birds", which allows both."""
    if " of " in head:
        return auxiliary
    pairs = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
    forms = {pair[not is_many(head)]: pair[is_many(head)] for pair in pairs}
    return forms.get(auxiliary, auxiliary)


def inflected_for(head: str, rest: Tokens) -> str:
    """Join words with their first verb inflected for the number of the head (the person who drives these)."""
    first = rest[0]
    if first.tag not in {"VBP", "VB", "VBZ"} or " of " in head or first.low in {"has", "have"}:
        return joined(rest) if first.low not in {"has", "have"} else f"{agreeing(first.low, head)} {joined(rest[1:])}"
    base = str((inflector().getLemma(first.low, "VERB") or (first.low,))[0])
    return f"{base if is_many(head) else inflected(base, 'does')} {joined(rest[1:])}".strip()


def inflected(verb: str, auxiliary: str) -> str:
    """Inflect a verb for the tense and number of "do", "does" or "did"."""
    if auxiliary == "do":
        return verb
    forms = inflector().getInflection(verb, tag="VBZ" if auxiliary == "does" else "VBD")
    return str(forms[0]) if forms else verb


def turn(clause: Clause) -> Reference:
    """Build the reference to the entity that a clause asks for. Raises NoCandidate if no rule applies."""
    if clause.stated:
        first, *be = (token.low for token in clause.rest)
        if clause.noun and first in BARE and len(be) == 1 and be[0] in BE:
            return pointing_reference(clause.noun, many=first in SEVERAL)
        pronoun = f"{clause.link} which" if clause.link else "that"
        return Reference(relative(head_of(clause), joined(clause.rest), pronoun, drop=not clause.link), "statement")
    if clause.link:
        return _pied(clause)
    if not clause.subject:
        return _of_subject(clause)
    if clause.auxiliary in BE and not clause.rest:
        return of_predicate(clause)
    return _of_object(clause)


def _pronoun(head: str, clause: Clause) -> str:
    return "who" if clause.word in {"who", "whom"} or head.rsplit(maxsplit=1)[-1] in PEOPLE else "that"


def _of_subject(clause: Clause) -> Reference:
    if clause.noun and len(clause.rest) > 1 and clause.rest[0].low in {"here", "there"}:
        clause = replace(clause, noun=f"{clause.noun} {clause.rest[0].low}", rest=clause.rest[1:])
    verb, words = clause.rest[0].low, joined(clause.rest)
    if verb in CALLED | {"it"} or clause.word in {"where", "when"}:
        raise NoCandidate(NONE, f"nothing stands for {clause.word!r}")
    if clause.word == "who" and not clause.auxiliary and verb in MAKERS and len(clause.rest) > 1:
        return Reference(phrases(f"the {MAKERS[verb]} of {joined(clause.rest[1:])}", plural=False), "maker")
    head = head_of(clause, verb if clause.auxiliary in BE else "")
    predicate = f"{agreeing(clause.auxiliary, head)} {words}" if clause.auxiliary else inflected_for(head, clause.rest)
    near = clause.rest[0].tag == "IN" or verb in SHOWN
    if clause.auxiliary in BE and near:
        plural = is_many(head)
        return Reference(
            (*phrases(f"the {head} {words}", plural=plural), Phrase(f"the {head} that {predicate}", plural)), "located"
        )
    return Reference(relative(head, predicate, _pronoun(head, clause), drop=False), "subject")


def _of_object(clause: Clause) -> Reference:
    verb, last = _verb(clause), clause.rest[-1]
    if last.low == "like" and len(clause.rest) == 1 and not clause.noun:
        return description(clause.subject)
    is_name = last.low != "after" and {token.low for token in clause.rest} & (CALLED | {"call", "referred"})
    if is_name or (verb == "known" and last.low == "as"):
        return _called(clause)
    stranded = last.tag in STRANDED
    if clause.auxiliary in BE and verb and not stranded and last.tag != "VB" and _whole(clause, verb):
        whole = (*clause.subject, *clause.rest)
        return property_of(clause, whole) if clause.noun else description(whole)
    head, text, subject = head_of(clause, verb, last.low), said_of(clause), joined(clause.subject)
    pronoun, drop = _adverbial(clause, head, verb) or (_pronoun(head, clause), True)
    if pronoun == "that" and _is_complete(clause):
        raise NoCandidate(NONE, "nothing is missing where the answer would stand")
    rule = {"where": "place", "when": "time", "in which": "time"}.get(pronoun, "object")
    return Reference(relative(head, text, pronoun, drop=drop, subject=subject), rule)


def _verb(clause: Clause) -> str:
    verbs = (token.low for token in clause.rest if token.tag.startswith("VB"))
    return next((verb for verb in verbs if verb not in {"being", "been"}), "")


def _adverbial(clause: Clause, head: str, verb: str) -> tuple[str, bool] | None:
    last = clause.rest[-1]
    if last.tag in STRANDED:
        return None
    if clause.word in {"where", "when"}:
        return clause.word, False
    kinds = {head.rsplit(maxsplit=1)[-1], head.split(" of ", maxsplit=1)[0].rsplit(maxsplit=1)[-1]}
    after = next((at for at, token in enumerate(clause.rest) if token.low == verb), 0) + 1
    complete = _is_complete(clause) or _object_at(clause.rest, after) or last.low.removesuffix("s") in BEING_THERE
    if complete and kinds & PLACES:
        return "where", False
    return ("in which", False) if complete and kinds & TIMES else None


def _is_complete(clause: Clause) -> bool:
    if clause.rest[-1].tag in STRANDED:
        return False
    pairs = zip(clause.rest, clause.rest[1:], strict=False)
    if any(before.low == "be" and token.tag == "VBN" and token.low not in NAMING for before, token in pairs):
        return True
    last = clause.rest[-1]
    if last.low == "place" and len(clause.rest) > 1 and clause.rest[-2].low in {"take", "taking", "taken"}:
        return True
    return clause.auxiliary in BE and last.tag in {"VBN", *ADJECTIVE} and last.low not in SHOWN | NAMING


def _object_at(rest: Tokens, place: int) -> bool:
    return any(token.tag in {"DT", "PRP$", "PRP"} for token in rest[place : place + 1])


def _whole(clause: Clause, verb: str) -> bool:
    at, token = next((at, token) for at, token in enumerate(clause.rest) if token.low == verb)
    if clause.word in {"where", "when"}:
        return False
    if token.tag == "VBN":
        return (
            not clause.noun
            or token.low in SHOWN
            or (at + 1 < len(clause.rest) and clause.noun.split()[-1] not in TIMES | PLACES)
        )
    if clause.noun:
        return (
            verb in INTRANSITIVE
            and clause.noun.split()[-1] not in THINGS
            and " of " not in clause.noun
            and clause.rest[-1] != token
        )
    follows = clause.rest[at + 1].tag if at + 1 < len(clause.rest) else ""
    return verb in INTRANSITIVE or (verb != "doing" and follows in {"DT", "PRP$"})


def _called(clause: Clause) -> Reference:
    words = [token for token in clause.rest if not token.tag.startswith("RB")]
    if clause.auxiliary in BE and len(words) == 1:
        subject: Tokens = clause.subject
    elif clause.auxiliary in DO | MODAL and words[0].low == "call":
        subject = words[1:]
    else:
        subject = ()
    if not subject or clause.noun:
        raise NoCandidate(NONE, "asks what something is called")
    return about(subject)


def said_of(clause: Clause) -> str:
    """Reorder the clause as a statement: the man is riding; jets use."""
    subject, words = joined(clause.subject), list(clause.rest)
    place = next((at for at, token in enumerate(words) if token.tag in {"VB", "VBP"}), None)
    if clause.auxiliary not in DO or place is None or any(token.low in {"not", "n't"} for token in words[: place + 1]):
        plural = clause.auxiliary in {"is", "was", "has"} and is_many(subject)
        auxiliary = agreeing(clause.auxiliary, subject) if plural else clause.auxiliary
        return f"{subject} {auxiliary} {joined(words)}".strip()
    words[place] = Token(inflected(words[place].low, clause.auxiliary), "VB")
    return f"{subject} {joined(words)}"


def _pied(clause: Clause) -> Reference:
    if not clause.noun or not clause.subject:
        raise NoCandidate(NONE, "a preposition in front")
    text = said_of(clause)
    where = clause.noun.split()[-1] in PLACES and clause.link in {"in", "at", "on"} and " of " not in clause.noun
    pronoun = "where" if where else f"{clause.link} which"
    return Reference(relative(clause.noun, text, pronoun, drop=False, subject=joined(clause.subject)), "preposition")


def refer(reading: Reading) -> Reference:
    """Build the reference to a question's answer; it has no phrases if nothing ties the answer to the image.

    Raises NoCandidate if no rule applies ("no noun phrase").
    """
    reference = _reference(reading)
    if isinstance(reference, Reference):
        return reference
    raise NoCandidate(reference.reason, reference.detail)


@lru_cache(maxsize=4096)
def _reference(reading: Reading) -> Reference | NoCandidate:
    try:
        return _by_clause(reading)
    except NoCandidate as none:
        return none


def _by_clause(reading: Reading) -> Reference:
    core = reading.core
    if core.named:
        return description(core.tokens)
    return _in_place(core.tokens) if core.clause is None else turn(core.clause)


def _in_place(tokens: Tokens) -> Reference:
    places = [at for at, token in enumerate(tokens) if token.low in {"what", "which", "where", "who"}]
    if len(places) != 1 or places[0] < 3 or tokens[0].tag not in {"DT", "PRP", "PRP$", "NNS"}:
        raise NoCandidate(NONE, "no question word in front")
    before, word, after = tokens[: places[0]], tokens[places[0]].low, tokens[places[0] + 1 :]
    words = [token.low for token in before]
    if (not after and words[-2:] == ["called", "a"]) or words[-1] == "called":
        end = max((at for at, low in enumerate(words) if low in {"is", "are"}), default=words.index("called"))
        return about(before[:end])
    if {"that", "who", "which"} & set(words[2:]):
        raise NoCandidate(NONE, "a clause before the question word")
    if (
        before[-1].tag.startswith("JJ")
        or words[-1] in {"a", "the", "some", "an", "great"}
        or {"called", "as", ","} & set(words)
    ):
        raise NoCandidate(NONE, "a blank to fill")
    if any(token.tag == "MD" or token.tag.startswith(("VB", "PRP")) for token in after if token.low != "of"):
        raise NoCandidate(NONE, "a clause after the question word")
    if after and after[0].tag in STRANDED:
        raise NoCandidate(NONE, "a question word in the middle")
    return Reference(relative(joined(after) or HEADS[word], joined(before)), "in place")
