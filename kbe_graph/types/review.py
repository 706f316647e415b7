"""People's decisions on questions: approved, rejected or revised, with what they said of it."""

from dataclasses import dataclass
from typing import Literal

ReviewVerdict = Literal["approve", "reject", "revise", "undo"]
Opinion = Literal["yes", "no", "unsure"]
OptionFlag = Literal["also right", "implausible"]
CRITERIA = ("factual", "consistent", "knowledge", "path", "one", "image", "worth")
"""What is asked of each question. WikiVQABench asks whether it is factual, whether picture and text agree, and whether
it needs knowledge; beside these, whether each step of the path is right, whether it has one right answer, whether the
image is needed, and whether it is worth asking."""


@dataclass(frozen=True, slots=True)
class Review:
    """A decision of a reviewer on a question; none is ever changed, a later one of the same reviewer counts instead.

    ``id`` is the question's id, a bar, the reviewer, a bar, and the number of the decision of the two, from 0.
    ``version`` is the hash of what was looked at: text, answer, aliases, options and key. ``time`` is that of the
    decision (ISO 8601, UTC), ``seconds`` how long the reviewer took. ``undo`` takes the decision before it back.
    ``criteria`` are the opinions by name (``CRITERIA``), ``options`` the flags of wrong options, ``pick`` the answer
    that the reviewer gave before the key was shown. ``wrong_facts`` are the ids of triplets that are said to be wrong.
    ``before`` and ``after`` are the question's fields as JSON, the second of what was revised alone.
    """

    id: str
    question: str
    version: str
    reviewer: str
    time: str
    seconds: float
    verdict: ReviewVerdict
    criteria: tuple[tuple[str, Opinion], ...] = ()
    reason: str = ""
    options: tuple[tuple[str, OptionFlag], ...] = ()
    pick: str = ""
    wrong_facts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
