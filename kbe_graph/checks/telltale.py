"""What a question says of its thing must not tell what it is: yellow stuff on a hot dog is mustard, seen or not."""

import re
from collections.abc import Iterator
from functools import lru_cache

from kbe_graph.checks.chain import first_sense
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import ASKED, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage
from kbe_graph.wording.kind import kind_of

_NATURAL = re.compile(r"noun\.(?:animal|plant|food|substance)")
_EATEN = {"noun.plant", "noun.food"}
_COLOR = re.compile(
    r"\b(?:black|white|red|green|blue|yellow|orange|purple|brown|pink|gr[ae]y|golden|(?:multi-?)?colou?r(?:ed|ful)) "
    r"(?:(?P<next>[\w'-]+)(?: (?P<last>[\w'-]+))?)"
)
# Where animals of a sort are, and what those of a sort do or are kept for.
_HAUNT = re.compile(
    r"\b(?:water|sea|ocean|lake|river|pond|beach|shore|sand|sky|fields?|grass|pasture|farm|windowsill|snow|ice|flowers?"
    r"|fl(?:y|ies|ying)|(?:swim|graz|perch|pull|climb|hunt)\w*|rid(?:e|es|ing)|toys?|meat|milk(?:ed|ing)?|wool|leather|herd|leash"
    r"|domesticated|livestock|bed|chairs?|couch|sofa|rocks?|cages?|hid(?:e|es|ing)|hold(?:s|ing)?|event|street|sidewalk"
    r"|creep\w*|trees?|(?<=on the )ground|shoes?|fe(?:eds?|eding|d)|tags?|tall(?:er|est)?|television"
    r"|(?:small|tiny)(?= (?:animal|bird|creature|mammal|insect)s?\b)"
    r"|can(?! (?:be|you|we|i|one)\b)|sinks?|keyboard|laptop|computer|luggage|counter)\b"
)
# What is so as a rule, or only likely, is known or guessed without a look.
_RULE = re.compile(
    r"\b(?:usually|often|typically|commonly|frequently|generally|normally|traditionally|originally|mostly|most|likely"
    r"|probably|famous|popular|native|grown|(?:high|rich) in|eats?|health(?:y|iest|ier)|good for|associated with"
    r"|credited with|known (?:for|from)|first to|allowed|permitted|enjoys?|(?:summer|winter)(?:time)? version"
    r"|looks (?:a lot |much )?like"
    r"|used to (?:not|avoid|prevent|keep)|hopes?|wish(?:es)?|(?:talk|think)ing (?:about|of)|vendors?|originat\w+"
    r"|minerals?|vitamins?|nutrients?|(?:animal|bird|plant|fruit|tree|flower)s? (?:can be |is |are )?found"
    r"|(?:look|wait|search|fish|hunt|nett|aim|reach)ing for|(?:closest|nearest|similar|same) in (?:size|shape|weight)"
    r"|tale|fable|required|content|won|competit(?:ors?|ion for)|rivals?|similar \w+ to|maned|topmost ingredient"
    r"|(?:well|best)[- ]known|(?:export|produc|import|manufactur)\w*)\b"
)
# What stands and walks on plants does so nearly everywhere.
_TRODDEN = re.compile(r"\b(?:stand|walk|graz|l[ay]y?)ing\b")
# What drinks and fuels are kept in or drunk from.
_VESSEL = re.compile(r"\b(?:mugs?|cups?|glass(?:es)?|kettle|teapot|canisters?|tanks?|cylinders?)\b")
_MADE = re.compile(r"\b(?:wood|material|made (?:out )?(?:of|from|with)|used (?:to make|for making))\b")
_CALLED = re.compile(r"\b(?:commonly|usually|often|most|popular(?:ly)?) (?:known as|called|named|\w+ name)\b")
_SENSES = 3  # of a noun, that may name a dish: cakes are blocks of soap before they are eaten
_NO_DISH = ("container", "vegetable", "edible fruit")
_WORD = re.compile(r"[A-Za-z][\w'-]*")


class Telltale:
    """Refuses to go on from a question whose own words tell what its thing is."""

    name = "the question tells its thing"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the question must not tell its thing by color, dish, vessel, haunt, company or material where few such things "
        "are so, nor by what is known of it, nor by a place that it names"
    )
    columns = ASKED
    refused = Row("What is the yellow stuff on this hot dog?", "mustard")
    passed = Row("What kind of bird is this?", "pelican")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the benchmark's question and the concept of its answer."""
        question = candidate.question
        detail = _telltale(read(question.text), question.concept) if question.kind == "raw" else ""
        return Decision(keep=False, reason=self.name, detail=detail) if detail else KEEP


@lru_cache(maxsize=4096)
def _telltale(reading: Reading, concept: str) -> str:
    """Return the first telltale words of a question, kept as all candidates of it ask for them; empty for none."""
    return next(telltales(reading, concept), "")


