"""Reading of the option that a reply chose: by a letter alone, by a letter in a sentence, or by the option's text."""

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from kbe_graph.english.number import singular
from kbe_graph.evaluate.sentence_reading import corrected
from kbe_graph.text import fold

_EMPHASIS = re.compile(r"[*`$\"“”]|(?<!\w)_|_(?!\w)|\\(?:text|mathrm|textbf)\b|(?m:^#+ )")
_LETTER = r"[(\[{]{0,3}\b(?P<letter>[A-Za-z])\b[)\]}]{0,3}"
# Matches (B), B, B. frisbee, "B: frisbee", "option B"; not a text that begins with the article (A frisbee).
_ALONE = re.compile(
    r"(?:(?:the )?(?:right |correct |final |best )?(?:answer|option|choice)(?: is)?:? )?"
    r"[(\[{<]*(?P<letter>[A-Z])(?:[)\]}>.:,]+|\s+-(?=\s)|\Z)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
ANSWER_WORDS = (
    r"(?:respuesta|réponse|resposta|risposta|antwort|lösung|ответ|答案|正解|答え|回答|정답|답)"  # other languages
)
_NAME = rf"(?:answer|option|choice|{ANSWER_WORDS})"
_KIND = r"(?:(?:final|correct|right|best|short|my|the|likely) ){0,4}"
_LINK = (
    r"\s*(?:\bis\b|\bwould be\b|\bseems to be\b|\bmust be\b|\bshould be\b|\bstands\b|[:=是为は은]"
    r"|\b(?:ist|es|est|é|è)\b)[\s:]*"
)
_LEAD = rf"{_LINK}(?:(?:likely|probably|clearly|therefore) )?(?:(?:the )?{_KIND}{_NAME}\s+)?"
# "The answer is B", "I'd go with B", "it must be B": a letter or an option follows.
_STATED = re.compile(
    rf"(?P<kind>{_KIND}){_NAME}(?: to [\w ]{{1,60}}?)?{_LEAD}|\bi(?:'d| would|'ll| will|'m| am)? "
    r"(?:choose|pick|select|say|go with|going with)\s+"
    r"(?:option\s+)?|(?<!n't think )(?<!not think )\bit (?:must be|is)\s+|\bit's\s+|\\f?boxed\b"
    r"|\bleav(?:es|ing) (?:only |us with )?(?:option\s+)?"
    r"|\b(?:so|therefore|thus|hence),?\s+(?:option\s+)?|(?:因此|故|应|所以)?选择?\s*|\bletter\s+(?=[A-Z]\b)"
    r"|\A\W*(?:most likely|probably|likely|perhaps|maybe),?\s+(?:option\s+)?",
    re.IGNORECASE,
)
_IS_ANSWER = re.compile(
    rf"{_LETTER} (?:(?:is|seems|looks) (?:the )?(?:correct|right|best|answer)\b|remains\b|fits\b|it is\b)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\s*(?:,|/|\bor\b|\band\b|&)\s*(?:maybe |option )?[(\[]*[A-Z]\b(?![ '][a-z]{2})")
# Options that a reply rules out: "not A", "not D but", "rather than a tram".
_REFUSED = r"(?:\bnot|\bneither|\bnor|\brather than|\binstead of|n't)\s+(?:be\s+)?(?:option\s+)?"
_WRONG = (
    r" (?:is|are|seems?|looks?|can be|would be) (?:wrong|incorrect|false|not|out|off|impossible|unlikely"
    r"|excluded|ruled out|too|far too)\b"
)
_BY_LETTER = r"^\W*(?:option )?[A-Z]\W{1,4}"
_TICKED = re.compile(rf"[✅✔✓☑]|{_BY_LETTER}(?:correct|right|true)\b", re.IGNORECASE)
_CROSSED = re.compile(rf"[❌✗✘✖]|{_BY_LETTER}(?:incorrect|wrong|false|not correct)\b", re.IGNORECASE)
_NEXT_TO_LATIN = re.compile(
    r"(?<=[\u3000-\u9fff\uac00-\ud7af])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u3000-\u9fff\uac00-\ud7af])"
)
_CORRECTED = re.compile(r"\b(?:wait|actually|correction|no,|on second thought)", re.IGNORECASE)
_REASON = re.compile(r"\n|because\b|since\b|as\b|(?:[A-Z][\w']*\s+){0,1}[A-Za-z]+ (?:is|are|has|shows)\b")
_BREAKS = re.compile(r"[^\w .%$&+'-]|[.](?= )")


_SENTENCE = 6  # words; as many after a letter are an explanation, not an option's text
_SHORT = 12
_SMALL = frozenset(
    ("a", "an", "the", "to", "of", "in", "on", "at", "about", "approximately", "around", "roughly", "it", "is")
)
_STATEMENT = 400  # characters read after "the answer is"


class OptionRead(NamedTuple):
    """The option that a text names, None if unclear, and whether its letter or its text named it."""

    option: str | None
    by: str = ""


UNCLEAR = OptionRead(None)


def read_option(text: str, options: Sequence[str]) -> OptionRead:
    """Read the single option that a text chooses.

    The result is unclear if the text chooses two options, puts a letter next to another option's text, or names none.

    >>> read_option("It is not (A). The answer is B because it flies.", ["ball", "frisbee"])
    OptionRead(option='frisbee', by='letter')
    """
    plain = _plain(text)
    last = corrected(plain)
    tries = [last, plain] if last != plain else [plain]
    return next((choice for each in tries if (choice := _read(each, options)).option), UNCLEAR)


def _read(text: str, options: Sequence[str]) -> OptionRead:
    plain = _without_refused(text, options)
    for read in (_whole, _stated, _outer_lines, _mentioned, _within):
        choices = read(plain, options)
        if choices:
            return choices[0] if len(set(_names(choices))) == 1 else UNCLEAR
    return UNCLEAR


def _within(text: str, options: Sequence[str]) -> list[OptionRead]:
    """Return the only option that contains all words of a short text, ignoring function words."""
    words = {*fold(text).split()} - _SMALL
    holding = [option for option in options if words <= {*fold(option).split()}]
    return [OptionRead(holding[0], "text")] if words and len(holding) == 1 and len(text.split()) <= _SHORT else []


def _names(choices: Sequence[OptionRead]) -> list[str | None]:
    return [choice.option for choice in choices]


def _plain(text: str) -> str:
    """Normalise a text: strip emphasis and crossed-out lines, and convert full-width characters to ASCII.

    If lines are ticked, only these are kept.
    """
    plain = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text).replace("’", "'"))
    lines = [line for line in plain.split("\n") if not _CROSSED.search(line)]
    ticked = [re.sub(r"^[\s•-]+|[✅✔✓☑]", "", line) for line in lines if _TICKED.search(line)]
    return _NEXT_TO_LATIN.sub(" ", "\n".join(ticked or lines)).strip()


