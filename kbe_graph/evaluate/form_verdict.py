"""Whether an answer to a question in another form than open is right: held against the form's own gold answer."""

import re
from string import ascii_uppercase

from kbe_graph.scoring.ground_truth import GroundTruth
from kbe_graph.scoring.score_rules import SCORE_RULES
from kbe_graph.text import fold
from kbe_graph.types import QuestionForm
from kbe_graph.variants.options import INSTRUCTION, choice_prompt, read_choice

ALL_RIGHT = "Answer with the letters of all right options, separated by commas."
TRUTHS = ("True", "False")  # as options A and B, where a harness asks with such
_SAYS = re.compile(r"^(?:(?:the )?(?:right |correct |final )?(?:answer|options?)s?(?: is| are)?:?)", re.IGNORECASE)
_LETTERS = re.compile(r"\W*[A-Z](?:(?:\W|\band\b)+[A-Z]\b)*\W*")
_TRUTH = re.compile(r"\W*(true|false)\b", re.IGNORECASE)


def form_prompt(form: QuestionForm) -> str:
    """Return how a question is asked in a form: its text, and its options where it has any."""
    if not form.options:
        return form.text
    prompt = choice_prompt(form.text, form.options)
    return prompt if form.form == "choice" else f"{prompt.removesuffix(INSTRUCTION)}{ALL_RIGHT}"


def is_right(form: QuestionForm, reply: str, rule: str) -> bool:
    """Return whether a reply is right: the one option, all right options and no other, the truth, or what fills a gap.

    What fills a gap is held by the score ``rule`` against the gold answer and its other names; options are named by
    their letters or their words.
    """
    last = reply.strip().rpartition("\n")[2].strip()
    if form.form == "several":
        return _chosen(form, last) == set(form.answers)
    if form.form == "choice":
        return read_choice(last, form.options) == form.answers[0]
    if form.form == "true-false":
        match = _TRUTH.match(last)
        truth = match[1] if match else read_choice(last, TRUTHS)
        return fold(truth or "") == fold(form.answers[0])
    return bool(SCORE_RULES.require(rule).score(reply, GroundTruth(form.answers[0], form.answers[1:])))


def _chosen(form: QuestionForm, reply: str) -> set[str]:
    """Return the options that a reply names, by their letters or by their words; none where it is unclear."""
    naming = _SAYS.sub("", reply).strip()
    if _LETTERS.fullmatch(naming):
        places = [ascii_uppercase.index(letter) for letter in re.findall(r"\b[A-Z]\b", naming)]
        return {form.options[place] for place in places} if max(places) < len(form.options) else set()
    names = {fold(option): option for option in form.options}
    parts = [fold(part) for part in re.split(r"[;,]| and (?=[^,;]*$)", naming) if fold(part)]
    return {names[part] for part in parts} if all(part in names for part in parts) else set()