def telltales(reading: Reading, concept: str) -> Iterator[str]:
    """Give the words of a question that tell a concept, its answer, without the image."""
    text = reading.tidied
    yield from _matches(_RULE, _CALLED.sub("called", reading.text.lower()))
    yield from _proper_names(text)
    synset = synset_of(concept)
    if synset is None:
        return
    yield from _defining(reading, synset)
    if is_of_kind(synset.id, "country"):
        yield from (word.low for word in reading.words if word.low in words("food words"))
    if not _NATURAL.match(synset.lexname):
        return
    yield from _colors(text)
    if synset.lexname in _EATEN:
        yield from _dishes(reading)
    if synset.lexname == "noun.animal":
        yield from _matches(_HAUNT, text)
        yield from _beasts(reading, synset)
    if synset.lexname == "noun.substance" or is_of_kind(synset.id, "drink"):
        yield from _matches(_VESSEL, text)
    if synset.lexname == "noun.plant":
        yield from _matches(_TRODDEN, text)
    if synset.lexname != "noun.food":
        yield from _matches(_MADE, text)


def _defining(reading: Reading, synset: Synset) -> Iterator[str]:
    """Give the words by which WordNet defines the thing: the long neck of a giraffe; not those for what kind it is of.

    Examples of use follow a definition in quotation marks.
    """
    above = (wordnet().synset(concept) for concept in kinds_of(synset.id))
    kinds = (*lemmas(reading.asks_for.rpartition(" ")[2]), *(word for kind in above for word in _lemmas(kind)))
    lists = ("stop", "anything", "aspects", "naming", "food words", "person words", "general")
    nothing = {*kinds, *(word for name in lists for word in words(name))}
    defining = set(lemmas(synset.gloss.partition('"')[0])) - nothing
    telling = (word for word in _WORD.findall(reading.tidied) if not defining.isdisjoint(lemmas(word)))
    return filter(_names, telling)


def _names(word: str) -> bool:
    """Return whether a word names a thing, and not how one is or what is done."""
    base = wordnet().morphy(word)
    count = wordnet().counts(base) if base else {}
    return not word.endswith(("ing", "ed")) and count.get("n", -1) >= max(count.get("v", 0), count.get("a", 0))


def _lemmas(synset: Synset) -> tuple[str, ...]:
    return tuple(word for lemma in synset.lemmas for word in lemma.lower().split("_"))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    if match := pattern.search(text):
        yield match[0]


def _proper_names(text: str) -> Iterator[str]:
    """Give the places and peoples that a tidied text names by their capitals; abbreviations (TV, US) pass."""
    return (word for word in _WORD.findall(text)[1:] if word[0].isupper() and not word.isupper() and len(word) > 1)


def _colors(text: str) -> Iterator[str]:
    """Give the colors that a text tells of a natural thing, or of any thing; the cloth over it may be red."""
    for match in _COLOR.finditer(text):
        nouns = (word.removesuffix("s") for word in (match["next"], match["last"]) if word)
        if any(noun in words("anything") or _NATURAL.match(_file(noun)) for noun in nouns):
            yield match[0]


def _file(noun: str) -> str:
    synset = synset_of(first_sense(noun))
    return synset.lexname if synset else ""


def _dishes(reading: Reading) -> Iterator[str]:
    """Give the foods that the answer is a part of: the vegetable in this sandwich."""
    asked = (reading.outline.head, reading.outline.asking)
    others = (phrase for phrase in reading.outline.phrases if phrase not in asked)
    return (phrase.name for phrase in others if _is_dish(phrase.head))


def _beasts(reading: Reading, synset: Synset) -> Iterator[str]:
    """Give the animals that a question names beside the one that it asks for: with cows there is a dog.

    By a word for what the answer is a kind of it names the same one again: what breed of dog is that dog.
    """
    asked = (reading.outline.head, reading.outline.asking)
    others = (phrase for phrase in reading.outline.phrases if phrase not in asked)
    above = {word for kind in kinds_of(synset.id)[1:] for word in _lemmas(wordnet().synset(kind))}
    same = {*words("general"), *above}
    named = (phrase for phrase in others if phrase.head not in same and above.isdisjoint(lemmas(phrase.head)))
    return (
        phrase.name
        for phrase in named
        if any(kind_of(Entity(word.upper())) == "animal" for word in phrase.name.split())
    )


def _is_dish(noun: str) -> bool:
    """Return whether a noun names a prepared food: no plate, no fruit, and none of the words for any meal."""
    senses = wordnet().lookup(noun).synsets[:_SENSES]
    if noun in words("food words") or any(is_of_kind(sense.id, *_NO_DISH) for sense in senses[:1]):
        return False
    return any(sense.lexname == "noun.food" for sense in senses)