def _without_refused(text: str, options: Sequence[str]) -> str:
    names = "|".join(re.escape(option) for option in sorted(options, key=len, reverse=True) if option.strip())
    named = rf"(?:[(\[]?[A-Z]\b[)\]]?|(?:(?i:an?|the) )?(?i:{names})\b)"
    refused = rf"(?i:{_REFUSED}){named}(?:,?\s*(?i:nor|or)\s+{named})*(?:,?\s*\bbut\b)?"
    listed = rf"{named}(?:(?:,| and|, and) {named})*"
    wrong = rf"(?:(?i:option) )?{listed}{_WRONG}[^.,;]*[.,;]?|(?i:exclude|rule out|eliminate)[^.,;:]{{0,40}}:? {listed}"
    return re.sub(rf"{refused}|{wrong}", " ", text).strip()


def _whole(text: str, options: Sequence[str]) -> list[OptionRead]:
    """Return the choice of a text that consists of nothing but an option."""
    if by_text := _by_text(text, options):
        return [OptionRead(by_text, "text")]
    alone = _ALONE.fullmatch(text)
    if alone is None or (alone["rest"] and _STATED.match(text)):
        return []
    return _at_letter(alone["letter"], alone["rest"], options)


def _at_letter(letter: str, rest: str, options: Sequence[str]) -> list[OptionRead]:
    """Return the option of a letter: unclear beside other text or out of range; empty before a list of options."""
    place = ascii_uppercase.index(letter.upper())
    if place >= len(options):
        return [UNCLEAR]
    if _says_another(rest, options[place], options):
        return [] if _STATED.search(rest) else [UNCLEAR]
    return [] if _lists_options(rest) else [OptionRead(options[place], "letter")]


def _says_another(rest: str, option: str, options: Sequence[str]) -> bool:
    """Return True if the text after a letter is neither its option's text nor an explanation."""
    words = rest.strip(" .)!,")
    if not words or "\n" in rest or _begins_with(rest, option) or _REASON.match(rest):
        return False
    return len(words.split()) < _SENTENCE or bool(_first_named(rest, options) or _STATED.search(rest))


