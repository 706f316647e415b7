"""Turns a clause around: the gap that the question word fills becomes the head of a relative clause.

"What animal is the man riding?" becomes "the animal that the man is riding" (Quirk et al. 1985, 17.9-22, relative clauses).
"""

from kbe_graph.errors import NoCandidate
from kbe_graph.express.clause import BE, DO, MODAL, STRANDED, Clause, Token, Tokens, joined
from kbe_graph.express.reference import Phrase, Reference, is_many, phrases, points, relative, shown

NONE = "no noun phrase"
HEADS = {"what": "thing", "which": "thing", "who": "person", "whom": "person", "where": "place", "when": "time"}
_PLACES = {
    *(
        "place",
        "city",
        "country",
        "state",
        "continent",
        "town",
        "room",
        "location",
        "area",
        "region",
        "store",
        "park",
        "shop",
    ),
    *(
        "restaurant",
        "street",
        "part",
        "house",
        "building",
        "stadium",
        "setting",
        "environment",
        "habitat",
        "venue",
        "biome",
        "climate",
        "terrain",
    ),
}
_TIMES = {"year", "month", "season", "century", "decade", "era", "period", "time"}
_CALLED = {"called", "named", "termed"}
_ACTIVITIES = {
    **dict.fromkeys(("doing", "do", "performing"), "activity"),
    **dict.fromkeys(("eat", "eating", "eats", "eaten"), "food"),
    **dict.fromkeys(("drink", "drinking"), "drink"),
    **dict.fromkeys(("celebrating", "celebrate", "celebrated"), "occasion"),
}
_MAKERS = {
    "invented": "inventor",
    "makes": "maker",
    "made": "maker",
    "manufactures": "manufacturer",
    "produces": "producer",
    "designed": "designer",
    "created": "creator",
    "painted": "painter",
    "wrote": "author",
    "founded": "founder",
    "manufactured": "manufacturer",
    "owns": "owner",
    "sells": "seller",
    "built": "builder",
    "produced": "producer",
}
# What is asked for by these is the thing itself, not a quality of it.
_THINGS = {
    *(
        "animal",
        "food",
        "sport",
        "activity",
        "person",
        "vehicle",
        "object",
        "item",
        "thing",
        "product",
        "fruit",
        "vegetable",
    ),
    *(
        "game",
        "toy",
        "plant",
        "bird",
        "character",
        "appliance",
        "utensil",
        "tool",
        "meal",
        "dish",
        "drink",
        "instrument",
    ),
}
# Verbs that take no object: what follows "What is the X" is then a part of X.
_INTRANSITIVE = {
    *(
        "standing",
        "sitting",
        "hanging",
        "lying",
        "laying",
        "flying",
        "running",
        "walking",
        "growing",
        "swimming",
        "leaning",
    ),
    *("sticking", "floating", "facing", "sleeping", "grazing", "coming", "going", "protruding", "resting", "jumping"),
    *("shining", "looking", "moving", "surfing", "skiing", "driving", "parked", "located"),
}
_PEOPLE = {
    "man",
    "woman",
    "boy",
    "girl",
    "person",
    "child",
    "kid",
    "lady",
    "guy",
    "men",
    "women",
    "people",
    "kids",
    "children",
}


def turned(clause: Clause) -> Reference:
    """Return the reference to what the clause asks for; raises NoCandidate where no rule gives one."""
    if clause.stated:
        pronoun = f"{clause.link} which" if clause.link else "that"
        return Reference(relative(head_of(clause), joined(clause.rest), pronoun, drop=not clause.link), "statement")
    if clause.link:
        return _pied(clause)
    if not clause.subject:
        return _of_subject(clause)
    if clause.auxiliary in BE and not clause.rest:
        return _of_predicate(clause)
    return _of_object(clause)


def head_of(clause: Clause, verb: str = "", last: str = "") -> str:
    """Return the noun that stands for the answer: the question's own, else what question word and verb imply."""
    if clause.noun:
        return f"one {clause.noun}" if clause.noun.startswith("of ") else clause.noun
    if verb in {"made", "constructed", "built", "composed"} and last in {"of", "from", "out", "with"}:
        return "material"
    head = HEADS[clause.word]
    return _ACTIVITIES.get(verb, head) if head == "thing" else head


def _pronoun(head: str, clause: Clause) -> str:
    return "who" if clause.word in {"who", "whom"} or head.rsplit(maxsplit=1)[-1] in _PEOPLE else "that"


