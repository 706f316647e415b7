"""What a question asks: of which thing, and which property of it.

Rules over parts of speech, so that they work on spaCy's tags and on WordNet's alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kbe_graph.extract.parse import Word, parse
from kbe_graph.extract.phrase import ASKING, POINTING, Phrase, phrases
from kbe_graph.extract.verb import form
from kbe_graph.lexicon.inflect import plural, singular
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks.

    ``head`` is the noun after "what", "which" or "kind of", empty where there is none; ``property`` the relation asked for
    (breed, used for, color, kind); ``anchors`` the noun phrases that may name the thing asked about, best first, and
    ``anchor_words`` their names; ``of_head`` says that the property is asked of the head (what breed of dog); ``identity`` that the question asks what a thing is;
    ``deictic`` that it points into the picture without a noun, by ``pronouns`` (this, it, here, the photo); ``verbs`` are
    the verbs' lemmas.
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
    pronouns = tuple(word.low for word in clause.text if _is_deictic(clause.text, word))
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
    """Return the noun that a kind, breed or name is asked of, else the noun asked with what."""
    head = asking
    while head and head.head in words("aspects") and _at(text, head.end) in ("of", "for"):
        after = next((phrase for phrase in found if phrase.start == head.end + 1), None)
        if after is None:
            break
        head = after
    return head


def _at(text: Sequence[Word], at: int) -> str:
    return text[at].low if at < len(text) else ""


def _is_deictic(text: Sequence[Word], word: Word) -> bool:
    low = word.low
    if low in POINTING:
        return not (word.at + 1 < len(text) and (text[word.at + 1].noun or text[word.at + 1].tag in ("ADJ", "NUM")))
    return low in words("deictic")


def _is_identity(clause: _Clause) -> bool:
    """Return whether nothing is said of the thing but that it is there: what animal is this, what kind of dog is shown."""
    verbs = [word for word in clause.verbs if word.lemma not in words("showing")]
    is_be = any(word.lemma == "be" for word in clause.rest) or (
        clause.text[:1] != () and clause.text[0].low in words("commands")
    )
    return clause.kind == "what" and not verbs and is_be


def _anchors(clause: _Clause, *, identity: bool) -> list[Phrase]:
    asked = [phrase for phrase in (clause.head,) if phrase and phrase.seen]
    used = [clause.asking, clause.head, *_named(clause)]
    others = [phrase for phrase in clause.found if phrase.seen and phrase not in used]
    pointing = [one for phrase in others if phrase.pointing for one in (phrase, *_owners(phrase))]
    plain = [phrase for phrase in others if not phrase.pointing]
    if clause.head and clause.head.pointing:
        return [*asked, *pointing, *plain]
    return [*pointing, *asked, *plain] if identity else [*pointing, *plain, *asked]


def _what(clause: _Clause) -> str:
    if clause.asking is not None:
        name = clause.asking.name
        generic = clause.asking.head in ("kind", "type", "sort", "name", "term", "word", "variety")
        if not generic or clause.head is clause.asking:
            return name if clause.head is clause.asking else clause.asking.head
        return KIND
    rest = [word for word in clause.rest if word.tag not in ("PUNCT", "ADV")]
    return _of_noun(clause) or _of_verb(clause, rest)


def _owners(phrase: Phrase) -> Iterator[Phrase]:
    """Return the nouns before the last one, as an apostrophe is often left out (this animals neck)."""
    for word in phrase.name.split()[:-1]:
        yield replace(phrase, name=singular(word), head=singular(word))


def _named(clause: _Clause) -> list[Phrase]:
    """Return the phrases of N, and of names before it, in "what is the (name of the) N of X"; none in other forms."""
    rest = clause.rest
    if clause.kind != "what" or clause.asking or not rest or rest[0].lemma != "be":
        return []
    named: list[Phrase] = []
    for phrase in clause.found:
        follows = not named or phrase.start == named[-1].end + 1
        if phrase.start > rest[0].at and follows and _at(clause.text, phrase.end) in ("of", "for"):
            named.append(phrase)
    return [] if named and (named[0].pointing or named[0].start != rest[0].at + 1) else named


def _of_noun(clause: _Clause) -> str:
    """Return N for "what is the N of X", empty where the question has another form."""
    found = _named(clause)
    named = [phrase for phrase in found if phrase.head not in words("naming") or phrase.adjectives]
    if any(word.low in ("called", "named") for word in clause.rest) or (found and not named):
        return "called"
    return " ".join((*named[-1].adjectives[-1:], named[-1].name)) if named else ""


def _of_verb(clause: _Clause, rest: Sequence[Word]) -> str:
    verbs = [word for word in clause.verbs if word.lemma not in words("showing")]
    last = rest[-1] if rest else None
    tail = f" {last.low}" if last and last.tag in ("ADP", "PART") else ""
    if not verbs:
        near = rest[1] if len(rest) > 1 else None
        return f"has {near.low} it" if near and near.tag == "ADP" else KIND
    verb = verbs[-1]
    if verb.lemma in ("do", "happen"):
        return "activity"
    if rest and rest[0] is verb:
        return f"{form(verb.lemma, 'VBN')} by"
    if verb.fine in ("VBN", "VBG", "VBD"):
        return f"{verb.low}{tail}"
    return f"{form(verb.lemma, 'VBZ')}{tail}"


def _where(clause: _Clause) -> str:
    verbs = [word for word in clause.verbs if word.lemma not in ("see", "show")]
    if not verbs:
        return "location"
    verb, last = verbs[-1], [word for word in clause.rest if word.tag != "PUNCT"][-1]
    tail = last.low if last.tag == "ADP" else "in"
    agent = any(word.low in ("you", "i", "we", "one", "people", "someone") for word in clause.rest)
    passive = verb.fine == "VBN" or agent
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
    if after.low == "many":
        noun = next((phrase for phrase in clause.found if phrase.end > after.at), None)
        return f"number of {plural(noun.name)}" if noun else "number"
    if after.low == "much" and (
        noun := next((phrase for phrase in clause.found if phrase.start == after.at + 1), None)
    ):
        return f"amount of {noun.name}"
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
