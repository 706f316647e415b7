"""Reading of the answer in a sentence: the words that are not in the question.

"The man is riding a horse" answers "What is the man riding?" with "horse". This needs no parser: the words before or
after the answer are function words or occur in the question.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from kbe_graph.text import fold

_VERB_WORDS = """
    is are was were be looks seems appears reads read says say said shows show states equals has have contains it's
    that's he's she's there's they're see count est ist sind sont
"""
_EMPTY_WORDS = """
    a an the this that these those there here it its they he she his her their them him i you we my your our
    in on at of to from by with for as being been can could would will does do did looks like seem appear
    image picture photo photograph scene shown seen visible depicted displayed labeled labelled called named known
    think believe say probably likely most perhaps maybe possibly clearly actually also just so therefore thus hence
    approximately about around roughly overall un une le les ein eine einen
    what which who whom whose where when why how many much kind type sort name
"""
_SUBJECT_WORDS = "it this that these those there he she they i it's that's he's she's there's they're"
_VERBS, _SUBJECTS = frozenset(_VERB_WORDS.split()), frozenset(_SUBJECT_WORDS.split())
_EMPTY = _VERBS | frozenset(_EMPTY_WORDS.split())
_WH = re.compile(r"\W*(?:[\w' ]{1,40}\s)?(?:what|which|who|whose|whom|where|when|why|how)\b", re.IGNORECASE)
_YES_NO = re.compile(r"\W*(yes|no|ja|nein|oui|non|sí|да|нет)\b(?=\s*(?:[,.;:!–—-]|\Z))", re.IGNORECASE)
_SENTENCES = re.compile(
    r"(?<=[^\W_][^\W_][.!?”\"])\s+(?=[A-Z\"“])|\n+|(?<=[。！？])|,\s+(?=so (?:the|it|there|that|this|my|i)\b)"
)
_CONCLUDES = re.compile(
    r"\W*(?:so|therefore|thus|hence|overall|consequently|in (?:conclusion|summary|short)|all this|conclusion)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?:\bwait\b|\bactually\b|\bcorrection\b|\bsorry\b|\bon second thought\b|\bhmm+\b|\blet me \w+[^:.,]{0,20}[:.,]"
    r"|\bbut (?:looking closer|on closer \w+)|\bscratch that\b)[,.:;!?–— -]*(?:no\b[,. ]*)?",
    re.IGNORECASE,
)
_FROM = re.compile(r"\W*(?:according to|based on|judging by|looking at|reading)\b[^,\n]{1,90},\s+", re.IGNORECASE)
_HEDGE = re.compile(r"\W*(?:most likely|probably|likely|possibly|perhaps|maybe|presumably)\b,?\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*(?:;|\s[–—-]\s|—|[,(]?\s*\b(?:because|since|though|although|which|whereas|judging|based on|given)\b"
    r"|,\s*(?:but|so|as|not|with|perhaps|possibly|probably|likely|while|where|who|making|indicating|suggesting)\b"
    r"|\s+as (?:it|the|there|seen|shown|indicated|can)\b|,\s*and (?=\S+ \S+ \S+)|,\s*an? (?!.*\band\b)).*",
    re.IGNORECASE | re.DOTALL,
)
_BESIDE = re.compile(r",\s(?:as|which|who)\b[^,]{1,60},(?=\s)")
_EMPHASIS = re.compile(r"\*\*|__|(?m:^#+ )")
_NOT = re.compile(r"\b(?:can)?not\b|n't\b|\bneither\b|\bno longer\b", re.IGNORECASE)
_MARKS = " \t\r\n*_`.!,:;\"“”'’「」"
_LONGEST = 8  # words; a short answer is no longer


_QUOTES = re.compile(
    r"\b(?:reads|says|say|read|said|states|written|printed|titled|labell?ed)\b[^\"“]{0,12}[\"“]([^\"“”]+)[\"”]",
    re.IGNORECASE,
)
_ENDS_YES_NO = re.compile(r",?\s(?:so|hence|therefore),? (yes|no)\b", re.IGNORECASE)
_COLON = re.compile(r".*[^\d\s]:\s*(\S.{0,60})", re.DOTALL)
_FEW = 4  # words; a correction this short is itself the answer


class _Word(NamedTuple):
    text: str
    key: str


def corrected(text: str) -> str:
    """Return the text after a reply's last correction ("wait, no, ..."), or the whole text without one."""
    corrections = list(_CORRECTS.finditer(text))
    return text[corrections[-1].end() :].strip() if corrections and corrections[-1].start() else text


