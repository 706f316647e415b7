"""Eligibility of questions for operations that keep the answer, and the words that may replace one of theirs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from kbe_graph.datasets.view import Thing
from kbe_graph.english.inflect import form, indefinite, lemmas, plural, vocabulary
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.english.words import entity_type, words
from kbe_graph.errors import KbeError
from kbe_graph.files.resources import data, rows
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import numpy as np

Step = Mapping[str, Any]
"""One drawn operation: its name under ``operation``, and its parameters as plain JSON values."""


class NotEligible(KbeError):
    """A question that an operation cannot change without risk to its answer; the message is the counted reason."""


class VariantRejected(KbeError):
    """A finished variant that a check rejected; the message is the counted reason."""


@dataclass(frozen=True, slots=True)
class Original:
    """The unchanged question, with everything known about its picture.

    ``objects`` are the annotated objects with their boxes.

    >>> question = work.questions(run="raw")[0]
    >>> Original(work.samples()[0], question).accepted[0] == question.answer
    True
    """

    sample: Sample
    question: Question
    objects: tuple[Thing, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """All answers that count as right: the gold answer, its aliases, and annotators' answers to a raw question."""
        people = () if self.question.hop else self.sample.answers
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))

    @property
    def guarded(self) -> tuple[str, ...]:
        """The names that changed words must not give away: the accepted answers, and those of an evolved chain."""
        if not self.question.hop:
            return self.accepted
        ends = (end.name for triplet in self.question.explored for end in (triplet.subject, triplet.object))
        return tuple(dict.fromkeys((*self.accepted, self.sample.answer, *self.sample.answers, *ends)))


class Rewritten(NamedTuple):
    """The words of a question after one step."""

    text: str
    step: Step


class TextOperation(NamedTuple):
    """A change of words; ``is_drawn`` is that of ``PictureOperation``.

    ``rewrite`` takes a text that other steps may have rewritten already; it raises NotEligible if no rule applies.
    """

    name: str
    rewrite: Callable[[Original, str, "np.random.Generator"], Rewritten]
    is_drawn: bool = True


_STUFF = frozenset(["noun.food", "noun.substance"])
_KIND_OF = re.compile(
    r"\b(?:kind|type|sort|species)s? of (\w+)"
    r"|\b(?:what|which) (\w+) (?:is|are) (?:this|that|these|those|it|they|shown|seen|pictured|in)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\btime\b(?! of\b)|\b\d{1,2}:\d\d\b|o'clock", re.IGNORECASE)
_PICTURE_ITSELF = re.compile(
    r"(?:kind|type|sort|style|genre) of (?:\w+ )?(?:photo|picture|image|photograph|shot)\b"
    r"|\b(?:photo|picture|image|photograph|shot)(?:'s)? (?:was |is |been |be )?(?:taken|made|shot|from|old|edited|in)\b"
    r"|\b(?:is|was) (?:this|the) (?:photo|picture|image|photograph|shot)\b",
    re.IGNORECASE,
)
_STANDS_OUT = re.compile(
    r"\b(unusual|odd|strange|weird|wrong|out of place|foreground|background|closest|nearest|largest|biggest|smallest"
    r"|tallest|main|on the (ground|floor|table)|where|room|place|location|indoors?|inside|outdoors?|outside|out of)\b",
    re.IGNORECASE,
)


class Topic(NamedTuple):
    """A topic of questions that an operation would affect: the counted reason, and a test of texts.

    With ``in_answers``, the answers and the key are tested as well as the question.
    """

    reason: str
    fits: Callable[[str], bool]
    in_answers: bool


def _of_list(*names: str) -> Callable[[str], bool]:
    return lambda text: not vocabulary(text).isdisjoint(frozenset[str]().union(*map(words, names)))


def _names_colour(text: str) -> bool:
    return _of_list("colour words")(text) or any(map(wordnet().is_colour, vocabulary(text)))


def _names_stuff(text: str) -> bool:
    return _of_list("food words")(text) or any(map(_is_stuff, lemmas(text)))


def _is_stuff(noun: str) -> bool:
    kinds = (synset.lexname for synset in wordnet().synsets(noun) if not synset.instance)
    return next((kind for kind in kinds if kind != "noun.plant"), "") in _STUFF


