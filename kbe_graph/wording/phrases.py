"""Relation phrases around a reference ("the capital of" + "this country"), and the question forms of a relation."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kbe_graph.english.inflect import inflector
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import Relation
from kbe_graph.wording.reference import Phrase, is_many

_MANY = {"is": "are", "was": "were"}
# A relation of another source can be worded as "the R of" only if its name is a noun, without a verb or a final
# preposition.
_NO_NOUN = re.compile(
    r"\b(?:by|of|in|to|from|with|at|on|for|as|after|before|during|against)$"
    r"|^(?:is|named|has|was|are|located|used|made|found|said|part|instance)\b|ing$"
)


def relation_of(pack: Pack, name: str) -> Relation:
    """Get a pack's relation, or build one for another source's; it has no phrases unless its name is a noun."""
    if name in pack.relations:
        return pack.relations[name]
    phrases = () if _NO_NOUN.search(name) else (f"the {name} of {{}}",)
    return Relation(name, phrases, family="", asked_of="one" if name.startswith("number of ") else "")


def relations_of(pack: Pack, names: Sequence[str]) -> list[Relation]:
    """Get the relations with these names."""
    return [relation_of(pack, name) for name in names]


def fill(form: str, subject: Phrase) -> Phrase:
    """Insert the subject into a relation phrase or question form, with verbs in the subject's number.

    >>> fill("the country where {} is made", Phrase("these shoes", plural=True)).text
    'the country where these shoes are made'
    """
    before, _, after = form.partition("{}")
    if subject.plural:
        first, _, rest = after.strip().partition(" ")
        after = f" {_plural_verb(first)} {rest}".rstrip() if first else after
        before = before.replace("(does)", "do").replace("(is)", "are")
    before, after = (
        before.replace("(does)", "does").replace("(is)", "is"),
        after.replace("(does)", "do" if subject.plural else "does"),
    )
    after = after.replace("(is)", "are" if subject.plural else "is")
    return Phrase(f"{before}{subject.text}{after}", is_many(before))


def _plural_verb(word: str) -> str:
    if word in _MANY:
        return _MANY[word]
    verb = word.endswith("s") and word not in {"this", "as", "its"}
    return str((inflector().getLemma(word, "VERB", lemmatize_oov=False) or (word,))[0]) if verb else word


def question_of(relation: Relation, phrase: Phrase) -> str:
    """Turn a relation's noun phrase into a question; empty if the phrase is a clause."""
    if phrase.text.startswith(("what ", "where ", "who ")):
        return ""
    opener: str = relation.opener
    if opener == "what is" and phrase.text.startswith("the person "):
        opener = "who is"
    if opener == "who is" and " name of " in phrase.text:
        opener = "what is"
    if opener == "what do you call" and phrase.text.startswith("the name for "):
        opener = "what is"
    return f"{opener.replace(' is', ' are') if phrase.plural else opener} {phrase.text}"


# After such an ending, a verb reads as a noun (the material this is made of forms).
_OPEN_END = re.compile(r"\b(?:of|in|on|for|with|from|to|at|by|out|up|here|there)$")
_CLAUSE = re.compile(r"\b(?:what|that|which|who|where|when|he|she|they|is|are|can|does|do)\b")
_SHORT = 7


def fits(form: str, subject: Phrase) -> bool:
    """Return True if a form with this subject is easy to read.

    A form that continues after its subject needs a short one without a clause; "group of" needs a plural.
    """
    if "group of {}" in form and not subject.plural:
        return False
    if form.endswith("{}"):
        return True
    text = subject.text
    return len(text.split()) <= _SHORT and not _CLAUSE.search(text) and not _OPEN_END.search(text)


def phrases_for(relation: Relation, subject: Phrase) -> tuple[str, ...]:
    """List the relation's noun phrases that fit a subject. Raises NoCandidate for a relation without phrases."""
    if not relation.phrases:
        raise NoCandidate("no phrase for the relation", repr(relation.name))
    return tuple(form for form in relation.phrases if fits(form, subject))


def nest(relations: Sequence[Relation], subjects: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield each subject inside the phrases of the relations, the first relation innermost."""
    if not relations:
        yield from subjects
        return
    for inner in nest(relations[:-1], subjects):
        yield from (fill(form, inner) for form in phrases_for(relations[-1], inner))


class Wording(NamedTuple):
    """A proposed wording of a question.

    ``pattern`` names its template, and ``off`` is its number of words. ``maker``, ``prompt``
    and ``calls`` belong to the question's provenance.
    """

    text: str
    pattern: str
    off: float = 0.0
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()


def sentence(text: str) -> str:
    """Capitalise a question and add its question mark."""
    return f"{text[:1].upper()}{text[1:].rstrip(' ?.,')}?"
