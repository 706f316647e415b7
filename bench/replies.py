"""Reads the labelled replies by our rules, and prints by dress how many are read as a person reads them.

    python bench/replies.py [FILE ...] [--misread]

Where VLMEvalKit or lmms-eval can be imported, what their own rules read of the replies stands beside ours.
"""

import importlib.util
import json
import sys
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

from kbe_graph.evaluate.reply_reading import WITHOUT_ANSWER, read_reply
from kbe_graph.text import fold

LABELLED = Path(__file__).parent.parent / "tests" / "evaluate"


class LabelledReply(NamedTuple):
    """A reply, the options it was to choose from, and what a person reads: an answer, or why there is none."""

    dress: str
    reply: str
    options: tuple[str, ...]
    label: str
    question: str = ""

    def outcome(self, text: str, rule: str = "") -> str:
        """Return ``right``, ``unread`` or ``wrong``, for a reading of the reply."""
        said = rule if rule in WITHOUT_ANSWER else text
        if self.label in WITHOUT_ANSWER:
            return "right" if said == self.label or (not rule and not text) else "wrong"
        if not text:
            return "unread"
        return "right" if fold(said) == fold(self.label) and _same_marks(said, self.label) else "wrong"


def _same_marks(said: str, label: str) -> bool:
    """Return whether two texts hold the same marks that would stay in an answer."""
    return not any((mark in said) != (mark in label) for mark in "*{}<>\\")


def labelled(file: Path) -> Iterator[LabelledReply]:
    """Give the labelled replies of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield LabelledReply(
            *(row["dress"], row["reply"], tuple(row.get("options", ())), row.get("answer") or row["status"]),
            question=row.get("question", ""),
        )


def ours(reply: LabelledReply) -> str:
    """Return the outcome of our reading."""
    return reply.outcome(*read_reply(reply.reply, reply.options, question=reply.question))


def main(arguments: Sequence[str]) -> None:
    """Print the table, and each reply that is not read as a person reads it with ``--misread``."""
    files = [Path(name) for name in arguments if name != "--misread"] or [LABELLED / "replies.jsonl"]
    replies = [reply for file in files for reply in labelled(file)]
    readers: dict[str, Callable[[LabelledReply], str | None]] = {"ours": ours, **others()}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for reply in replies:
        for name, reader in readers.items():
            for dress in (reply.dress, "all", "all with options" if reply.options else "all without options"):
                counts[dress, name][reader(reply) or "none"] += 1
    for dress in dict.fromkeys([*(reply.dress for reply in replies), "all without options", "all with options", "all"]):
        cells = [_cell(name, counts[dress, name]) for name in readers]
        print(f"{dress:20}", *(cell for cell in cells if cell), sep="  ")
    for reply in replies if "--misread" in arguments else []:
        if (outcome := ours(reply)) != "right":
            print(outcome, reply, read_reply(reply.reply, reply.options, question=reply.question), sep="\n   ")


def _cell(name: str, counts: Counter[str]) -> str:
    asked = counts.total() - counts["none"]
    return f"{name} {counts['right']:3} of {asked:3}, {counts['wrong']} wrong" if asked else ""


def others() -> dict[str, Callable[[LabelledReply], str | None]]:
    """Return the readers of the harnesses that are installed."""
    return {**_vlmevalkit(), **_lmms()}


def _vlmevalkit() -> dict[str, Callable[[LabelledReply], str | None]]:
    if not _bare_packages("vlmeval", "utils", "smp"):
        return {}
    can_infer = importlib.import_module("vlmeval.utils.matching_util").can_infer

    def read(reply: LabelledReply) -> str | None:
        """Return the outcome of ``can_infer``; None without options, where it has no rule."""
        if not reply.options:
            return None
        choices = dict(zip(ascii_uppercase, reply.options, strict=False))
        return reply.outcome(choices.get(can_infer(reply.reply, choices) or "", ""))

    return {"VLMEvalKit": read}


def _lmms() -> dict[str, Callable[[LabelledReply], str | None]]:
    if not _bare_packages("lmms_eval", "tasks", "tasks/_task_utils"):
        return {}
    of_mmmu = importlib.import_module("lmms_eval.tasks._task_utils.mmmu_mcq_utils")
    shared = importlib.import_module("lmms_eval.tasks._task_utils.mcq_extract")

    def as_mmmu(text: str, index: dict[str, str]) -> str:
        """Return the letter that MMMU's reader reads, or draws where it reads none."""
        return str(of_mmmu.parse_mmmu_multi_choice_response(text, list(index), index))

    def as_others(text: str, index: dict[str, str]) -> str:
        """Return the letter that the reader of newer tasks reads."""
        return str(shared.extract_mcq_answer(text, list(index)))

    return {"lmms-eval (mmmu)": _reader(as_mmmu), "lmms-eval (shared)": _reader(as_others)}


def _reader(letter_of: Callable[[str, dict[str, str]], str]) -> Callable[[LabelledReply], str | None]:
    def read(reply: LabelledReply) -> str | None:
        """Return the outcome of a reader of letters, which is given what follows the thoughts; None without options."""
        index = dict(zip(ascii_uppercase, reply.options, strict=False))
        said = reply.reply.rpartition("</think>")[2]
        return reply.outcome(index.get(letter_of(said, index), "")) if index else None

    return read


def _bare_packages(top: str, *inner: str) -> bool:
    """Make packages whose own ``__init__`` loads every benchmark importable without it; False where not installed."""
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return False
    place = Path(spec.submodule_search_locations[0])
    for name in ("", *inner):
        package = types.ModuleType(f"{top}.{name.replace('/', '.')}".strip("."))
        package.__path__ = [str(place / name)]
        sys.modules[package.__name__] = package
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
