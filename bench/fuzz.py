"""Spoiled input files, and what the readers say of them: files of many kinds, changed at random but by a seed.

    python bench/fuzz.py [--files 10000] [--seed 0]

Benchmarks, annotations, predictions, review sheets, settings and backups are cut, doubled, mixed up and filled with
odd values, and read as the commands read them. Each must be read, or refused in one line that names the file (a
KbeError), within ten seconds, and what the reader would write must be whole or not be there. Prints one line of JSON
with the counts by kind;
exit code 1, and the seeds of the files, where one was not.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
from openpyxl import Workbook
from pyarrow.parquet import write_table

from kbe_graph import demo, review_sheet
from kbe_graph.config import read_config
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import KbeError
from kbe_graph.evaluate.prediction_files import read_predictions
from kbe_graph.evaluate.reply_reading import read_reply
from kbe_graph.evolve.offline import filter_settings
from kbe_graph.facts.review import take_verdicts
from kbe_graph.folder import open_folder
from kbe_graph.store.backup import FORMAT
from kbe_graph.store.restore import verify

SECONDS = 10
_PICTURE = base64.b64encode(b"GIF89a" + bytes(60)).decode()
ODD = (
    *(
        b"",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n\n",
        b"\t",
        b",",
        b'"',
        b"'",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
    ),
    *(b"null", b"true", b"NaN", b"-1", b"1e400", b"9" * 400, b"[]", b"{}", b'""', b'{"a": {"b": [1]}}', b"\\ud800"),
    *("\u202e", "\U0001f680", "e\u0301", "\x1b]0;x\x07", "[/red]", "=1+1", "../../etc/passwd", "$(id)"),
)


class Kind(NamedTuple):
    """A kind of file: its name, what a good one holds, and what reads it in a folder of its own."""

    name: str
    good: bytes
    read: Callable[[Path], object]


def kinds(folder: Path) -> list[Kind]:
    """Return the kinds of file, each with a good one."""
    sheet = folder / "good.tsv"
    review_sheet(sheet)
    lines = sheet.read_bytes().splitlines(keepends=True)[:8]
    rows = demo().samples.read_bytes().splitlines(keepends=True)[:6]
    table = b"id,image,question,answer\n" + b"".join(b"%d,%d.jpg,What is this?,dog\n" % (at, at) for at in range(5))
    graphs = dict(list(json.loads(demo().scene_graphs.read_text(encoding="utf-8")).items())[:2])
    return [
        Kind("samples.jsonl", b"".join(rows), _benchmark),
        Kind("samples.jsonl.gz", gzip.compress(b"".join(rows), mtime=0), _benchmark),
        Kind("samples.csv", table, _benchmark),
        Kind("samples.tsv", table.replace(b",", b"\t"), _benchmark),
        Kind(
            "captions.tsv", b'7\t[{"caption": "a dog on a sofa"}]\n8\t[{"caption": "a cat"}]\n', _annotation("captions")
        ),
        Kind("captions.json", b'{"annotations": [{"image_id": 7, "caption": "a dog"}]}', _annotation("captions")),
        Kind("scene_graphs.json", json.dumps(graphs).encode(), _annotation("scene_graphs")),
        Kind(
            "detections.json",
            b'{"7": {"detections": ["dog", "sofa"]}, "8": {"detections": ["cat"]}}',
            _annotation("detections"),
        ),
        Kind("options.jsonl", _options(), _benchmark),
        Kind("options.tsv", _vlmevalkit(), _benchmark),
        Kind("options.parquet", _options_parquet(), _benchmark),
        Kind("shard-00001.jsonl", _options(), _shards),
        Kind("replies.jsonl", _replies(), _read_replies),
        Kind("predictions.xlsx", _workbook(), _predictions),
        Kind("predictions.parquet", _parquet(), _predictions),
        Kind("predictions.eval", _log(), _predictions),
        Kind("sheet.tsv", b"".join(lines), _sheet),
        Kind("kbe.toml", b'[evolve]\nhops = 2\nseed = 1\n[filters]\nchain_share = 0.1\n[graph]\nuri = ""\n', _settings),
        Kind("graph.kbe", _backup(), verify),
    ]


def _benchmark(file: Path) -> object:
    return read_benchmark(file, benchmark="b", split="s", images=file.parent, save_images=file.parent / "own")


def _options() -> bytes:
    rows = [
        {"question": "Which is red?", "choices": ["sky", "blood"], "answer": 1, "image": _PICTURE},
        {"question": "Which?", "options": "['a', 'b']", "answer": "B", "image": [_PICTURE, "2.jpg"], "hint": ""},
        {"id": "3", "question": "Which? A: dog, B: cat", "answer": "A", "image_url": "https://x.invalid/3.jpg"},
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _vlmevalkit() -> bytes:
    rows = (
        ("index", "question", "A", "B", "answer", "image"),
        ("1", "Which?", "dog", "cat", "A", _PICTURE),
        ("1000001", "Which?", "cat", "dog", "B", "1"),
        ("2", "Which two?", "dog", "cat", "B", f"['{_PICTURE}', '{_PICTURE}']"),
    )
    return b"".join("\t".join(row).encode() + b"\n" for row in rows)


def _options_parquet() -> bytes:
    content, image = io.BytesIO(), {"bytes": base64.b64decode(_PICTURE), "path": "1.gif"}
    columns = {"image_1": [image] * 3, "image_2": [None, image, None], "answer": ["A", "B", "A"]}
    write_table(
        pa.table({"id": ["1", "2", "3"], "question": ["Which?"] * 3, "options": ["['a', 'b']"] * 3, **columns}), content
    )
    return content.getvalue()


def _shards(file: Path) -> object:
    folder = file.parent / "set"
    folder.mkdir()
    (folder / "shard-00000.jsonl").write_bytes(_options().replace(b'"id": "3"', b'"id": "9"'))
    (folder / file.name).write_bytes(file.read_bytes())
    return read_benchmark(folder, benchmark="b", save_images=file.parent / "own")


def _replies() -> bytes:
    said = ("<think>A? No.</think> The man is riding a horse.", "\\boxed{B}", '{"answer": "B"}', "B. Wait, no, A.")
    return b"".join(json.dumps({"id": str(at), "answer": text}).encode() + b"\n" for at, text in enumerate(said))


def _read_replies(file: Path) -> object:
    replies = [prediction.text for prediction in read_predictions(file, model="m").predictions]
    ways: tuple[dict[str, tuple[str, ...]], ...] = ({}, {"options": ("a horse", "a bike")})
    return [read_reply(reply, **way) for reply in replies for way in ways]


def _annotation(name: str) -> Callable[[Path], object]:
    return lambda file: read_annotations(**{name: [file]})


def _predictions(file: Path) -> object:
    return read_predictions(file, model="m")


def _workbook() -> bytes:
    book, content = Workbook(), io.BytesIO()
    for row in (("index", "A", "B", "prediction"), (1, "dog", "cat", "A"), (2, "dog", "cat", "a cat")):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def _parquet() -> bytes:
    content = io.BytesIO()
    numbers = [str(number) for number in range(50)]
    write_table(pa.table({"id": numbers, "answer": ["dog"] * 50, "seen": [numbers[:2]] * 50}), content)
    return content.getvalue()


def _log() -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        for number in range(3):
            archive.writestr(
                f"samples/{number}.json", json.dumps({"id": number, "epoch": 1, "output": {"completion": "a dog"}})
            )
    return content.getvalue()


def _sheet(file: Path) -> object:
    kept = file.parent / "review.tsv"
    try:
        return take_verdicts(file, kept)
    except KbeError:
        assert not kept.exists(), "a refused sheet left verdicts"  # noqa: S101
        raise


def _settings(file: Path) -> object:
    (file.parent / ".kbe").mkdir()
    read_config(file.parent)
    return filter_settings(open_folder(file.parent))


def _backup() -> bytes:
    rows = [
        {"node": {"label": "Sample", "properties": {"id": "b/s/1", "question": "Q?", "answers": ["a", "b"]}}},
        {"node": {"label": "Entity", "properties": {"id": "b/s/1|dog", "name": "DOG", "noun": True}}},
        {"edge": {"type": "ROOT", "subject": "b/s/1", "object": "b/s/1|dog", "properties": {"id": "r"}}},
    ]
    lines = [(json.dumps(row) + "\n").encode() for row in rows]
    end = {"nodes": 2, "edges": 1, "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    return gzip.compress(
        b"".join(
            [json.dumps({"format": FORMAT, "schema": 2}).encode() + b"\n", *lines, json.dumps(end).encode() + b"\n"]
        )
    )


def spoiled(good: bytes, draw: random.Random) -> bytes:
    """Return a file that differs from a good one in one to four places."""
    packed = good[:2] == b"\x1f\x8b"
    if packed and draw.random() < 0.6:
        inner = spoiled(gzip.decompress(good), draw)
        return gzip.compress(_signed(inner) if FORMAT.encode() in inner and draw.random() < 0.8 else inner)
    for _ in range(draw.randint(1, 4)):
        good = draw.choice(CHANGES)(good, draw)
    return good


def _signed(inner: bytes) -> bytes:
    """Return the lines of a backup with the checksum that they have now, so that more than that is looked at."""
    *lines, _ = inner.splitlines(keepends=True) or [b""]
    counts = Counter(next(iter(row), "") for line in lines[1:] if isinstance(row := _parsed(line), dict))
    end = {"nodes": counts["node"], "edges": counts["edge"], "sha256": hashlib.sha256(b"".join(lines[1:])).hexdigest()}
    return b"".join([*lines, json.dumps(end).encode() + b"\n"])


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _odd(draw: random.Random) -> bytes:
    odd = draw.choice(ODD)
    return odd.encode() if isinstance(odd, str) else odd


def _cut(good: bytes, draw: random.Random) -> bytes:
    return good[: draw.randint(0, len(good))]


def _put(good: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(good))
    return good[:at] + _odd(draw) + good[at:]


def _take(good: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(good))
    return good[:at] + good[at + draw.choice((1, 2, 5, 20)) :]


def _flip(good: bytes, draw: random.Random) -> bytes:
    if not good:
        return good
    at = draw.randrange(len(good))
    return good[:at] + bytes([good[at] ^ (1 << draw.randrange(8))]) + good[at + 1 :]


def _mix(good: bytes, draw: random.Random) -> bytes:
    lines = good.splitlines(keepends=True)
    lines.extend(draw.sample(lines, min(len(lines), 2)))
    draw.shuffle(lines)
    return b"".join(lines)


def _value(good: bytes, draw: random.Random) -> bytes:
    """Put another value where one stands: between a colon or a comma and what ends it."""
    places = [at for at, byte in enumerate(good) if byte in b":,=\t"]
    if not places:
        return good
    at = draw.choice(places) + 1
    end = next((place for place in range(at, len(good)) if good[place] in b",}]\n\t"), len(good))
    return good[:at] + _odd(draw) + good[end:]


def _grow(good: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(good))
    return good[:at] + draw.choice((b"x", b"[", b" ", b"9")) * draw.choice((1_000, 100_000)) + good[at:]


CHANGES = (_cut, _put, _put, _take, _flip, _mix, _value, _value, _value, _grow)


class Fault(NamedTuple):
    """A file that a reader stumbled over: its kind, its number, and how."""

    kind: str
    number: int
    said: str


def run(count: int, seed: int) -> tuple[dict[str, Counter[str]], list[Fault]]:
    """Read ``count`` spoiled files; return the outcomes by kind, and the faults."""
    outcomes: dict[str, Counter[str]] = {}
    faults: list[Fault] = []
    with tempfile.TemporaryDirectory() as folder:
        good = kinds(Path(folder))
        for kind in good:
            assert outcome_of(kind, kind.good) == "read", kind.name  # noqa: S101 - else nothing is spoiled
        for number, kind in zip(range(count), _round(good), strict=False):
            outcome = outcome_of(kind, spoiled(kind.good, random.Random(f"{seed} {number}")))
            outcomes.setdefault(kind.name, Counter())[outcome.partition(":")[0]] += 1
            if outcome not in ("read", "refused"):
                faults.append(Fault(kind.name, number, outcome))
    return outcomes, faults


def _round(kinds: list[Kind]) -> Iterator[Kind]:
    while True:
        yield from kinds


def outcome_of(kind: Kind, content: bytes) -> str:
    """Return read, refused, or a fault and which."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / kind.name
        file.write_bytes(content)
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(SECONDS)
        try:
            kind.read(file)
        except KbeError as error:
            return "refused" if "\n" not in str(error).strip() else f"fault: {len(str(error).splitlines())} lines"
        except BaseException as error:  # noqa: BLE001 - each is a fault
            return f"fault: {type(error).__name__}: {str(error)[:120]}"
        finally:
            signal.alarm(0)
        return "read"


def _too_long(*_: object) -> None:
    raise TimeoutError(f"took more than {SECONDS} s")


def main() -> None:
    """Print the outcomes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    outcomes, faults = run(arguments.files, arguments.seed)
    print(json.dumps({"files": arguments.files, "seed": arguments.seed, "outcomes": outcomes, "faults": len(faults)}))
    for fault in faults:
        print(*fault, sep="\t")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
