"""Score rules by name: exact and normalised matches, VQA accuracy and its variants.

VQA accuracy leaves out each annotator in turn: an answer given by at least three of the other nine scores 1, otherwise
a third per annotator; the ten scores are averaged.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.english.names import name_key, same_answer
from kbe_graph.plugins import Registry
from kbe_graph.scoring.reply_reading import without_explanation
from kbe_graph.text import fold, number_in
from kbe_graph.types import WITH_OPTIONS, Question, Sample, Variant

_LEAD = re.compile(
    r"(?i)(?:i (?:think|believe|guess) )?"
    r"(?:(?:it|this|that|he|she|they|these|those|there)(?:['’](?:s|re)| is| are| was| were) )?(?:(?:in|on|at) )?"
)
_TWO_NAMES = re.compile(r"([^()]+?)\s*\(([^()]+)\)\.?")
_WITHIN = 20  # a twentieth of the answer, 5 %
_PEOPLE = 10  # annotators per question in OK-VQA and A-OKVQA


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The right answer of a question, as seen by score rules.

    ``aliases`` are its other right names. ``answers`` are the annotators' answers to a benchmark question, usually ten,
    empty for an evolved question. ``choices`` are the options of a multiple-choice question, and ``choice`` the right
    one, empty if equal to ``answer``.
    """

    answer: str
    aliases: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    choice: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The answer and its aliases, the answer first."""
        return (self.answer, *self.aliases)

    @property
    def answer_lists(self) -> tuple[tuple[str, ...], ...]:
        """The annotators' answers; without any, ten copies of the answer, and ten of each alias."""
        return (self.answers,) if self.answers else tuple((name,) * _PEOPLE for name in self.names)


def ground_truth(question: Question, sample: Sample, variant: Variant = "image") -> GroundTruth:
    """Return the right answers to a sample's question, asked in a ``variant``.

    Only the benchmark's own question has annotators' answers, if more than one, and choices. If it is asked with these,
    its answer is the right choice.
    """
    if question.kind != "raw":
        return GroundTruth(question.answer, question.aliases)
    choice = sample.choice_of(question.answer)
    choice = "" if choice == question.answer else choice
    if variant in WITH_OPTIONS and choice:
        return ground_truth(replace(question, answer=choice, aliases=()), sample.with_choice)
    answers = sample.answers if len(sample.answers) > 1 else ()
    names = accepted_names(question, sample)
    return GroundTruth(question.answer, names, answers, choices=sample.choices, choice=choice)


def accepted_names(question: Question, sample: Sample) -> tuple[str, ...]:
    """Return the other right answers: the aliases and, for a raw question, those that the benchmark accepts."""
    return tuple(dict.fromkeys((*question.aliases, *(sample.agreed if question.kind == "raw" else ()))))


def exact_match(text: str, ground_truth: GroundTruth) -> float:
    """Return 1 if the text equals the answer character by character (KBE, Table 4), otherwise 0."""
    return float(text == ground_truth.answer)


def normalised_match(text: str, ground_truth: GroundTruth) -> float:
    """Return 1 for the answer, ignoring case, accents, leading article, punctuation and spaces, otherwise 0.

    Two numbers are compared as numbers. A minus before a number, a sign of comparison and the sharp of ``C#`` count.

    >>> from kbe_graph.scoring.score_rules import GroundTruth
    >>> [normalised_match(text, GroundTruth("12345")) for text in ("12,345", "= 12345.0", "-12345")]
    [1.0, 1.0, 0.0]
    """
    return float(same_answer(text, ground_truth.answer, fold))


def alias_match(text: str, ground_truth: GroundTruth) -> float:
    """Return 1 if the text equals the answer or an alias, with plurals and number words normalised, otherwise 0.

    "It is", "I think" or "in" before the answer do not count, nor does another right name in brackets or an
    explanation behind it.

    >>> from kbe_graph.scoring.score_rules import GroundTruth
    >>> [alias_match(text, GroundTruth("2 giraffe")) for text in ("The two giraffes", "I think it's 2 giraffes.")]
    [1.0, 1.0]
    >>> [alias_match(text, GroundTruth("2002")) for text in ("In 2002", "Not in 2002", "It was 2002 or 2003")]
    [1.0, 0.0, 0.0]
    """
    bare = _LEAD.sub("", text.strip(), count=1)
    pair = _TWO_NAMES.fullmatch(bare)
    readings = dict.fromkeys(((text,), (bare,), (without_explanation(bare),), *((pair.groups(),) if pair else ())))
    return float(any(all(_is_name(each, ground_truth) for each in reading) for reading in readings))


