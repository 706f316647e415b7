"""Facts that WordNet's definitions state, from a curated table of quotes that the build looks up.

``definitions.tsv`` names senses as ``lemma#2`` (``lemma`` is the first sense), a verb's as ``bark.v#4``. ``evidence``
is the sense whose definition holds the quoted ``span``; ``span`` is ``lemmas`` where the synset's own names say it,
and a pointer such as ``#p`` (part of), ``#m`` (member of), ``#s`` (substance of), ``@`` (kind of), ``;r`` (used in
the region) where WordNet's relation between subject and object does. ``bell#8=Alexander Graham Bell`` calls the sense
by another name than the lemma; ``florida~sunshine state`` is a name that Florida's own synset holds, told as a thing
of its own.
"""

from collections.abc import Iterator
from pathlib import Path

from noun import DATE, LICENCE, VERSION, Noun, Nouns
from row import Row, Source

COLUMNS = ("subject", "relation", "object", "evidence", "span")
SOURCE = Source("WordNet", VERSION, DATE, LICENCE)
POINTERS = {
    "#p": "part of",
    "#m": "member of",
    "#s": "substance of",
    "@": "kind of",
    "@i": "instance of",
    ";r": "region",
    "!": "opposite of",
}


class DefinitionError(Exception):
    """A line of the curated table that the source does not bear out."""


def rows(nouns: Nouns, file: Path) -> Iterator[Row]:
    """Yield the facts of the table; raises DefinitionError with the line where the quoted words are not there."""
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines[1:], start=2):
        try:
            yield _row(nouns, *line.split("\t"))
        except (KeyError, IndexError, ValueError, TypeError, DefinitionError) as problem:
            raise DefinitionError(f"{file.name} line {number}: {line!r}: {problem}") from problem


def _row(nouns: Nouns, subject: str, relation: str, thing: str, evidence: str, span: str) -> Row:
    subject_noun, subject_id, name = concept(nouns, subject)
    object_noun, object_id, object_name = concept(nouns, thing)
    noun = nouns.sense(evidence or subject)
    words = _evidence(subject_noun, object_noun, noun, span)
    return Row(subject_id, name, relation, object_id, object_name, SOURCE, noun.id, words)


def concept(nouns: Nouns, key: str) -> tuple[Noun, str, str]:
    """Return the synset of a key with the id and the name to tell it by."""
    key, _, given = key.partition("=")
    key, _, held = key.partition("~")
    noun = nouns.sense(key)
    name = _name(held or key, noun)
    return noun, noun.id + ("~" + held.replace(" ", "-") if held else ""), given or name


def _name(key: str, noun: Noun) -> str:
    """Return the lemma that the table uses, as WordNet writes it; raises KeyError where it is none of the synset's."""
    wanted = key.partition("#")[0].casefold()
    return {lemma.casefold(): lemma for lemma in noun.lemmas}[wanted]


def _evidence(subject: Noun, object_: Noun, noun: Noun, span: str) -> str:
    if span in POINTERS:
        if object_.id in subject.to(span):
            return f"{subject.label}: {POINTERS[span]} {object_.label}"
        if subject.id in object_.to(span):
            return f"{object_.label}: {POINTERS[span]} {subject.label}"
        raise DefinitionError(f"no pointer {span} between {subject.label!r} and {object_.label!r}")
    if span == "lemmas":
        return ", ".join(noun.lemmas)
    if not span or span not in noun.gloss:
        raise DefinitionError(f"{span!r} is not in the definition {noun.gloss!r}")
    return f"{noun.label}: {noun.gloss}"
