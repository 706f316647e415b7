"""What things are called in other languages, from a curated table that Unicode CLDR bears out where it can.

``translations.tsv`` names senses as ``definitions.tsv`` does; a cell holds the word that most would say first, and
after ``|`` what else is as right. What is called as in English has an empty cell. Where CLDR calls the emoji of a thing
by one of the words, that is the fact's source; the others are general knowledge.
"""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import emoji
from definitions import concept
from known import SOURCE as KNOWN
from noun import Nouns
from row import Row, Source

LANGUAGES = {
    "French": "fr",
    "Spanish": "es",
    "German": "de",
    "Italian": "it",
    "Portuguese": "pt",
    "Dutch": "nl",
    "Turkish": "tr",
    "Finnish": "fi",
    "Welsh": "cy",
}
CLDR = Source("Unicode CLDR", f"emoji {version('emoji')}", "2025", "Unicode-3.0")


class TranslationError(Exception):
    """A line of the curated table that cannot be read."""


def rows(nouns: Nouns, file: Path) -> Iterator[Row]:
    """Yield a fact for each cell of the table; raises TranslationError with the line that cannot be read."""
    emoji.config.load_language([code for code in LANGUAGES.values() if code in emoji.LANGUAGES])
    signs = {_name(names["en"]): sign for sign, names in emoji.EMOJI_DATA.items()}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()[1:], start=2):
        try:
            sense, *cells = line.split("\t")
            _, subject_id, subject = concept(nouns, sense)
            for language, cell in zip(LANGUAGES, cells, strict=True):
                if cell:
                    yield _row(subject_id, subject, language, cell.split("|"), signs.get(subject.casefold(), ""))
        except (KeyError, IndexError, ValueError) as problem:
            raise TranslationError(f"{file.name} line {number}: {line!r}: {problem}") from problem


def _row(subject_id: str, subject: str, language: str, words: list[str], sign: str) -> Row:
    word, *also = words
    code = LANGUAGES[language]
    named = _name(emoji.EMOJI_DATA[sign].get(code, "")) if sign else ""
    if named in map(str.casefold, words):
        source, ref, evidence = CLDR, f"U+{ord(sign[0]):04X} in {code}", f"{sign} {subject}: {named}"
    else:
        source, ref = KNOWN, f"entry: {subject} (translation)"
        evidence = f"The {language} word for {subject} is {word}."
    thing = f"word:{code}-{word.casefold().replace(' ', '-')}"
    return Row(subject_id, subject, f"{language} word", thing, word, source, ref, evidence, "|".join(also))


def _name(text: str) -> str:
    return text.strip(":").replace("_", " ").casefold()