def _is_name(text: str, ground_truth: GroundTruth) -> bool:
    return any(same_answer(text, name) for name in ground_truth.names)


def relaxed_match(text: str, ground_truth: GroundTruth) -> float:
    """Return 1 as ``alias_match``, and for a number at most 5 % away from that of the answer, as ChartQA does.

    >>> from kbe_graph.scoring.score_rules import GroundTruth
    >>> [relaxed_match(text, GroundTruth("200")) for text in ("190", "211", "two hundred")]
    [1.0, 0.0, 0.0]
    """
    number, gold = number_in(without_explanation(text)), number_in(ground_truth.answer)
    if number is not None and gold is not None and _WITHIN * abs(number - gold) <= abs(gold):
        return 1.0
    return alias_match(text, ground_truth)


def mention(text: str, ground_truth: GroundTruth) -> float:
    """Return 1 as ``alias_match``, and if the answer or an alias occurs in the text as words, ignoring plurals.

    This is an upper bound: a text that names several things is right by any of them.

    >>> from kbe_graph.scoring.score_rules import GroundTruth
    >>> mention("The people are riding on horses.", GroundTruth("horse"))
    1.0
    """
    words = f" {_word_keys(text)} "
    return float(any(f" {_word_keys(name)} " in words for name in ground_truth.names)) or alias_match(
        text, ground_truth
    )


_MINUS = re.compile(r"(?<!\w)[-−]\s*(?=\.?\d)")


def _word_keys(text: str) -> str:
    return " ".join(map(name_key, fold(_MINUS.sub("minus", text)).split()))


_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_GROUPED = re.compile(r"\d,\d")
_STOP = re.compile(r"\.(?!\d)")
_MOST_STOPS = 32  # the official evaluator passes a flag of value 32 as the count
_ARTICLES = {"a", "an", "the"}
_VQA_NUMBERS = "zero one two three four five six seven eight nine ten"
_VQA_DIGITS = {word: str(number) for number, word in enumerate(_VQA_NUMBERS.split())} | {"none": "0"}
_CONTRACTIONS = """
    ain't aren't can't could've couldn't didn't doesn't don't hadn't hasn't haven't he'd he's how'd how'll how's isn't
    it'd it'll ma'am mightn't might've mustn't must've needn't not've o'clock oughtn't shan't should've shouldn't
    somebody'll somebody's someone'd someone'll someone's something'd something'll that's there'd there're there's
    they'd they'll they're they've 'twas wasn't we've weren't what'll what're what's what've when's where'd where's
    where've who'd who'll who's who've why'll why're why's won't would've wouldn't y'all you'd you'll you're you've
    couldn't've hadn't've he'd've it'd've mightn't've she'd've shouldn't've somebody'd've someone'd've something'd've
    there'd've they'd've we'd've who'd've wouldn't've y'all'll y'all'd've you'd've 'ow's'at
"""
_KEPT = 1 << 16


def _one_less(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at, letter in enumerate(word) if letter == "'"]


_MENDED = {short: word for word in _CONTRACTIONS.split() for short in _one_less(word)} | {"somebody'd": "somebodyd"}


def plain_line(text: str) -> str:
    """Put a text on one line and strip it, as the official evaluator always does."""
    return text.replace("\n", " ").replace("\t", " ").strip()


@lru_cache(_KEPT)
def official_words(text: str) -> str:
    """Normalise an answer like the official evaluator and VLMEvalKit.

    >>> official_words("The two T-shirts.")
    '2 t shirts'
    """
    words = [_VQA_DIGITS.get(word, word) for word in _without_marks(plain_line(text)).lower().split()]
    return " ".join(_MENDED.get(word, word) for word in words if word not in _ARTICLES)


