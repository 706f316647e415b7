"""What is asked on from a re-selected question must stay with the raw one: of a thing that it speaks of."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from kbe_graph.checks.beside import speaks_of
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.question import Reading, read
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage, Triplet
from kbe_graph.wording.kind import is_animate

# What is asked of what is seen at this moment, or of where it is, asks nothing of what kind of thing it is.
_AT_THE_MOMENT = re.compile(
    r"\b(?:doing|happening)\b"
    r"|\b(?:is|are|was|were)(?: \w+){0,5} (?!being|during|evening|king|morning|racing|thing)\w{2,}ing\b"
    r"|^why (?:are|aren't|has|have|is|isn't)\b|^how did\b|\b(?:emotion|mood|wrong)\b"
    r"|^where (?:are|is|was|were)\b|\bwhere (?:it|that|the|these|they|this|those)\b"
    r"|\b(?:what|which) (?:city|event|zoo)\b"
    r"|^how (?:\w+ ){1,6}did\b|\bbeing \w+(?:ed|ld)\b"
    r"|\b(?:colou?rs? of|(?:colou?r|name|number|word)s? on) (?:the|these|this)\b|\bsays?\b"
)
# Nor does what is asked of what it wears, holds, is made of, tied to or told, of one among others, or of what is only
# named after it.
_ABOUT_IT = re.compile(
    r"\b(?:around|attached|holding|related|tied)\b|\b(?:collar|command|leash|outfit|rope|shirt)s?\b"
    r"|^(?!how many\b).*\b(?:in|on|over)(?: \w+){1,3} (?:back|ears?|face|head|horns?|legs?|mouth|neck|tail)\b"
    r"|\btell (?:a|her|his|the|their)\b|\b(?:bigger|competition|derby|drawn|larger|smaller|track)\b"
    r"|\b(?:it|that|these|they|this|those) made\b"
)
# What is asked of all of a kind is not of the moment, though it is said in such words.
_OF_THE_KIND = re.compile(
    r"\b(?:associated|breeds?|considered|kept|kinds?|known|model|native|sorts?|species|types?|used|usually)\b"
)


class OffTopic:
    """Refuses to go on from a re-selected question whose key holds nothing that the raw question asks about."""

    name = "off the topic"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "what goes on from a re-selected question must be about a thing, or a kind of it, that the raw one names, or "
        "means by a pronoun alone; what an animal or a person does something with is another thing than he; and the "
        "raw one must not ask what a thing does or how it is at the moment, what it wears or is tied to, where it is, "
        "or yes or no"
    )
    columns: Columns = ()
    refused = Row("What is this water doing?", "penguin", "penguin", "taxonomic family", "Spheniscidae")
    passed = Row("How long do these animals sleep?", "cat", "cat", "young", "kitten")

    def decide(self, candidate: Candidate) -> Decision:
        """Look for the things of the re-selected key, and their kinds, in the words of the benchmark's question."""
        question = candidate.question
        if question.kind != "reselected":
            return KEEP
        reading, root = read(candidate.sample.question), question.root
        if moment := _moment(reading):
            return Decision(keep=False, reason=self.name, detail=moment)
        if speaks_of(reading, root, _things(root)):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=question.answer)


def _moment(reading: Reading) -> str:
    """Return the words by which a question asks of what is seen as it is now, or has on, empty where of its kind."""
    if match := _ABOUT_IT.search(reading.tidied):
        return match[0]
    if _OF_THE_KIND.search(reading.tidied):
        return ""
    if reading.kind == "whether":
        return "whether"
    match = _AT_THE_MOMENT.search(reading.tidied)
    return match[0] if match else ""


def _things(path: Sequence[Triplet]) -> Iterator[Entity]:
    """Give what is asked about: the end of a re-selected path, and what is no person or animal on it.

    What a dog plays with is another thing than the dog.
    """
    *before, last = (triplet.object for triplet in path)
    return chain((thing for thing in before if not is_animate(thing)), (last,))
