"""Time and memory to export questions with images, format by format.

    python bench/export.py [--questions 10000]

Makes a fourth as many samples with an image each (JPEG, 160 x 120 pixels of noise, some 10 kB) and questions of hops 0
to 3, and writes them in each format, in a process of its own. Prints a line a format: seconds, those of the
processor, peak memory, size.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from PIL import Image
from synthetic import drawn

from kbe_graph.export.formats import EXPORTS, RELEASE_FORMATS
from kbe_graph.export.selection import Selection
from kbe_graph.files.image import ImageFolders
from kbe_graph.types import question_id

HOPS = 4


def make_images(folder: Path, count: int) -> None:
    draw = random.Random(0)
    for number in range(count):
        Image.frombytes("RGB", (160, 120), draw.randbytes(160 * 120 * 3)).save(folder / f"{number}.jpg", quality=50)


def selection(folder: Path, count: int) -> Selection:
    rows = list(drawn(count // HOPS))
    questions = [
        replace(row.raw, id=question_id(row.sample.id, "bench", hop), run="bench", hop=hop, kind="explored")
        if hop
        else row.raw
        for hop in range(HOPS)
        for row in rows
    ]
    return Selection(questions, {row.sample.id: row.sample for row in rows}, folders=ImageFolders((folder,)))


def measure(name: str, images: Path, count: int) -> None:
    questions = selection(images, count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        start, busy = time.perf_counter(), time.process_time()
        EXPORTS.require(name).write(Path(folder) / "out", questions)
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = (seconds, busy, peak / 1024, (peak - before) / 1024, size / 1e6)
    print(f"| {name} | {' | '.join(f'{figure:.0f}' for figure in figures)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--format", help=argparse.SUPPRESS)
    parser.add_argument("--images", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.format:
        measure(arguments.format, arguments.images, arguments.questions)
        return
    columns = ("format", "seconds", "CPU seconds", "peak MB", "of these for the export", "MB written")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        make_images(Path(name), arguments.questions // HOPS)
        for release_format in RELEASE_FORMATS:
            command = [sys.executable, __file__, "--questions", str(arguments.questions), "--images", name]
            subprocess.run([*command, "--format", release_format.name], check=True)


if __name__ == "__main__":
    main()