def _without_marks(text: str) -> str:
    grouped = _GROUPED.search(text)
    line = text
    for mark in _MARKS:
        beside_space = f"{mark} " in text or f" {mark}" in text
        line = line.replace(mark, "" if grouped or beside_space else " ")
    return _STOP.sub("", line, count=_MOST_STOPS)


@lru_cache(_KEPT)
def lmms_words(text: str) -> str:
    """Normalise an answer like lmms-eval: like the official evaluator, but without commas and with "'s" split off.

    >>> lmms_words("A dog's bowl")
    "dog 's bowl"
    """
    return official_words(text.lower().replace(",", "").replace("?", "").replace("'s", " 's"))


_ENOUGH = 3


def vqa_accuracy(text: str, ground_truth: GroundTruth) -> float:
    """Compute VQA accuracy as the official evaluator does, quirks included; all annotators count as distinct.

    Answers are normalised only if the annotators disagree.
    """
    scores = []
    for answers in ground_truth.answer_lists:
        lines = [plain_line(answer) for answer in answers]
        words = official_words if len(set(lines)) > 1 else plain_line
        scores.append(_leave_one_out(words(text), list(map(words, lines))))
    return max(scores)


def vqa_lmms(text: str, ground_truth: GroundTruth) -> float:
    """Compute VQA accuracy as in lmms-eval's task ``ok_vqa``: always normalised, with its own normalisation."""
    return _normalised(text, ground_truth, lmms_words)


def vqa_vlmevalkit(text: str, ground_truth: GroundTruth) -> float:
    """Compute VQA accuracy as in VLMEvalKit's ``ImageVQADataset``: always normalised."""
    return _normalised(text, ground_truth, official_words)


def _normalised(text: str, ground_truth: GroundTruth, words: Callable[[str], str]) -> float:
    given = words(text)
    return max(_leave_one_out(given, list(map(words, answers))) for answers in ground_truth.answer_lists)


def _leave_one_out(given: str, answers: Sequence[str]) -> float:
    same = answers.count(given)
    shares = [min(1.0, (same - (answer == given)) / _ENOUGH) for answer in answers]
    return sum(shares) / len(shares)


def aokvqa_direct(text: str, ground_truth: GroundTruth) -> float:
    """Compute A-OKVQA's direct-answer score: a third per annotator with exactly this answer, at most 1."""
    return max(min(1.0, answers.count(text) / _ENOUGH) for answers in ground_truth.answer_lists)


def aokvqa_choice(text: str, ground_truth: GroundTruth) -> float | None:
    """Compute A-OKVQA's multiple-choice score: 1 for exactly the right choice, else 0; None without choices."""
    return float(text == (ground_truth.choice or ground_truth.answer)) if ground_truth.choices else None


class ScoreRule(NamedTuple):
    """A rule that scores an answer from 0 to 1, with its description.

    The score is None if the rule does not apply to the question.
    """

    says: str
    score: Callable[[str, GroundTruth], float | None]


SCORE_RULES: Registry[ScoreRule] = Registry(
    "score rule",
    "kbe_graph.score_rules",
    {
        "exact": ScoreRule("the answer, character by character", exact_match),
        "normalised": ScoreRule(
            "the answer, ignoring case, accents, a leading article and punctuation", normalised_match
        ),
        "alias": ScoreRule(
            "the answer or an alias, normalised; singular equals plural, and digits equal number words", alias_match
        ),
        "relaxed": ScoreRule("as alias, and numbers within 5 %, as for charts", relaxed_match),
        "mention": ScoreRule("the answer or an alias anywhere in the text, for models that write sentences", mention),
        "vqa": ScoreRule("VQA accuracy of the official evaluator", vqa_accuracy),
        "vqa-lmms": ScoreRule("VQA accuracy of lmms-eval", vqa_lmms),
        "vqa-vlmevalkit": ScoreRule("VQA accuracy of VLMEvalKit", vqa_vlmevalkit),
        "aokvqa-da": ScoreRule("A-OKVQA's score of a direct answer", aokvqa_direct),
        "aokvqa-mc": ScoreRule("A-OKVQA's score of a choice", aokvqa_choice),
    },
)
