"""A wording of a question, and what no wording may have."""

import re
from typing import NamedTuple

from kbe_graph.lexicon.inflect import is_plural, singular
from kbe_graph.lexicon.words import words

# What slips of the rules and of raw questions look like.
_BAD = re.compile(
    r"\b(\w+) \1\b(?<!had had)"
    r"|\b(\w{3,}) (?:\w+ )?of (?:the|this|these) \2s?\b|\b(?:to|in|at|on|from) which\b.* (?:to|in|at|from|of)(?= in this\b|\?)"
    r"|(?<!is )(?<!are )\b(?:holding|wearing|carrying|using|eating|riding|drinking|watching) (?:in|shown)\b|\bhand holding\b"
    r"|\bthat (?:is|are) (?:that|this|these|those|the)\b|\b(?:is|are) of\b|\bwhat (?!is\b|are\b|do\b).*\bwhat\b"
    r"|\bis shown (?!in|here|on|at|with|by|above|below|to\b)\w|\bcalled as\b|\bwhose trade is\b|\bhas a \w+ly \w+(?=\?| in)|\bwas in this\b|\bbeing [^?]*invented\b|\bthe other items\b|\bgood (?:is|are) for\b|\bit belongs\b|\b(?:is|are) \w+ed with [^?]* made\b|\bthis advertising is\b|\bthe one of\b|\bthat (?:is|are) there\b|\bwhich that\b|\bof an? (?:[\w-]+ ){1,2}(?:shown )?in this image\b|\bone (?:(?:shown )?in this image )?(?:is|are)(?=\?)|\ball together\b|\beither sides\b|\bwhere the [\w ]+ (?:is|are) shown in\b|\b(?:of|from|by|for) the name for\b"
    r"|\b(?:is|was|are|were) being \w+ (?:with |in |on )?(?:here|there) \w+ed\b|\bkind (?:can|do|does|is|are)\b"
    r"|\bthis (?:popular|common|famous|native|found|located|originated) (?:is|are)\b"
    r"|\bwhere\b.* (?:in|from)(?=\?| in this)|'s (?:in|on|at|shown|that|is)\b|'s\?|(?<!')\b[b-hj-wyz]\b(?!')"
    r"|\b(\w{4,}) (?:of|for|that|is usually used for|(?:does|do)) the (?:\w+ )?\3\b"
    r"|\b(?:a|an|the) (?:a|an|the|this|these|those|his|her|their|my|your|is|are|was|were|of|in|it)\b"
    r"|\b(?:this|these|those|his|her|their) (?:a|an|the|this|these|those|his|her|their)\b"
    r"|\b(?:of|from|for) (?:is|are|was|were|of|does|do)\b"
    r"|\b(?:thing|place|person|time) (?:that|who|where|when) are\b|\b(?:things|people) (?:that|who) is\b"
    r"|\b(?:is|are|was|were) (?:is|are|was|were|do|does|did|can|will)\b|\b(?:do|does|did) (?:is|are|do|does)\b"
    r"|\b(?:the|a|an|and|or) ?\?|\b(?:these|those) (?:kind|type|sort|breed)\b|\bthis (?:kinds|types|sorts|breeds)\b"
    r"|\b(?:what|which) (?:what|which|who|where)\b|\b(?:that|who|which) (?:that|who|which) (?:is|are|was|were|has|have)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"")
LONGEST = 26


class Wording(NamedTuple):
    """The text of a question, and the name of the pattern that made it."""

    text: str
    pattern: str


def flaw(text: str) -> str:
    """Return what is wrong with the form of a question, empty where nothing is: a rule's check, not a grammar.

    What it quotes was judged by itself.
    """
    own = _QUOTED.sub("this", text)
    if match := _BAD.search(own):
        return match[0]
    if wrong := _wrong_number(own):
        return wrong
    if again := _repeated(own):
        return again
    if own.count("?") != 1 or not own.endswith("?"):
        return "question mark"
    return "length" if len(text.split()) > LONGEST else ""


def _wrong_number(text: str) -> str:
    """Return "this glasses" or "these good are", empty where there is no such thing."""
    for match in re.finditer(r"\bthis ([a-z]+) ?(?=\?|in this|is\b|are\b|(?:eat|have|live|like|need|use)\b)", text):
        if is_plural(match[1]) and match[1] != singular(match[1]):
            return match[0]
    for match in re.finditer(r"\bthese ([a-z]+) (?:is|are|was|were)\b", text):
        if not is_plural(match[1]):
            return match[0]
    return ""


def _repeated(text: str) -> str:
    """Return a content word that stands twice, empty where none does."""
    found: set[str] = set()
    for match in re.finditer(r"[a-z]{4,}", text.lower()):
        word = match[0]
        base = word.removesuffix("s")
        if word not in words("stop") and base in found:
            return word
        found.add(base)
    return ""


def sentence(text: str) -> str:
    """Return a question with its capital and its mark."""
    return f"{text[:1].upper()}{text[1:].rstrip(' ?.,')}?"