def _asks_species(text: str) -> bool:
    named = (entity_type(noun) for nouns in _KIND_OF.findall(text) for noun in nouns if noun)
    return _of_list("species words")(text) or not {"animal", "plant"}.isdisjoint(named)


def _names_making(text: str) -> bool:
    return _of_list("picture making words")(text) or bool(_PICTURE_ITSELF.search(text))


def _stands_out(text: str) -> bool:
    return bool(_STANDS_OUT.search(text))


def _asks_detail(text: str) -> bool:
    return _of_list("detail words")(text) or bool(_TIME.search(text))


def _counts(text: str) -> bool:
    return _of_list("counting words", "numbers")(text) or any(sign.isdigit() for sign in text)


TOPICS: Mapping[str, Topic] = {
    "colour": Topic("a colour is asked for or answered", _names_colour, in_answers=True),
    "stuff": Topic("food or a material, which is known by its colour, is asked for or answered", _names_stuff, True),
    "species": Topic(
        "a species, breed, flag or team, which is known by its colours, is asked for", _asks_species, False
    ),
    "light": Topic("light, hour or weather is asked for or answered", _of_list("light words"), in_answers=True),
    "side": Topic("a place in the frame is asked for or answered", _of_list("side words"), in_answers=True),
    "counting": Topic("things are counted", _counts, in_answers=True),
    "lettering": Topic("lettering or a brand is asked for", _of_list("lettering words"), in_answers=False),
    "detail": Topic("fine detail is asked for", _asks_detail, in_answers=True),
    "outstanding": Topic("the scene, or a thing that stands out, is asked for", _stands_out, in_answers=False),
    "picture making": Topic("how the picture was made is asked for", _names_making, in_answers=False),
}


def first_reason(original: Original, *topics: str) -> str:
    """Return the reason of the first of ``topics`` that a question is about; empty if none.

    A raw question is tested with its choices and the answers of at least three annotators, a hop with the visual part
    of its key. A name that is asked for is not read as food or a material: Air France, Apple.
    """
    asks_name = TOPICS["lettering"].fits(original.question.text)
    for name in topics:
        topic = TOPICS[name]
        has_answers = topic.in_answers and not (name == "stuff" and asks_name)
        texts = (original.question.text, *(_shown_words(original) if has_answers else ()))
        if any(map(topic.fits, texts)):
            return topic.reason
    return ""


def _shown_words(original: Original) -> Iterator[str]:
    yield from (original.question.answer, *original.question.aliases)
    yield from (triplet.object.name for triplet in original.question.key if triplet.graph == "visual")
    if not original.question.hop:
        yield from (*original.sample.choices, *original.sample.agreed)


FILE = "substitutions.tsv"
COLUMNS = ("word", "part", "put", "pattern", "example", "outcome")
Tag = Literal["VBD", "VBN", "VBG", "VBZ"]
TAGS: tuple[Tag, ...] = get_args(Tag)
MOST = 2
"""Maximum words substituted in a question."""

_ARTICLE = re.compile(r"\b([Aa])n?(?= +$)")
# Context in which a noun is a verb (can you store this), and a verb is a noun (the repair).
_BEFORE_VERB = re.compile(r"\b(?:to|can|could|will|would|should|might|may|i|you|we|they|he|she|it) $", re.IGNORECASE)
_BEFORE_NOUN = re.compile(
    r"(?:\b(?:a|an|the|his|her|its|their|our|my|your)|'s"
    r"|(?<!\bdoes)(?<!\bdid)(?<!\bcan)(?<!\bdo) (?:this|that|these|those)) $",
    re.IGNORECASE,
)
_NEXT = re.compile(r" ([A-Za-z]+)")
_LAST = re.compile(r"([A-Za-z]+) $")


class Substitution(NamedTuple):
    """A row of the table: ``put`` replaces ``word`` where the pattern matches, and ``forms`` maps their forms.

    The ``example`` becomes the ``outcome``.
    """

    word: str
    part: str
    put: str
    pattern: re.Pattern[str]
    example: str
    outcome: str
    forms: Mapping[str, str]


