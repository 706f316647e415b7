"""Tidies the text of a benchmark's question: what people type is not always a sentence."""

import re
from functools import lru_cache

from kbe_graph.lexicon.frequency import frequency
from kbe_graph.lexicon.inflect import is_plural, singular
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words

_SPELLING = {
    "whats": "what is",
    "what's": "what is",
    "who's": "who is",
    "whos": "who is",
    "where's": "where is",
    "wheres": "where is",
    "that's": "that is",
    "thats": "that is",
    "they're": "they are",
    "i": "I",
    "tv": "TV",
    "usa": "USA",
    "uk": "UK",
    "latin": "Latin",
    "i'm": "I am",
    "u": "you",
    "dont": "don't",
    "doesnt": "doesn't",
    "wich": "which",
    "waht": "what",
    "wat": "what",
    "whta": "what",
    "tye": "type",
    "tyoe": "type",
    "tpye": "type",
    "knid": "kind",
    "pictue": "picture",
    "pictuer": "picture",
    "photpo": "photo",
    "phot": "photo",
    "imgae": "image",
    "teh": "the",
    "vegatable": "vegetable",
    "vegatables": "vegetables",
    "picutre": "picture",
    "usedd": "used",
    "ethnicty": "ethnicity",
    "theses": "these",
    "womans": "woman's",
    "mans": "man's",
    "mens": "men's",
    "womens": "women's",
    "childs": "child's",
    "dinning": "dining",
}
_HEDGE = re.compile(
    r"\b(?:(?:do|would|could|can|might) (?:you|we|one) (?:think|say|guess|believe|suppose|assume|imagine|infer|expect)"
    r"(?: that)?|(?<!that )(?<!when )(?<!if )you (?:think|guess|believe|suppose)|most likely|(?<!be )(?<!more )(?<!less )(?<!least )likely(?! to)|probably|possibly|approximately)\b,? ?",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:please |so |and |hey |guess |question:? )?"
    r"(?:(?:can|could|would|do) you (?:please )?(?:guess|tell(?: me)?|name|identify|say|know|find|recogni[sz]e|figure out)"
    r"|tell me|guess|identify|i wonder|any idea|if you had to (?:take a )?guess,?) ",
    re.IGNORECASE,
)
_IN_IMAGE = re.compile(
    r"^(?:in|from|looking at|according to|based on|judging (?:from|by)|considering|given|as seen in|as per|on|see)"
    r" (?:this|the|that) (?:above |given )?(?:image|picture|photo|photograph|pic)s?(?: here| above| shown)?,? ",
    re.IGNORECASE,
)
# Slips that come back: a relative clause without its "is", a preposition said twice.
_SLIPS = (
    (
        re.compile(
            r"^(name .+)(?<! of| on| by| in| at)( the (?:man|woman|girl|boy|person|lady|kid|child|guy)) "
            r"(?=(?:wearing|holding|riding|playing|eating)\b)"
        ),
        r"\1\2 is ",
    ),
    (re.compile(r"\b(to which .+ belongs?) to\b"), r"\1"),
    (re.compile(r"\bplace name where\b"), "place where"),
    (re.compile(r"(?<!is )(?<!are )(?<!be )\b(\w+) based (?!on\b|in\b|upon\b|off\b|at\b|out\b)(?=\w)"), r"\1-based "),
    (re.compile(r"\b(skate|snow|surf) (?=board(?:s|er|ers|ing)?\b)"), r"\1"),
    (re.compile(r"^(in|at|on|from) ((?:what|which) .+) \1(?=$| (?:in|on|at|of) (?:the|this)\b)"), r"\1 \2"),
    (re.compile(r"\b(this|that|these|those|it) again$"), r"\1"),
    (re.compile(r"\b(what|the) even (?=is\b|shown\b)"), r"\1 event "),
    (re.compile(r"\bit (?=this$)"), "is "),
    (re.compile(r"\bunited state (?=\w)", re.IGNORECASE), "US state "),
    (re.compile(r"\blaying (?=(?:on|in|down|under|next|beside|at|against|across|near)\b|$)"), "lying "),
    (re.compile(r"\b(kind|type|sort|breed|style) if (?=\w)"), r"\1 of "),
)
_QUOTE = re.compile(r"[\"“”]|(?<!\w)'|'(?!\w)")
_CONTINENT = re.compile(r"\b(?:north|south|central|latin)(?= (?:American?|Africa|Korean?|Asian?)\b)")
_UNITED_STATES = re.compile(r"(?<=\bthe )us\b|\bus(?= (?:political|city|state|coin|president|dollar|flag|team)s?\b)")
_TWO_WORDS = re.compile(
    r"\b(?:middle east|new (?:york|zealand|england|mexico|jersey|orleans)|united (?:states|kingdom)|(?:great|south) britain"
    r"|north america|south (?:america|africa|korea)|los angeles|san francisco|hong kong)\b"
)
_NAMES = {"God", "I", "TV"}
# Words that WordNet does not hold are spelled right from about this many in a thousand million on; slips are rarer.
_SPELLED = 1000
_NO_APOSTROPHE = re.compile(
    r"\b(?:dog|cat|boy|girl|person|people|lady|guy|bear|bird|horse|baby|player|child|kid|animal|elephant|giraffe|bus)s"
    r" (?:head|hands?|shirt|face|back|mouth|hat|neck|hair|body|feet|foot|eyes?|names?|legs?|arms?|collar|tail|job|jacket|pants|shoes?|attire|outfit|clothing|clothes|food|toys?|team|bike|board|lap|side|house|room)\b"
)
_ONE_OF_MANY = re.compile(r"\b(?:this|an?) ([a-z]+s) (?=[a-z]+\b)")
_BEING = "wn30:00004475-n"
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])")