def _of_subject(clause: Clause) -> Reference:
    verb, words = clause.rest[0].low, joined(clause.rest)
    if verb in _CALLED | {"it"} or clause.word in {"where", "when"}:
        raise NoCandidate(NONE, f"nothing stands for {clause.word!r}")
    if clause.word == "who" and not clause.auxiliary and verb in _MAKERS and len(clause.rest) > 1:
        return Reference(phrases(f"the {_MAKERS[verb]} of {joined(clause.rest[1:])}", plural=False), "maker")
    head = head_of(clause, verb if clause.auxiliary in BE else "")
    said = f"{_agreeing(clause.auxiliary, head)} {words}" if clause.auxiliary else _inflected_for(head, clause.rest)
    near = clause.rest[0].tag == "IN" or verb in {"shown", "seen", "pictured", "depicted"}
    if clause.auxiliary in BE and near:
        plural = is_many(head)
        return Reference(
            (*phrases(f"the {head} {words}", plural=plural), Phrase(f"the {head} that {said}", plural)), "located"
        )
    return Reference(relative(head, said, _pronoun(head, clause), drop=False), "subject")


def _agreeing(auxiliary: str, head: str) -> str:
    if " of " in head:
        return auxiliary
    pairs = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
    forms = {pair[not is_many(head)]: pair[is_many(head)] for pair in pairs}
    return forms.get(auxiliary, auxiliary)


def _inflected_for(head: str, rest: Tokens) -> str:
    """Return the words with their first verb in the number of the head (the person who drives these)."""
    first = rest[0]
    if first.tag not in {"VBP", "VB", "VBZ"} or " of " in head or first.low in {"has", "have"}:
        return joined(rest) if first.low not in {"has", "have"} else f"{_agreeing(first.low, head)} {joined(rest[1:])}"
    from lemminflect import getLemma

    base = str((getLemma(first.low, "VERB") or (first.low,))[0])
    return f"{base if is_many(head) else inflected(base, 'does')} {joined(rest[1:])}".strip()


def _of_predicate(clause: Clause) -> Reference:
    """Return the reference for "What (noun) is (subject)?"."""
    subject, first = joined(clause.subject), clause.subject[0].low
    bare = first in {"this", "that", "these", "those", "it", "they"} and (
        len(clause.subject) == 1 or clause.subject[1].tag in STRANDED
    )
    if clause.word == "where":
        return _where(clause, bare=bare and len(clause.subject) == 1)
    if clause.word == "when" or first in {"a", "an", "some", "another"}:
        raise NoCandidate(NONE, f"{clause.word} is {subject!r}")
    if bare:
        return shown(_bare_head(clause, first), joined(clause.subject[1:]), many=first in {"these", "those", "they"})
    return _property(clause, clause.subject) if clause.noun else named(clause.subject)


def _bare_head(clause: Clause, first: str) -> str:
    many = first in {"these", "those", "they"}
    return (
        clause.noun or {"person": "people"}.get(HEADS[clause.word], "things")
        if many
        else clause.noun or HEADS[clause.word]
    )


def _property(clause: Clause, subject: Tokens) -> Reference:
    """Return the breed of the dog for "What breed is the dog?", and the animal that it is for "What animal is the statue?"."""
    noun, text = head_of(clause), joined(subject)
    plural = is_many(noun)
    kind, _, of = noun.partition(" of ")
    if of and of.split()[-1].rstrip("s") in {token.low.rstrip("s") for token in subject}:
        return Reference(phrases(f"the {kind} of {text}", plural=plural), "property")
    thing = (
        noun.split()[-1] in _THINGS
        or (of and kind.split()[-1] not in {"style", "pattern", "period"})
        or "one" in text.split()
    )
    if thing:
        return Reference(relative(noun, f"{text} {clause.auxiliary}", subject=text), "identity")
    return Reference(phrases(f"the {noun} of {text}", plural=plural), "property")


def _where(clause: Clause, *, bare: bool) -> Reference:
    if bare:
        place = f" {clause.noun}" if clause.noun else ""
        far = () if place else (Phrase("the place in this image"), Phrase("the place shown in this image"))
        return Reference((Phrase(f"this place{place}"), *far), "place")
    head = f"place {clause.noun}".strip()
    text = joined(clause.subject)
    return Reference(relative(head, f"{text} {clause.auxiliary}", "where", drop=False, subject=text), "place")


def named(subject: Tokens) -> Reference:
    """Return the reference to a thing that the question describes in full: "What is the structure over the train?"."""
    text, first = joined(subject), subject[0].low if subject else ""
    definite = first in {"the", "this", "that", "these", "those", "his", "her", "their", "its"}
    if (
        (not definite and "'s" not in text)
        or subject[-1].tag in {"VBZ", "VBP", "VBD"}
        or subject[-1].low in _CALLED | {"be"}
        or " or " in text
    ):
        raise NoCandidate(NONE, f"what is {text!r}")
    return Reference(phrases(text, plural=is_many(text)), "described")


