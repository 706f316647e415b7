"""What a question asks: of which thing, and which property of it.

Rules over parts of speech, so that they work on spaCy's tags and on WordNet's alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from kbe_graph.extract.clause import Clause, Kind, named_nouns, owned_pairs, read_clause
from kbe_graph.extract.parse import Word, parse
from kbe_graph.extract.phrase import POINTING, Phrase
from kbe_graph.extract.property import property_of
from kbe_graph.lexicon.inflect import singular
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words


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


@lru_cache(maxsize=4096)
def analyse(question: str) -> Asked:
    """Return what a question asks; it works without spaCy's model, and better with it."""
    clause = read_clause(parse(question))
    identity = _is_identity(clause)
    pronouns = tuple(word.low for word in clause.text if _is_deictic(clause, word))
    anchors = tuple(_anchors(clause, identity=identity))
    return Asked(
        clause.kind,
        clause.head.name if clause.head else "",
        property_of(clause),
        anchors,
        tuple(phrase.name for phrase in anchors),
        clause.head is not clause.asking,
        identity,
        bool(pronouns) or any(phrase.pointing for phrase in clause.found),
        tuple(dict.fromkeys(word.lemma for word in clause.text if word.tag == "VERB")),
        pronouns,
        tuple((owner.name, thing.name) for owner, thing in owned_pairs(clause)),
    )


def _is_deictic(clause: Clause, word: Word) -> bool:
    """Return whether a word points into the picture by itself, not with a noun after it."""
    if word.low in POINTING:
        return not any(phrase.start == word.at for phrase in clause.found)
    return word.low in words("deictic")


def _is_identity(clause: Clause) -> bool:
    """Return whether nothing is said of the thing but that it is there: what animal is this, what kind of dog is shown."""
    rest = [word for word in clause.rest if word.tag != "PUNCT"]
    says_more = any(word.tag == "VERB" and word.lemma not in words("showing") for word in rest)
    hangs = bool(rest) and rest[-1].tag == "ADP"
    is_be = any(word.lemma == "be" for word in rest) or any(word.low in words("commands") for word in clause.text[:1])
    another = any(word.low in ("other", "else", "another") for word in clause.text)
    return clause.kind == "what" and is_be and not (says_more or hangs or another or named_nouns(clause))


def _anchors(clause: Clause, *, identity: bool) -> list[Phrase]:
    asked = [phrase for phrase in (clause.head,) if phrase and phrase.seen and phrase.head not in words("aspects")]
    used = [clause.asking, clause.head, *named_nouns(clause)]
    others = [phrase for phrase in clause.found if phrase.seen and phrase not in used]
    others = [one for phrase in others for one in (phrase, *_owners(phrase))]
    pointing = [phrase for phrase in others if phrase.pointing]
    plain = [phrase for phrase in others if not phrase.pointing]
    if clause.head and clause.head.pointing:
        return [*asked, *pointing, *plain]
    return [*pointing, *asked, *plain] if identity else [*pointing, *plain, *asked]


def _owners(phrase: Phrase) -> Iterator[Phrase]:
    """Return the nouns before the last one of an unknown compound: an apostrophe is often left out (this animals neck)."""
    for word in phrase.name.split()[:-1] if not wordnet().knows(phrase.name) else ():
        yield replace(phrase, name=singular(word), head=singular(word))