def tidy(question: str) -> str:
    """Return a question in plain form: one space, known misspellings mended, no mark at the end, no capital in front.

    What softens a question ("do you think", "can you guess", "in this picture," in front) is taken off; a question that
    loses "in this picture" keeps it at its end.
    """
    text = re.sub(r"\s+", " ", question.replace("’", "'").replace("`", "'")).strip().rstrip("?.!,;: ")
    text = re.sub(r"\s+([,;.?!])", r"\1", _QUOTE.sub("", text))
    text = re.sub(r"\b(is|are|the|a|of|in|this|to|on) \1\b", r"\1", text)
    text = " ".join(_capital(_SPELLING.get(word.lower(), word)) for word in text.split())
    text = _UNITED_STATES.sub("US", _lower_first(text))
    text = _TWO_WORDS.sub(lambda match: match[0].title(), text)
    text = _CONTINENT.sub(lambda match: match[0].capitalize(), text)
    for slip, mended in _SLIPS:
        text = slip.sub(mended, text)
    text, asked = _LEAD.subn("", text)
    if asked and text.startswith(("the ", "this ", "that ", "these ")):
        text = f"name {text}"
    text, moved = _IN_IMAGE.subn("", text)
    text = _HEDGE.sub("", text).strip(" ,")
    if moved and not re.search(r"\b(?:image|picture|photo|photograph|this|these)\b", text):
        text += " in this image"
    return _lower_first(text)


@lru_cache(1 << 14)
def misspelled(text: str) -> str:
    """Return the first word of a tidied question that is no English word or stands alone as a letter, empty where none is."""
    if match := _NO_APOSTROPHE.search(text):
        return match[0]
    if match := next((one for one in _ONE_OF_MANY.finditer(text) if _is_many_beings(one[1])), None):
        return match[0]
    return next((word for word in _WORD.findall(text) if not _spelled(word)), "")


def _is_many_beings(word: str) -> bool:
    """Return whether a word means several animals or people, and nothing else (this animals food)."""
    return is_plural(word) and any(wordnet().is_a(one.id, _BEING) for one in wordnet().synsets(singular(word))[:1])


@lru_cache(1 << 14)
def _spelled(word: str) -> bool:
    if len(word) == 1:
        return word == "a"
    bases = {wordnet().morphy(word, part) for part in ("n", "v", "a", "r")} - {None}
    if word in words("stop") or word in bases:
        return True
    return frequency(word) >= (1 if bases else _SPELLED)  # "weared" has a base, and nobody writes it


@lru_cache(1 << 14)
def _capital(word: str) -> str:
    """Return a word with the capital of a name, where WordNet knows it as nothing else (germany, american)."""
    if len(word) < 4 or word != word.lower():
        return word
    senses = wordnet().synsets(word)
    if wordnet().base(word) or any(wordnet().knows(word, part) for part in ("v", "r")) or not senses:
        return word
    if wordnet().knows(word, "a") and not word.endswith(("an", "ese", "ish", "ch")):
        return word
    named = all(any(lemma == word.capitalize() for lemma in synset.lemmas) for synset in senses)
    return word.capitalize() if named else word


def _lower_first(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in _NAMES or (first.isupper() and len(first) > 1):
        return text if first.lower() not in _WH else f"{first.lower()} {rest}"
    return f"{first.lower()} {rest}".strip()


_WH = {"what", "which", "who", "whom", "whose", "where", "when", "why", "how", "name", "is", "are", "does", "do"}
