"""The official VQA evaluator, reimplemented step by step from its published rules, to compare scores with.

The rules: https://visualqa.org/evaluation and ``vqaEval.py`` of github.com/GT-Vision-Lab/VQA (Python 2). It is slow and
deliberately independent of ``kbe_graph.scoring.score_rules``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

PUNCTUATION = [";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`", ",", "?", "!"]
NUMBERS = {
    "none": "0",
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
# what stands without an apostrophe, and with it
_APOSTROPHES = """
    aint:ain't arent:aren't cant:can't couldve:could've couldnt:couldn't couldn'tve:couldn't've couldnt've:couldn't've
    didnt:didn't doesnt:doesn't dont:don't hadnt:hadn't hadnt've:hadn't've hadn'tve:hadn't've hasnt:hasn't
    havent:haven't hed:he'd hed've:he'd've he'dve:he'd've hes:he's howd:how'd howll:how'll hows:how's Id've:I'd've
    I'dve:I'd've Im:I'm Ive:I've isnt:isn't itd:it'd itd've:it'd've it'dve:it'd've itll:it'll let's:let's maam:ma'am
    mightnt:mightn't mightnt've:mightn't've mightn'tve:mightn't've mightve:might've mustnt:mustn't mustve:must've
    neednt:needn't notve:not've oclock:o'clock oughtnt:oughtn't ow's'at:'ow's'at 'ows'at:'ow's'at 'ow'sat:'ow's'at
    shant:shan't shed've:she'd've she'dve:she'd've she's:she's shouldve:should've shouldnt:shouldn't
    shouldnt've:shouldn't've shouldn'tve:shouldn't've somebody'd:somebodyd somebodyd've:somebody'd've
    somebody'dve:somebody'd've somebodyll:somebody'll somebodys:somebody's someoned:someone'd someoned've:someone'd've
    someone'dve:someone'd've someonell:someone'll someones:someone's somethingd:something'd
    somethingd've:something'd've something'dve:something'd've somethingll:something'll thats:that's thered:there'd
    thered've:there'd've there'dve:there'd've therere:there're theres:there's theyd:they'd theyd've:they'd've
    they'dve:they'd've theyll:they'll theyre:they're theyve:they've twas:'twas wasnt:wasn't wed've:we'd've
    we'dve:we'd've weve:we've werent:weren't whatll:what'll whatre:what're whats:what's whatve:what've whens:when's
    whered:where'd wheres:where's whereve:where've whod:who'd whod've:who'd've who'dve:who'd've wholl:who'll whos:who's
    whove:who've whyll:why'll whyre:why're whys:why's wont:won't wouldve:would've wouldnt:wouldn't
    wouldnt've:wouldn't've wouldn'tve:wouldn't've yall:y'all yall'll:y'all'll y'allll:y'all'll yall'd've:y'all'd've
    y'alld've:y'all'd've y'all'dve:y'all'd've youd:you'd youd've:you'd've you'dve:you'd've youll:you'll youre:you're
    youve:you've
    """
CONTRACTIONS = dict(pair.split(":") for pair in _APOSTROPHES.split())


def punctuation_step(text: str) -> str:
    """Remove punctuation, or replace it with spaces; then remove full stops that no digit follows."""
    result = text
    for sign in PUNCTUATION:
        attached = sign + " " not in text and " " + sign not in text
        digits_with_comma = re.search(r"(\d)(,)(\d)", text) is not None
        result = result.replace(sign, " " if attached and not digits_with_comma else "")
    return re.compile(r"(?!<=\d)(\.)(?!\d)").sub("", result, int(re.UNICODE))


def word_step(text: str) -> str:
    """Lower the case, write numbers as digits, remove articles, and restore contractions."""
    kept = []
    for word in text.lower().split():
        digits = NUMBERS.get(word, word)
        if digits not in ("a", "an", "the"):
            kept.append(CONTRACTIONS.get(digits, digits))
    return " ".join(kept)


def clean_step(text: str) -> str:
    """Join the text into one line."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def question_accuracy(given: str, people: Sequence[Mapping[str, Any]]) -> float:
    """Compute the accuracy of an answer against people's answers (records with ``answer`` and ``answer_id``)."""
    given = clean_step(given)
    records = [{**person, "answer": clean_step(person["answer"])} for person in people]
    if len({record["answer"] for record in records}) > 1:
        for record in records:
            record["answer"] = word_step(punctuation_step(record["answer"]))
        given = word_step(punctuation_step(given))
    accuracies = []
    for record in records:
        others = [other for other in records if other != record]
        agreeing = [other for other in others if other["answer"] == given]
        accuracies.append(min(1, float(len(agreeing)) / 3))
    return float(sum(accuracies)) / len(accuracies)


def overall(accuracies: Sequence[float]) -> float:
    """Compute the accuracy of all answers in per cent, to two decimals."""
    return round(100 * float(sum(accuracies)) / len(accuracies), 2)
