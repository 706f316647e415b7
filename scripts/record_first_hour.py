"""Records a new user's first hour at 80 columns, with an older program and with this one: ``docs/first-hour.md``.

    python scripts/record_first_hour.py --before OLD/.venv/bin/kbe --data DATA [--after .venv/bin/kbe]

``DATA`` is the folder that holds ``okvqa/`` and ``coco_captions_tags/`` and the detections. Each command runs with the
older program, then with this one, in a folder of its own, so that both meet the same load. Screens are shortened, and
places of this machine taken away.
"""

import argparse
import gzip
import os
import platform
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from record_terminal import Recording, record

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "first-hour.md"
QUESTIONS = 300
LINES = 30
ANSWERS = """\
question\tanswer
What animal is on the grass?\tgiraffe
What is on the plate?\tpizza
Who made the bus?\tMercedes
"""
SOURCES = "--captions captions.tsv.gz --detections detections.json.gz"


class Step(NamedTuple):
    """A command, after how many seconds Ctrl+C is pressed, and how many lines of its screen are quoted."""

    command: str
    interrupt: float = 0
    lines: int = LINES


STEPS = (
    Step("kbe -w D demo", lines=70),
    Step("kbe -w D status", lines=45),
    Step("kbe -w D stats"),
    Step("kbe -w D show demo/demo/160012-food", lines=45),
    Step("kbe -w D query longest_chains", lines=16),
    Step("kbe facts show giraffe", lines=24),
    Step("kbe facts link --table answers.tsv", lines=24),
    Step("kbe facts check"),
    Step("kbe -w W init"),
    Step("kbe -w W status"),
    Step("kbe -w W load okvqa.jsonl.gz --name okvqa --split val"),
    Step(f"kbe -w W extract {SOURCES}"),
    Step("kbe -w W evolve --hops 3 --seed 0", lines=45),
    Step("kbe -w W export jsonl evolved.jsonl"),
    Step("kbe -w W load okvqa.jsonl.gz --name okvqa --split val"),
    Step(f"kbe -w W extract {SOURCES}"),
    Step("kbe -w W evolve --hops 3 --seed 0", lines=12),
    Step("kbe -w W evolv"),
    Step("kbe -w W show okvqa/val/nosuch"),
    Step("kbe -w W evolve --seed 1 --run other", interrupt=8),
    Step("kbe -w W evolve --seed 1 --run other", lines=12),
)
HEAD = """# The first hour

What a new user sees on a terminal of {columns} columns: the demo, a look at what came of it, and then the first
{questions} questions of OK-VQA, with a few mistakes. **Before** is the commit {commit}; **after** is what is here. A
spinner counts as a first line. `make demo` installs the package before its demo; that is not recorded here.

Each command ran before, then after, on the same machine ({cores} cores, shared with other work, so that seconds differ
from run to run; {system}). `python scripts/record_first_hour.py` made this page, and makes it again.

## Seconds
| | command | first line, before | after | end, before | after |
| --: | --- | --: | --: | --: | --: |
"""


class Side(NamedTuple):
    """A program, and the folder in which it is tried."""

    program: Path
    folder: Path

    def run(self, step: Step, columns: int) -> Recording:
        """Do a step, and return what it showed, the places of this machine left out."""
        path = str(self.program.parent)
        recording = record(step.command, columns, interrupt=step.interrupt, folder=self.folder, path=path)
        return recording._replace(lines=[self._plain(line) for line in recording.lines])

    def _plain(self, line: str) -> str:
        own = str(self.program.parents[2])
        return line.replace(f"{self.folder}/", "").replace(f"{own}/", "").replace(own, ".").rstrip()


def make_folder(place: Path, data: Path) -> Path:
    """Make a folder with the files that the commands name."""
    place.mkdir()
    with gzip.open(data / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
        text = "".join(islice(lines, QUESTIONS))
    (place / "okvqa.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (place / "answers.tsv").write_text(ANSWERS)
    (place / "captions.tsv.gz").symlink_to(data / "coco_captions_tags" / "VinVL_base_val2014.tsv.gz")
    (place / "detections.json.gz").symlink_to(data / "s3vqa_okvqa" / "val_detections.json.gz")
    return place


def short(lines: Sequence[str], most: int) -> Iterator[str]:
    """Give the lines of a screen, without empty ones at its ends; of a long one its beginning and its end."""
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n")).split("\n")
    if len(text) <= most:
        yield from text
        return
    end = min(10, most // 3)
    yield from text[: most - end]
    yield f"[... {len(text) - most} more lines ...]"
    yield from text[-end:]


def page(steps: Sequence[Step], before: Sequence[Recording], after: Sequence[Recording], head: str) -> Iterator[str]:
    """Give the page in its parts."""
    yield head
    for number, (step, old, new) in enumerate(zip(steps, before, after, strict=True), 1):
        keys = " (Ctrl+C)" if step.interrupt else ""
        seconds = (old.first, new.first, old.whole, new.whole)
        yield f"| {number} | `{step.command}`{keys} | {' | '.join(f'{value:.1f}' for value in seconds)} |\n"
    yield "\n## Screens\n"
    for number, (step, old, new) in enumerate(zip(steps, before, after, strict=True), 1):
        keys = f", and Ctrl+C after {step.interrupt:g} seconds" if step.interrupt else ""
        yield f"### {number}. `{step.command}`{keys}\n"
        for name, recording in (("Before", old), ("After", new)):
            ended = f", exit code {recording.code}" if recording.code else ""
            screen = "\n".join(short(recording.lines, step.lines))
            yield f"{name}{ended}:\n\n```text\n{screen}\n```\n\n"


def main() -> None:
    """Record both programs, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, default=ROOT / ".venv" / "bin" / "kbe")
    parser.add_argument("--commit", default="8316601")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        programs = (arguments.before, arguments.after)
        places = (make_folder(Path(name) / own, arguments.data.absolute()) for own in ("before", "after"))
        sides = [Side(program.absolute(), place) for program, place in zip(programs, places, strict=True)]
        recordings: tuple[list[Recording], list[Recording]] = ([], [])
        for step in STEPS:
            for side, record_ in zip(sides, recordings, strict=True):
                record_.append(side.run(step, arguments.columns))
            old, new = (record_[-1] for record_ in recordings)
            print(f"{step.command}: {old.whole:.1f} s before, {new.whole:.1f} s after", flush=True)
        for side in sides:
            for workspace in ("D", "W"):
                record(f"{shlex.quote(str(side.program))} -w {workspace} db stop", 80, folder=side.folder)
    head = HEAD.format(
        columns=arguments.columns,
        questions=QUESTIONS,
        commit=arguments.commit,
        cores=os.cpu_count(),
        system=f"Python {platform.python_version()}",
    )
    arguments.page.write_text("".join(page(STEPS, *recordings, head)), encoding="utf-8")


if __name__ == "__main__":
    main()
