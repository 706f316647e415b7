"""Rule-based paraphrases (``kbe_graph.forms.paraphrase``) as an operation."""

import re
from typing import TYPE_CHECKING

from kbe_graph.forms.paraphrase import paraphrase, why_no_paraphrase
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.text_check import guarded, text_fault

if TYPE_CHECKING:
    import numpy as np

DRAWS = 4
"""Maximum paraphrases drawn for a question."""

_HEDGE = re.compile(r"\b(?:likely|probably|possibly|maybe|perhaps)\b", re.IGNORECASE)
_KIND = re.compile(r"\b(?:type|kind|sort|style)s?\b", re.IGNORECASE)
_LAST_LINK = re.compile(r"\b(from|in|on|for|with|of|at|by|to)\?$", re.IGNORECASE)
# Signs that the rules misread a clause: an article without its noun, an event treated as a thing, two
# participles in a row, a picture in the middle of a clause.
_POOR = re.compile(
    r"\bthe (?:in|on|at|of|is|are|was|were)\b|\bthing that (?:\w+ ){0,2}happen|\bplace where .* (?:is|are)\?$"
    r"|\b(?:being \w+|\w+ing) seen in this\b|\bin this picture (?:is|are) (?:for|in|on|of|to|from|with)\?$",
    re.IGNORECASE,
)
# Unidiomatic for abstract or multiple answers: what is the thing that can be found in this place?
_THING = re.compile(r"\bthe (?:thing|object) that\b", re.IGNORECASE)


class ParaphraseByRule:
    """The same question in another order or structure."""

    name = "paraphrase"
    says = "the same question in another order or structure, by rule (MDK12, VLB)"
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:
        """Return no reason; only rewriting shows whether a rule applies."""
        del original
        return ""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Draw one of the rule-based paraphrases of a text; raises NotEligible if there is none."""
        names = tuple(guarded(original))
        reason = ""
        for seed in map(str, rng.integers(1 << 32, size=DRAWS)):
            again = paraphrase(text, names, seed=seed)
            reason = (poor(again.text, text) or text_fault(again.text, original)) if again else "no paraphrase"
            if again and not reason:
                return Rewritten(again.text, {"operation": self.name, "rule": again.rule})
        raise NotEligible(why_no_paraphrase(text, names) or reason)


def poor(text: str, before: str) -> str:
    """Return the counted reason to discard a paraphrase, empty if it is good.

    >>> poor("What is this used for?", "What is this probably used for?")
    'another hedge'
    """
    if bool(_HEDGE.search(text)) != bool(_HEDGE.search(before)):
        return "another hedge"
    if bool(_KIND.search(text)) != bool(_KIND.search(before)):
        return "another kind"
    if (link := _LAST_LINK.search(before)) and not re.search(rf"\b{link[1]}\b", text, re.IGNORECASE):
        return "a link lost"
    if _THING.search(text) and not _THING.search(before):
        return "a thing that is none"
    return "a clause read wrongly" if _POOR.search(text) or text.count("'") > before.count("'") else ""