def _lists_options(rest: str) -> bool:
    """Return True if a text continues with further options, like one that repeats the question."""
    return bool(re.search(r"(?:^|\s)[(\[]?[B-Z][).:]\s", rest))


def _begins_with(text: str, option: str) -> bool:
    return f"{fold(text)} ".startswith(f"{fold(option)} ")


def _by_text(words: str, options: Sequence[str]) -> str | None:
    """Return the only option equal to the text, None if none or several are."""
    named = {option for option in options if option.strip() and fold(option) == fold(words)}
    return named.pop() if len(named) == 1 else None


def _stated(text: str, options: Sequence[str]) -> list[OptionRead]:
    """Return the options that a text states as its answer: the ones stated as final, otherwise all."""
    choices: list[OptionRead] = []
    is_final = False
    for match in _STATED.finditer(text):
        choice = _at_statement(text[match.end() : match.end() + _STATEMENT], options)
        now_final = "final" in (match["kind"] or "").lower()
        if choice is None or (is_final and not now_final):
            continue
        if now_final > is_final or _CORRECTED.search(text[: match.start()]):
            choices = []
        is_final = is_final or now_final
        choices.append(choice)
    choices += [
        OptionRead(options[place], "letter")
        for match in _IS_ANSWER.finditer(text)
        if not is_final and (place := ascii_uppercase.index(match["letter"].upper())) < len(options)
    ]
    remaining = (rf"\b{re.escape(option)} (?:remains|is left|fits)\b" for option in options)
    return choices + [
        OptionRead(option, "text")
        for option, sign in zip(options, remaining, strict=True)
        if option.strip() and not is_final and re.search(sign, text, re.IGNORECASE)
    ]


def _at_statement(text: str, options: Sequence[str]) -> OptionRead | None:
    """Return the option that follows a statement, None if something else follows."""
    rest = text.lstrip(" \n:({[")
    letter = re.match(rf"{_LETTER}(?!'|-\w)", rest)
    named = _first_named(rest, options)
    if letter and (named is None or letter["letter"].isupper()) and not re.match(r"[aAI] [a-z]", rest):
        place = ascii_uppercase.index(letter["letter"].upper())
        after = rest[letter.end() :]
        beside = _whole_line(after, options)
        if place >= len(options) or _OTHER.match(after) or (beside and beside != options[place]):
            return UNCLEAR
        return OptionRead(options[place], "letter")
    return OptionRead(named, "text") if named else None


def _whole_line(text: str, options: Sequence[str]) -> str | None:
    return _by_text(text.lstrip(" .):,-]}").partition("\n")[0], options)


def _first_named(text: str, options: Sequence[str]) -> str | None:
    """Return the longest option that the text begins with, None if "or" follows it."""
    begins = [option for option in options if fold(option) and _begins_with(text, option)]
    if not begins:
        return None
    option = max(begins, key=len)
    rest = f" {fold(text.partition(chr(10))[0])} "[len(fold(option)) + 1 :]
    return None if rest.lstrip().startswith("or ") else option


def _outer_lines(text: str, options: Sequence[str]) -> list[OptionRead]:
    """Return the choices of the first and last line that consist of nothing but an option."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or all(_ALONE.fullmatch(line) for line in lines):
        return []
    return [choice for line in (lines[0], lines[-1]) for choice in _whole(line, options) if choice.option]


def _singular_words(text: str) -> str:
    return " ".join(map(singular, fold(text).split()))


def _mentioned(text: str, options: Sequence[str]) -> list[OptionRead]:
    """Return all options that a text names by their text, or by a letter in brackets or after "option"."""
    words = f" {' '.join(filter(None, map(_singular_words, _BREAKS.split(text))))} "
    choices: list[OptionRead] = []
    names = {option: f" {_singular_words(option)} " for option in options if fold(option)}
    for name in sorted({*names.values()}, key=lambda name: (-len(name), name)):
        if name in words:
            choices += [OptionRead(option, "text") for option in names if names[option] == name]
            words = words.replace(name, "  ")
    for match in re.finditer(r"[(\[]([A-Z])[)\]]|\b[Oo]ption ([A-Z])\b", text):
        place = ascii_uppercase.index(match[1] or match[2])
        choices.append(OptionRead(options[place], "letter") if place < len(options) else UNCLEAR)
    return choices
