"""The table of score rules."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evaluate.answer_match import GroundTruth, alias_match, exact_match, mention, normalised_match
from kbe_graph.evaluate.vqa_accuracy import (
    aokvqa_choice,
    aokvqa_direct,
    vqa_accuracy,
    vqa_lmms,
    vqa_stem,
    vqa_vlmevalkit,
)
from kbe_graph.plugins import registry


class ScoreRule(NamedTuple):
    """A rule that scores an answer: what it says in words, and the score of an answer, from 0 to 1.

    The score is None where the rule says nothing of such a question.
    """

    says: str
    score: Callable[[str, GroundTruth], float | None]


SCORE_RULES: Mapping[str, ScoreRule] = {
    "exact": ScoreRule("the answer, letter by letter", exact_match),
    "normalised": ScoreRule("the answer; case, accents, leading article, punctuation do not count", normalised_match),
    "alias": ScoreRule("the answer or an alias, normalised; number and digits do not count", alias_match),
    "mention": ScoreRule(
        "the answer or an alias, wherever it stands in the text: for models that write sentences", mention
    ),
    "vqa": ScoreRule("VQA accuracy of the official evaluator", vqa_accuracy),
    "vqa-lmms": ScoreRule("VQA accuracy of lmms-eval", vqa_lmms),
    "vqa-vlmevalkit": ScoreRule("VQA accuracy of VLMEvalKit", vqa_vlmevalkit),
    "vqa-stem": ScoreRule("VQA accuracy over stems", vqa_stem),
    "aokvqa-da": ScoreRule("A-OKVQA's score of a direct answer", aokvqa_direct),
    "aokvqa-mc": ScoreRule("A-OKVQA's score of a choice", aokvqa_choice),
}
"""Our own rules by name."""


def score_rules() -> Mapping[str, ScoreRule]:
    """Return all rules by name, those of other packages (``kbe_graph.score_rules``) first; raises ConfigError."""
    return registry("kbe_graph.score_rules", SCORE_RULES)


def score_rule(name: str) -> ScoreRule:
    """Return the rule of this name; raises InputError where there is none.

    >>> score_rule("alias").score("Trees", GroundTruth("tree"))
    1.0
    """
    rules = score_rules()
    if name not in rules:
        raise InputError(f"no score rule {name!r}; there are {', '.join(rules)}")
    return rules[name]
