"""A sample of a static benchmark, and what is told how far the work on samples has come."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]  # is told the name of a stage, how much of it is done, and of how much


@dataclass(frozen=True, slots=True)
class Sample:
    """One static sample S0 = {image I0, question Q0, answer A0} (KBE, section 3.1).

    ``id`` is benchmark/split/source id; ``image`` the path or file name as the benchmark gives it; ``image_id`` the key
    that annotations are joined by (a COCO id without leading zeros, a GQA id, else the file name's stem); ``answer``
    the majority of ``answers``.

    >>> kbe.Sample("okvqa/val/1", "okvqa", "val", "What animal is this?", "giraffe", image="1.jpg").answer
    'giraffe'
    """

    id: str
    benchmark: str
    split: str
    question: str
    answer: str
    answers: tuple[str, ...] = ()
    image: str = ""
    image_id: str = ""
    choices: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    fact: tuple[str, str, str] | None = None
