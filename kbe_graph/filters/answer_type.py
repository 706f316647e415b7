"""Answers that name one product, firm, team or person, or that count, date or agree, lead nowhere that the image shows."""

import re

from kbe_graph.filters.row import ASKED, Row
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

# What may stand between "what", "is the", "name the" and the noun that is asked for.
_GAP = r"(?:(?!(?:is|are|was|were|does|do|did|can|would|could|might|type|kind|sort|of|other)\b)[\w'-]+ ){0,2}"
_ASKING = (
    r"(?:what|which|whose|(?:what's|what is|what are|what was|is|are) (?:the|a)|"
    r"(?:name|guess|tell|tell me|know)(?: the| which| what| a)?)(?: name of (?:the|this|a))?"
)
NOUNS = {
    "brand": r"(?:brands?|make|manufacturers?|models?|logos?|trademarks?)",
    "company": r"(?:compan(?:y|ies)|corporations?|airlines?|firms?|franchises?|sponsors?|publishers?)",
    "team": r"(?:teams?|clubs?|bands?|organi[sz]ations?|leagues?)",
    "time": r"(?:time|year|month|day|date|century|decade|era|hour|age)",
    "number": r"(?:number|percent(?:age)?|temperature|speed|weight|height|length|price|cost|amount|distance|size|angle)",
}
_NOT_ITSELF = r"(?! (?:members?|players?|sports?|activit\w+|zone|equipment|building|located|famous))"
_ASKED = {kind: re.compile(rf"\b{_ASKING} {_GAP}{nouns}\b{_NOT_ITSELF}") for kind, nouns in NOUNS.items()}
_OPENING = {
    "number": re.compile(
        r"\bhow (?:many|much|long|old|tall|far|fast|big|large|heavy|high|deep|often|hot|cold|wide|thick)\b"
    ),
    "time": re.compile(r"^when (?:is|are|was|were|did|do|does|will|would|might|could|should|can)\b"),
    "company": re.compile(
        r"\bwho (?:makes?|made|manufactur\w+|produc\w+|sells?|sponsor\w*|owns?|design\w*|built|builds?)\b"
    ),
    "personal name": re.compile(
        r"\bwho (?:invented|discovered|created|wrote|painted|directed|founded|first|holds|won|famously)\b"
        r"|\bwho (?:is|was|are|were) (?:(?:an?|the|most|also|considered|credited|world) ){0,3}(?:famous|best|top|first|leader|with)\b"
        r"|\b(?:famous|popular|well known) (?:\w+ )?(?:person|player|athlete|actor|singer|character)\b"
        r"|\bname of (?:this|that|the) (?:\w+ )?(?:person|man|woman|player|athlete|character|president|actor)\b"
    ),
}
_NUMBER = re.compile(
    r"^[\d.,:/%$ ]+(?:\s*\w+)?$|^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|hundreds?|thousands?|dozen)\b"
)
_AGREES = {
    *("yes", "no", "maybe", "both", "neither", "none", "nothing", "unknown", "unsure", "always", "never", "sometimes"),
    *("all", "many", "few"),
}


class AnswerType:
    """Refuses to go on from a question that asks for a brand, company, team, personal name, number, time, or yes or no."""

    name = "answer-type"
    stage: Stage = "fact"
    rule = "the question must not ask for a brand, company, team, personal name, number, time, or yes or no"
    columns = ASKED
    example = Row("What brand is the black laptop?", "acer")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the answer, then at how the question asks; those of our own hops ask for a relation's object."""
        question = candidate.question
        kind = refused_type(question.text, question.answer) if question.kind == "raw" else ""
        return Decision(keep=False, reason=self.name, detail=kind) if kind else KEEP


def refused_type(question: str, answer: str) -> str:
    """Return the refused type that a question asks for or an answer has, empty where there is none."""
    text, given = " ".join(question.lower().split()), fold(answer)
    if _NUMBER.match(given):
        return "number"
    if given in _AGREES:
        return "yes or no"
    opening = (kind for kind, pattern in _OPENING.items() if pattern.search(text))
    asked = (kind for kind, pattern in _ASKED.items() if pattern.search(text))
    return next(opening, "") or next(asked, "")