class Site(NamedTuple):
    """A place in a text, with the row that applies to it."""

    start: int
    end: int
    row: Substitution

    def put(self, text: str) -> str:
        """Return the replacement, capitalised like the text."""
        old = text[self.start : self.end]
        new = self.row.forms[old.lower()]
        return new[0].upper() + new[1:] if old[0].isupper() else new


def _forms(word: str, part: str, put: str) -> Mapping[str, str]:
    if part == "n":
        return {plural(word): plural(put), word: put}
    if part != "v":
        return {word: put}
    forms = {_verb(word, tag): _verb(put, tag) for tag in TAGS} | {word: put}
    if _verb(word, "VBD") == _verb(word, "VBN") and _verb(put, "VBD") != _verb(
        put, "VBN"
    ):  # created: chose, or chosen?
        del forms[_verb(word, "VBD")]
    return forms


def _verb(verb: str, tag: Tag) -> str:
    first, _, rest = verb.partition(" ")
    return f"{form(first, tag)} {rest}".strip()


@cache
def substitutions() -> Sequence[Substitution]:
    """Load the rows of the table."""
    return tuple(
        Substitution(word, part, put, _compiled(pattern, forms), example, outcome, forms)
        for _, (word, part, put, pattern, example, outcome) in rows(data(FILE), COLUMNS)
        for forms in [_forms(word, part, put)]
    )


def _compiled(pattern: str, forms: Mapping[str, str]) -> re.Pattern[str]:
    either = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    it = rf"(?<![\w-])(?P<it>{either})(?![\w-]|['’]s\b)"
    return re.compile(rf"\b{pattern.replace('{}', it, 1)}", re.IGNORECASE)


def sites(text: str, table: Sequence[Substitution]) -> Iterator[Site]:
    """Yield the places where a row applies, except capitalised words, idioms, and other parts of speech."""
    for row in table:
        for match in row.pattern.finditer(text):
            site = Site(match.start("it"), match.end("it"), row)
            small = match["it"].islower() or (site.start == 0 and match["it"][1:].islower())
            if small and not _is_other_part(text[: site.start], row.part) and not _is_idiom(text, site):
                yield site


def _is_other_part(before: str, part: str) -> bool:
    other = {"n": _BEFORE_VERB, "v": _BEFORE_NOUN}.get(part)
    return bool(other and other.search(before))


def _is_idiom(text: str, site: Site) -> bool:
    word = site.row.word
    after, before = _NEXT.match(text, site.end), _LAST.search(text, 0, site.start)
    pairs = [f"{word} {after[1]}"] if after and (site.row.part != "-" or _has_content(after[1])) else []
    pairs += [f"{before[1]} {word}"] if before and _has_content(before[1]) else []
    parts: tuple[Part, ...] = ("n", "v")
    return any(wordnet().morphy(pair.lower(), part) for pair in pairs for part in parts)


def _has_content(word: str) -> bool:
    return word.lower() not in words("stop")


def replace(text: str, chosen: Sequence[Site]) -> str:
    """Replace the words at non-overlapping places, and adjust "a" and "an"."""
    for site in sorted(chosen, reverse=True):
        new = site.put(text)
        after = new + text[site.end :]
        before = _ARTICLE.sub(lambda match: _article(match[1], after), text[: site.start])  # noqa: B023
        text = before + after
    return text


def _article(letter: str, phrase: str) -> str:
    return letter + indefinite(phrase)[1:]


def substitute(original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
    """Put synonyms from the table for one or two words of a text; raises NotEligible if no row applies."""
    own = frozenset(lemma for name in original.guarded for lemma in lemmas(name))
    asked = own.union(lemmas(text))
    free = [
        site
        for site in sites(text, substitutions())
        if own.isdisjoint(lemmas(site.row.word)) and asked.isdisjoint(lemmas(site.row.put))
    ]
    chosen: list[Site] = []
    for place in rng.permutation(len(free)):
        site = free[place]
        if len(chosen) < MOST and all(site.end <= other.start or other.end <= site.start for other in chosen):
            chosen.append(site)
    if not chosen:
        raise NotEligible("no word of the table")
    put = [[text[site.start : site.end], site.put(text)] for site in sorted(chosen)]
    return Rewritten(replace(text, chosen), {"operation": "substitute", "put": put})
