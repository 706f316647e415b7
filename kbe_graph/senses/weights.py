"""What each sign of the right sense is worth."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What a sense of an answer gains or loses by each sign, as the logarithm of odds.

    The values were set by hand on judged answers of OK-VQA; ``scripts/fit_senses.py`` tells how many of them are linked
    rightly, and whether other values do better on answers that they were not chosen by.
    """

    kind: float = 5.0
    """Gained where it is one of the things that the question asks for: an animal."""
    wide_kind: float = 1.0
    """The same where many senses are such a thing: a person, a tool, a structure."""
    file: float = 1.5
    """Gained where the question asks for things of its lexicographer file; twice where a person is asked for."""
    concrete: float = 0.7
    """Gained by what can be seen, where the question says nothing of the kind of thing."""
    thing: float = 2.0
    """Gained by what can be seen, where the question asks for a thing."""
    question_word: float = 0.6
    """Gained for a word of the question that is in its definition, two at most."""
    seen_word: float = 0.3
    """Gained for a word for what is seen that is in its definition, two at most."""
    kind_seen: float = 1.5
    """Gained where a kind of it is seen: a tennis court, for court."""
    pair: float = 3.0
    """Gained where it stands beside the other choice of "X or Y"."""
    rank: float = 0.25
    """Lost for each sense that WordNet puts before it."""
    cosine: float = 9.0
    """Gained by the likeness of its definition to the question, times the cosine, where texts are compared."""
    usual: float = 3.5
    """Gained by the sense that the name has as a rule in pictures."""
    usual_beside: float = 4.5
    """Gained by the sense that the name has beside words that the question or the picture holds."""
    usual_seen: float = 2.0
    """Gained by the usual sense on top, where the answer itself is seen and the question asks for no kind of thing."""
    person: float = 1.0
    """Lost by a person where none is asked for."""
    plant: float = 1.0
    """Lost by a plant where its food may be meant."""
    animal: float = 1.5
    """Lost by an animal where its food is asked for."""
    material: float = 1.5
    """Gained by a material where one is asked for."""
    game: float = 1.5
    """Lost by a term of a game where none is played."""
    unasked: float = 2.0
    """Lost by a sense that the question does not ask for, before it takes of the confidence of the others."""


WEIGHTS = Weights()
