"""Reviewers' decisions on questions: approved, rejected or revised, with their opinions."""

from dataclasses import dataclass
from typing import Literal

ReviewVerdict = Literal["approve", "reject", "revise", "undo", "rate"]
OPINIONS = ("yes", "no", "unsure")
OPTION_FLAGS = ("also right", "implausible")
CRITERIA = ("factual", "consistent", "knowledge", "path", "one", "image", "worth")
"""The review criteria. From WikiVQABench: the question is factual, consistent with the image, and needs knowledge.
Added here: each step of the path is right, there is one right answer, the image is needed, and the question is worth
asking."""


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer's decision on a question; decisions never change, and a reviewer's last one counts.

    ``id`` is the question's id, the reviewer and the number of that reviewer's decision on it from 0, separated by
    bars. ``version`` is the hash of the reviewed content: text, answer, aliases, options and key. ``time`` is the time
    of the decision (ISO 8601, UTC), and ``seconds`` how long the reviewer took. ``undo`` revokes the previous decision;
    ``rate`` is a rating in a study, whose item is the ``version`` and whose answers are the ``criteria``.
    ``criteria`` are the opinions by name (``CRITERIA``), ``options`` the flags of wrong options, and ``pick`` the
    reviewer's answer before the key was shown. ``wrong_facts`` are the ids of triplets reported as wrong. ``before``
    and ``after`` are the question's fields as JSON, ``after`` only for a revision.
    """

    id: str
    question: str
    version: str
    reviewer: str
    time: str
    seconds: float
    verdict: ReviewVerdict
    criteria: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    options: tuple[tuple[str, str], ...] = ()
    pick: str = ""
    wrong_facts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