def read_sentence(text: str, question: str = "") -> str:
    """Return the answer in a reply of one or more sentences; empty if it cannot be told from the question's words.

    >>> read_sentence("The man is riding a horse, as it seems.", "What is the man riding?")
    'horse'
    >>> read_sentence("Yes, he wears a helmet.", "Does he wear a helmet?")
    'Yes'
    """
    if (yes_no := _YES_NO.match(text) or _ENDS_YES_NO.search(text)) and not _WH.match(question):
        return yes_no[1]
    plain = _EMPHASIS.sub("", text)
    if not _is_sentence(plain.strip()):
        return ""
    last = corrected(plain)
    asked_words = _words_of(question)
    sentences = [part for part in _SENTENCES.split(last) if part.strip(_MARKS)]
    is_answer = last != plain and len(last.split()) <= _FEW and "?" not in last
    answers = (_new_in(part, asked_words, ends=part == sentences[-1]) for part in _telling(sentences, asked_words))
    return next(filter(None, answers), last.strip(_MARKS) if is_answer else "")


def _is_sentence(text: str) -> bool:
    """Return True if a text is written as a sentence; a few words without capital or stop are already an answer."""
    begins = text[:1].isupper() and len(text.split()) >= _FEW
    return begins or text.endswith((".", "!", "。", '."')) or "\n" in text


def _telling(sentences: Sequence[str], asked_words: AbstractSet[str]) -> Sequence[str]:
    """Return the sentences that may hold the answer, likeliest first: a conclusion, or those echoing the question."""
    if len(sentences) < 2:
        return sentences
    asked = [part for part in sentences if any(_key(word) in asked_words - _EMPTY for word in part.split())]
    concluding = [part for part in sentences[1:] if _CONCLUDES.match(part) and (part[0].isupper() or part in asked)]
    if concluding:
        return concluding[-1:]
    return [*asked, sentences[0], sentences[-1]] if asked_words else ()


def _words_of(question: str) -> AbstractSet[str]:
    """Return the words of a question and their keys, except for the alternatives it offers ("red or blue")."""
    words = question.split()
    if "or" in words:
        place = words.index("or")
        words = [*words[: max(place - 1, 0)], *(word for word in words[place + 2 :] if word in _EMPTY)]
    return frozenset((*map(_key, words), *words))


def _key(word: str) -> str:
    """Normalise a word for comparison, without punctuation and endings."""
    plain = word.lower().replace("’", "'").strip(" .,;:!?\"“”'()*_`")
    if plain in _EMPTY:
        return plain
    stem = re.sub(r"(?:'s|ing|ies|es|ed|s|e)$", "", plain)
    return stem if len(stem) > 2 else plain


def _new_in(sentence: str, asked_words: AbstractSet[str], *, ends: bool) -> str:
    """Return the new words of a sentence: its quotation, those after its colon, or those not in the question."""
    if _NOT.search(sentence) or sentence.rstrip().endswith("?"):
        return ""
    if len(quoted := _QUOTES.findall(sentence)) == 1:
        return str(quoted[0]).strip(" .,")
    if ends and (stated := _COLON.fullmatch(sentence.strip())):
        return _plain(_words(stated[1]), frozenset())
    return _unsaid(sentence, asked_words)


def _unsaid(sentence: str, asked_words: AbstractSet[str]) -> str:
    sentence = _BESIDE.sub("", sentence)
    start = _HEDGE.match(sentence) or _FROM.match(sentence)
    rest = sentence[start.end() :] if start else sentence
    short = _AFTER.sub("", rest).strip()
    words = _words(short)
    verb = next(
        (at for at, word in enumerate(words) if word.key in _VERBS and not (at and word.text[0].isupper())), None
    )
    if verb is None:
        return _without_verb(words, asked_words, is_cut=bool(_HEDGE.match(sentence)) or short != rest.strip())
    subject, predicate = words[:verb], words[verb + 1 :]
    if all(word.key in _EMPTY | asked_words for word in predicate):
        return _plain(subject, asked_words)
    is_asked = words[verb].key in _SUBJECTS or any(word.key in _SUBJECTS | asked_words - _EMPTY for word in subject)
    return _plain(predicate, asked_words) if is_asked else ""


def _words(text: str) -> list[_Word]:
    return [_Word(word, _key(word)) for word in text.split()]


def _without_verb(words: Sequence[_Word], asked_words: AbstractSet[str], *, is_cut: bool) -> str:
    """Return the new words of a sentence without a listed verb, if it begins like the question or was shortened."""
    begins = next((number for number, word in enumerate(words) if word.key not in _EMPTY | asked_words), len(words))
    asked = any(word.key in asked_words - _EMPTY for word in words[:begins])
    return _plain(words, asked_words) if is_cut or (asked and begins > 1) else ""


def _is_new(word: _Word, asked_words: AbstractSet[str], place: int) -> bool:
    """Return True if a word adds information: it is a name, or neither a function word nor in the question."""
    if word.text in asked_words:
        return False
    return (place > 0 and word.text[0].isupper()) or word.key not in _EMPTY | asked_words


def _plain(words: Sequence[_Word], asked_words: AbstractSet[str]) -> str:
    """Strip words at both ends that are in the question or carry no information; empty if the rest is too long."""
    telling = [number for number, word in enumerate(words) if _is_new(word, asked_words, number)]
    if not telling or telling[-1] - telling[0] >= _LONGEST:
        return ""
    new = words[telling[0] : telling[-1] + 1]
    return " ".join(word.text for word in new).strip(_MARKS) if fold(new[0].text) else ""
