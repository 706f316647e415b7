"""What a question asks: of which thing, and which property of it.

Rules over parts of speech, so that they work on spaCy's tags and on WordNet's alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from kbe_graph.extract.parse import Word, parse
from kbe_graph.extract.phrase import ASKING, POINTING, Phrase, phrases
from kbe_graph.extract.verb import form
from kbe_graph.lexicon.inflect import plural, singular
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words

Kind = Literal["what", "where", "when", "who", "why", "how", "whether"]

KIND = "kind"
"""The property that is asked where a question asks what a thing is."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("what", "which", "whose", "what's", "wat"), "what"),
    **dict.fromkeys(("who", "whom"), "who"),
    "where": "where",
    "when": "when",
    "why": "why",
    "how": "how",
}
_MEASURES = {
    "old": "age",
    "long": "length",
    "tall": "height",
    "high": "height",
    "big": "size",
    "large": "size",
    "far": "distance",
    "fast": "speed",
    "heavy": "weight",
    "often": "frequency",
    "deep": "depth",
    "wide": "width",
    "hot": "temperature",
    "cold": "temperature",
    "much": "amount",
    "expensive": "price",
    "strong": "strength",
    "well": "quality",
}


_GENERIC = {"kind", "type", "sort", "name", "term", "word", "variety", "form", "item"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks.

    ``head`` is the noun after "what", "which" or "kind of", empty where there is none; ``property`` the relation asked for
    (breed, used for, color, kind); ``anchors`` the noun phrases that may name the thing asked about, best first, and
    ``anchor_words`` their names; ``of_head`` says that the property is asked of the head (what breed of dog); ``identity`` that the question asks what a thing is;
    ``deictic`` that it points into the picture without a noun, by ``pronouns`` (this, it, here, the photo); ``verbs`` are
    the verbs' lemmas; ``owned`` are pairs of an owner and what is his (this animal's neck).
    """

    kind: Kind
    head: str
    property: str
    anchors: tuple[Phrase, ...]
    anchor_words: tuple[str, ...]
    of_head: bool
    identity: bool
    deictic: bool
    verbs: tuple[str, ...]
    pronouns: tuple[str, ...] = ()
    owned: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Clause:
    """A question's words; those after its question word (``rest``), its phrases, and the phrase asked with what or which."""

    text: tuple[Word, ...]
    start: int
    kind: Kind
    found: tuple[Phrase, ...]
    asking: Phrase | None
    head: Phrase | None

    @property
    def rest(self) -> tuple[Word, ...]:
        """The words after the question word and its noun."""
        ends = [phrase.end for phrase in (self.asking, self.head) if phrase]
        return self.text[max((self.start, *ends)) :]

    @property
    def verbs(self) -> list[Word]:
        """The main verbs of the rest."""
        return [word for word in self.rest if word.tag == "VERB"]


@lru_cache(maxsize=4096)
def analyse(question: str) -> Asked:
    """Return what a question asks; it works without spaCy's model, and better with it."""
    clause = _clause(parse(question))
    identity = _is_identity(clause)
    pronouns = tuple(word.low for word in clause.text if _is_deictic(clause, word))
    anchors = tuple(_anchors(clause, identity=identity))
    return Asked(
        clause.kind,
        clause.head.name if clause.head else "",
        _PROPERTIES[clause.kind](clause),
        anchors,
        tuple(phrase.name for phrase in anchors),
        clause.head is not clause.asking,
        identity,
        bool(pronouns) or any(phrase.pointing for phrase in clause.found),
        tuple(dict.fromkeys(word.lemma for word in clause.text if word.tag == "VERB")),
        pronouns,
        tuple((owner.name, thing.name) for owner, thing in _owned(clause)),
    )


def _clause(text: tuple[Word, ...]) -> _Clause:
    found = _pointed(text, phrases(text))
    at = next((word.at for word in text if word.low in _KINDS), None)
    command = (bool(text) and text[0].low in words("commands")) or (at is None and _starts_with(text, "can", "you"))
    if at is None:
        asking = next((phrase for phrase in found if phrase.name not in words("commands")), None) if command else None
        kind: Kind = "what" if command else "whether"
        return _Clause(text, asking.end if asking else 0, kind, found, asking, _headed(text, found, asking))
    kind = _KINDS[text[at].low]
    asking = next((phrase for phrase in found if phrase.start == at and phrase.determiner in ASKING), None)
    return _Clause(text, at + 1, kind, found, asking, _headed(text, found, asking))


