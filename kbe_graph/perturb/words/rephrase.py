"""The paraphrase of a question by rule (``kbe_graph.forms.paraphrase``) as an operation."""

from typing import TYPE_CHECKING

from kbe_graph.forms.paraphrase import paraphrase, why_no_paraphrase
from kbe_graph.perturb.operation import NotEligible, Original, Rewritten
from kbe_graph.perturb.words.text_check import check_text, guarded

if TYPE_CHECKING:
    import numpy as np


class ParaphraseByRule:
    """Asks the same in another order or with another structure."""

    name = "paraphrase"
    says = "the same question in another order or structure, by rule (MDK12, VLB)"
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:
        """Return nothing: whether a rule fits is seen in the words."""
        del original
        return ""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Draw one of the paraphrases that the rules make of a text; raises NotEligible where they make none."""
        names = tuple(guarded(original))
        again = paraphrase(text, names, seed=str(rng.integers(1 << 32)))
        if again is None:
            raise NotEligible(why_no_paraphrase(text, names))
        rewritten = Rewritten(again.text, {"operation": self.name, "rule": again.rule})
        check_text(rewritten.text, original, [rewritten.step])
        return rewritten