def _of_object(clause: Clause) -> Reference:
    """Return the reference for "What (noun) does (subject) (verb)?", and for the like with be, have and modals."""
    verb = next((token.low for token in clause.rest if token.tag.startswith("VB")), "")
    last = clause.rest[-1]
    if last.low == "like" and len(clause.rest) == 1 and not clause.noun:
        return named(clause.subject)
    if {token.low for token in clause.rest} & (_CALLED | {"call", "referred"}) or (
        verb == "known" and last.low == "as"
    ):
        return _called(clause)
    stranded = last.tag in STRANDED
    if clause.auxiliary in BE and verb and not stranded and last.tag != "VB" and _whole(clause, verb):
        whole = (*clause.subject, *clause.rest)
        return _property(clause, whole) if clause.noun else named(whole)
    head, said, subject = head_of(clause, verb, last.low), said_of(clause), joined(clause.subject)
    pronoun, drop = _adverbial(clause, head, verb) or (_pronoun(head, clause), True)
    if pronoun == "that" and clause.auxiliary in BE and last.tag == "VBN":
        raise NoCandidate(NONE, "a passive without a gap")
    rule = {"where": "place", "when": "time", "in which": "time"}.get(pronoun, "object")
    return Reference(relative(head, said, pronoun, drop=drop, subject=subject), rule)


def _adverbial(clause: Clause, head: str, verb: str) -> tuple[str, bool] | None:
    """Return "where" or "when" as the pronoun of a clause that lacks nothing but place or time."""
    last = clause.rest[-1]
    if last.tag in STRANDED:
        return None
    if clause.word in {"where", "when"}:
        return clause.word, False
    kinds = {head.rsplit(maxsplit=1)[-1], head.split(" of ", maxsplit=1)[0].rsplit(maxsplit=1)[-1]}
    after = next((at for at, token in enumerate(clause.rest) if token.low == verb), 0) + 1
    complete = (last.tag == "VBN" and clause.auxiliary in BE) or _object_at(clause.rest, after)
    if complete and kinds & _PLACES:
        return "where", False
    return ("in which", False) if complete and kinds & _TIMES else None


def _object_at(rest: Tokens, place: int) -> bool:
    return any(token.tag in {"DT", "PRP$", "PRP"} for token in rest[place : place + 1])


def _whole(clause: Clause, verb: str) -> bool:
    """Return whether subject and participle are one thing, because the verb leaves no gap (the man standing there)."""
    at, token = next((at, token) for at, token in enumerate(clause.rest) if token.low == verb)
    if clause.word in {"where", "when"}:
        return False
    if token.tag == "VBN":
        return not clause.noun or (at + 1 < len(clause.rest) and clause.noun.split()[-1] not in _TIMES | _PLACES)
    if clause.noun:
        return (
            verb in _INTRANSITIVE
            and clause.noun.split()[-1] not in _THINGS
            and " of " not in clause.noun
            and clause.rest[-1] != token
        )
    follows = clause.rest[at + 1].tag if at + 1 < len(clause.rest) else ""
    return verb in _INTRANSITIVE or (verb != "doing" and follows in {"DT", "PRP$"})


def _called(clause: Clause) -> Reference:
    """Return the reference to X for "What is X called?" and "What do you call X?"."""
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


def about(subject: Tokens) -> Reference:
    """Return the reference to what a noun phrase or a bare pronoun names."""
    if len(subject) == 1 and subject[0].low in {"this", "it", "that", "these", "those", "they"}:
        return shown("thing" if subject[0].low in {"this", "it", "that"} else "things")
    return named(subject)


def said_of(clause: Clause) -> str:
    """Return the clause in the order of a statement: the man is riding; jets use."""
    subject, words = joined(clause.subject), list(clause.rest)
    place = next((at for at, token in enumerate(words) if token.tag in {"VB", "VBP"}), None)
    if clause.auxiliary not in DO or place is None or any(token.low in {"not", "n't"} for token in words[: place + 1]):
        return f"{subject} {clause.auxiliary} {joined(words)}".strip()
    words[place] = Token(inflected(words[place].low, clause.auxiliary), "VB")
    return f"{subject} {joined(words)}"


def inflected(verb: str, auxiliary: str) -> str:
    """Return the form of a verb that says what "do", "does" or "did" said."""
    if auxiliary == "do":
        return verb
    from lemminflect import getInflection

    forms = getInflection(verb, tag="VBZ" if auxiliary == "does" else "VBD")
    return str(forms[0]) if forms else verb


def _pied(clause: Clause) -> Reference:
    """Return the country where this animal lives for "In what country does this animal live?"."""
    if not clause.noun or not clause.subject:
        raise NoCandidate(NONE, "a preposition in front")
    said = said_of(clause)
    where = clause.noun.split()[-1] in _PLACES and clause.link in {"in", "at", "on"} and " of " not in clause.noun
    pronoun = "where" if where else f"{clause.link} which"
    return Reference(relative(clause.noun, said, pronoun, drop=False, subject=joined(clause.subject)), "preposition")


__all__ = ["NONE", "about", "named", "points", "relative", "turned"]