def _pointed(text: Sequence[Word], found: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """Return the phrases with "this" moved on from "this kind of cake" to the cake."""
    pointed = {phrase.end + 1 for phrase in found if phrase.pointing and phrase.head in words("aspects")}
    pointed = {start for start in pointed if _at(text, start - 1) == "of"}
    return tuple(replace(phrase, determiner="this") if phrase.start in pointed else phrase for phrase in found)


def _starts_with(text: Sequence[Word], *low: str) -> bool:
    return tuple(word.low for word in text[: len(low)]) == low


def _headed(text: Sequence[Word], found: Sequence[Phrase], asking: Phrase | None) -> Phrase | None:
    """Return the noun that a kind, breed or name is asked of (what brand of racket, what brand racket), else asking."""
    head = asking
    if head and head.name.split()[0] in words("aspects") and " " in head.name and not wordnet().knows(head.name):
        return replace(head, name=head.name.split(" ", 1)[1])
    while head and head.head in words("aspects") and _at(text, head.end) in ("of", "for"):
        after = next((phrase for phrase in found if phrase.start == head.end + 1), None)
        if after is None:
            break
        head = after
    return head


def _at(text: Sequence[Word], at: int) -> str:
    return text[at].low if at < len(text) else ""


def _is_deictic(clause: _Clause, word: Word) -> bool:
    """Return whether a word points into the picture by itself, not with a noun after it."""
    if word.low in POINTING:
        return not any(phrase.start == word.at for phrase in clause.found)
    return word.low in words("deictic")


def _is_identity(clause: _Clause) -> bool:
    """Return whether nothing is said of the thing but that it is there: what animal is this, what kind of dog is shown."""
    rest = [word for word in clause.rest if word.tag != "PUNCT"]
    says_more = any(word.tag == "VERB" and word.lemma not in words("showing") for word in rest)
    hangs = bool(rest) and rest[-1].tag == "ADP"
    is_be = any(word.lemma == "be" for word in rest) or clause.text[0].low in words("commands")
    another = any(word.low in ("other", "else", "another") for word in clause.text)
    return clause.kind == "what" and is_be and not (says_more or hangs or another or _named(clause))


def _anchors(clause: _Clause, *, identity: bool) -> list[Phrase]:
    asked = [phrase for phrase in (clause.head,) if phrase and phrase.seen and phrase.head not in words("aspects")]
    used = [clause.asking, clause.head, *_named(clause)]
    others = [phrase for phrase in clause.found if phrase.seen and phrase not in used]
    others = [one for phrase in others for one in (phrase, *_owners(phrase))]
    pointing = [phrase for phrase in others if phrase.pointing]
    plain = [phrase for phrase in others if not phrase.pointing]
    if clause.head and clause.head.pointing:
        return [*asked, *pointing, *plain]
    return [*pointing, *asked, *plain] if identity else [*pointing, *plain, *asked]


def _what(clause: _Clause) -> str:
    if clause.asking is not None:
        if (aspect := clause.asking.name.split()[0]) in words("aspects") and clause.head is not clause.asking:
            return KIND if aspect in _GENERIC else aspect
        if clause.head is clause.asking:
            return _label(clause, clause.asking)
        return KIND if clause.asking.head in _GENERIC else clause.asking.head
    rest = [word for word in clause.rest if word.tag not in ("PUNCT", "ADV")]
    return _of_noun(clause) or _of_verb(clause, rest)


def _owners(phrase: Phrase) -> Iterator[Phrase]:
    """Return the nouns before the last one of an unknown compound: an apostrophe is often left out (this animals neck)."""
    for word in phrase.name.split()[:-1] if not wordnet().knows(phrase.name) else ():
        yield replace(phrase, name=singular(word), head=singular(word))


def _named(clause: _Clause) -> list[Phrase]:
    """Return the phrases of N, and of names before it, in "what is the (name of the) N of X"; none in other forms."""
    rest = clause.rest
    if clause.kind != "what" or clause.asking or not rest or rest[0].lemma != "be":
        return []
    named: list[Phrase] = []
    for phrase in clause.found:
        follows = not named or phrase.start == named[-1].end + 1
        after = _at(clause.text, phrase.end)
        clause_follows = (
            bool(named) and phrase.determiner == "the" and any(one.start == phrase.end for one in clause.found)
        )
        if phrase.start > rest[0].at and follows and (after in ("of", "for") or clause_follows):
            named.append(phrase)
    return [] if named and (named[0].pointing or named[0].start != rest[0].at + 1) else named


def _label(clause: _Clause, phrase: Phrase) -> str:
    """Return a phrase as a relation: with its last adjective (military branch), and "other"."""
    other = ["other"] if any(word.low == "other" for word in clause.text[phrase.start : phrase.end]) else []
    return " ".join((*other, *phrase.adjectives[-1:], phrase.name))


def _of_noun(clause: _Clause) -> str:
    """Return N for "what is the N of X", empty where the question has another form."""
    found = _named(clause)
    named = [phrase for phrase in found if phrase.head not in words("naming") or phrase.adjectives]
    if any(word.low in ("called", "named") for word in clause.rest) or (found and not named):
        return "called"
    return _label(clause, named[-1]) if named else ""


def _of_verb(clause: _Clause, rest: Sequence[Word]) -> str:
    verbs = [word for word in clause.verbs if word.lemma not in words("showing")]
    if not rest:
        return _blank(clause)
    if not verbs:
        owned, near = _owned(clause), next(iter(rest[1:]), rest[0])
        return _label(clause, owned[0][1]) if owned else f"has {near.low} it" if near.tag == "ADP" else KIND
    verb, tail = verbs[-1], "".join(f" {word.low}" for word in _trailing(rest))
    if verb.lemma in ("do", "happen"):
        return "activity"
    if rest[0] is verb:
        return f"{form(verb.lemma, 'VBN')} by"
    if verb.fine == "VBG" and rest[1:2] == [verb] and rest[2:] and rest[2].tag == "ADP":
        return f"has {verb.low} {rest[2].low} it"
    return f"{verb.low if verb.fine in ('VBN', 'VBG', 'VBD') else form(verb.lemma, 'VBZ')}{tail}"


def _trailing(rest: Sequence[Word]) -> list[Word]:
    """Return the prepositions that a question ends with: jumping off of."""
    last = next((at for at, word in enumerate(reversed(rest)) if word.tag not in ("ADP", "PART")), len(rest))
    return list(rest[len(rest) - last :])


def _blank(clause: _Clause) -> str:
    """Return what is asked by a question that ends in what: it is called what, he will do what."""
    verbs = [word for word in clause.text if word.tag == "VERB"]
    if not verbs or verbs[-1].low in ("called", "named", "known"):
        return "called" if verbs else "is"
    return "activity" if verbs[-1].lemma == "do" else form(verbs[-1].lemma, "VBZ")


def _owned(clause: _Clause) -> list[tuple[Phrase, Phrase]]:
    """Return each X and Y of "X's Y", with or without the apostrophe."""
    found = []
    for first, second in pairwise(clause.found):
        between = clause.text[first.end : second.start]
        marked = bool(between) or first.pointing
        if marked and not second.determiner and all(word.low in ("'s", "'") for word in between):
            found.append((first, second))
    return found


def _where(clause: _Clause) -> str:
    verbs = [word for word in clause.verbs if word.lemma not in ("see", "show")]
    if not verbs:
        return "location"
    last = [word for word in clause.rest if word.tag != "PUNCT"][-1]
    tail = last.low if last.tag == "ADP" else "in"
    agent = any(word.low in ("you", "i", "we", "one", "people", "someone") for word in clause.rest)
    verb = verbs[0] if agent else verbs[-1]
    passive = verb.fine in ("VBN", "VBD") or agent
    return f"{form(verb.lemma, 'VBN') if passive else form(verb.lemma, 'VBZ')} {tail}"


def _when(clause: _Clause) -> str:
    verbs = clause.verbs
    return f"{form(verbs[-1].lemma, 'VBN')} in" if verbs else "time"


def _who(clause: _Clause) -> str:
    verbs = [word for word in clause.verbs if word.lemma not in words("showing")]
    return f"{form(verbs[0].lemma, 'VBN')} by" if verbs else "person"


def _how(clause: _Clause) -> str:
    after = next(iter(clause.text[clause.start :]), None)
    if after is None:
        return "manner"
    noun = next((phrase for phrase in clause.found if phrase.start <= after.at + 1 < phrase.end), None)
    if after.low in ("many", "much") and noun:
        return f"number of {plural(noun.name)}" if after.low == "many" else f"amount of {noun.name}"
    if after.low == "long" and any(word.low in ("do", "does", "did", "take", "last") for word in clause.text):
        return "duration"
    if after.low in _MEASURES:
        return _MEASURES[after.low]
    passive = clause.verbs and clause.verbs[-1].fine == "VBN"
    return f"{clause.verbs[-1].low} by" if passive else "manner"


_PROPERTIES: dict[Kind, Callable[[_Clause], str]] = {
    "what": _what,
    "where": _where,
    "when": _when,
    "who": _who,
    "why": lambda _: "reason",
    "how": _how,
    "whether": lambda _: "is",
}
