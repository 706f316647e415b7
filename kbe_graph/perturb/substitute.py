"""Substitution of words in a question from a reviewed table (``data/substitutions.tsv``; MDK12, VLB)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from kbe_graph.english.inflect import form, indefinite, lemmas, plural
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.english.words import words
from kbe_graph.files.resources import data, rows
from kbe_graph.perturb.eligible import NotEligible, Original, Rewritten

if TYPE_CHECKING:
    import numpy as np

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
