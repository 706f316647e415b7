"""The referring form: where no noun phrase stands for an answer, its question is quoted and the answer called X.

"What replaced this mode of transportation?" becomes 'If X is the answer to "What replaced this mode of
transportation?", what do you call the operator of X?'.
"""

from collections.abc import Iterator, Sequence

from kbe_graph.facts.relation import Relation
from kbe_graph.question import Reading
from kbe_graph.wording.phrases import fill, nest, phrases_for, question_of
from kbe_graph.wording.reference import Phrase, Reference, points
from kbe_graph.wording.sentence import sentence
from kbe_graph.wording.turn import lacks_preposition

QUOTED = "referring"
X = Reference((Phrase("X"),), QUOTED)


def referring(relations: Sequence[Relation], reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield the questions of a chain of relations about a quoted question's answer; none where that is no good English.

    ``relations`` are those of the chain, the first innermost; each question comes with the name of its pattern.
    """
    if not is_well_formed(reading):
        return
    *before, last = relations
    quoted = sentence(reading.tidied)
    about = "" if points(quoted) else " about this image"
    for inner in nest(before, X.phrases):
        for place, form in enumerate(phrases_for(last, inner)):
            if asked := question_of(last, fill(form, inner)):
                yield f'if X is the answer to "{quoted}"{about}, {asked}', f"{QUOTED}/phrase {place}"


def is_well_formed(reading: Reading) -> bool:
    """Return whether the question can be quoted, and has room for the noun that it asks for."""
    return reading.quotable and (reading.clause is None or not lacks_preposition(reading.clause))
