"""Benchmark files as they come on a bad day: each is read as it is meant, or refused by file, place and field."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import KbeError

LINE = {"question_id": 1, "image_id": 297147, "question": "What is it?", "answers": ["dog", "dog", "cat"]}
TABLE = "id,question,answer,image\n1,What is it?,dog,1.jpg\n2,What is this?,cat,2.jpg\n"
PAIR = {"data_subtype": "val2014", "questions": [{"question_id": 1, "image_id": 2, "question": "What is it?"}]}


def lines(**changed: Any) -> str:
    """Three lines, the last of them changed; a field that becomes ... is taken out."""
    last = {**LINE, "question_id": 3, **changed}
    last = {name: value for name, value in last.items() if value is not ...}
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (LINE, {**LINE, "question_id": 2}, last))


def raw(old: str, new: str) -> str:
    """Three lines, with another text where one stands."""
    return lines(question="MARK").replace(old, new)


def vlm(image: str) -> str:
    return f"index\timage\tquestion\tanswer\n1\t{image}\tWhat is it?\tdog\n"


class Refused(NamedTuple):
    """A file that is refused: ``says`` is what the message begins with, after the file's name."""

    case: str
    file: str
    content: str | bytes
    says: str
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


class Read(NamedTuple):
    """A file that is read: ``fields`` are those of its last sample."""

    case: str
    file: str
    content: str | bytes
    fields: dict[str, Any]
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


NINES = "9" * 900
GZIP = gzip.compress(lines().encode(), mtime=0)
AS_TABLE = {"format": "table"}
REFUSED = [
    Refused("a question of marks alone", "a.jsonl", lines(question="\x01\u202e"), " line 3: 'question' contains only"),
    # files that hold nothing, or are broken as a whole
    Refused("empty", "a.jsonl", b"", ": is empty; give a file with rows"),
    Refused("a gzip that is cut", "a.jsonl.gz", GZIP[:-12], ": broken gzip ("),
    Refused("latin-1", "a.jsonl", lines(question="Zoë?").encode("latin-1"), " line 3: not UTF-8 text ("),
    Refused("a photo", "a.jpg", b"\xff\xd8\xff\0", ": is a picture; give its folder, or a table of questions about"),
    Refused(
        "UTF-16", "a.csv", TABLE.encode("utf-16"), ": is neither text in UTF-8 nor Parquet or .xlsx; save it as one"
    ),
    Refused("a tar", "a.tar", b"0.jpg" + bytes(95) + b"0000644\0", ": is neither text in UTF-8 nor Parquet or .xlsx"),
    Refused(
        "splits in one object",
        "a.json",
        '{"val": [{"question": "What?", "answer": "a"}], "test": [{"question": "Who?", "answer": "b"}]}',
        " line 1: 'val', 'test' each list questions; write one of these lists as the file",
    ),
    Refused("an object of no picture", "a.jsonl", lines(image={"x": "1.jpg"}), " line 3: 'image' holds no", AS_TABLE),
    Refused("broken Parquet", "a.parquet", b"PAR1 and no more", ": broken Parquet ("),
    Refused(
        "JSON of something else",
        "a.json",
        '{"a": 1, "b": [2]}',
        ": no known benchmark format: found 'a', 'b'; looked for ",
    ),
    Refused(
        "a table with columns of another language",
        "a.csv",
        "bild,frage,antwort\n1.png,Was ist das?,Hund\n",
        ": which column is which? perhaps `columns` 'question=frage,answer=antwort,image=bild'; no known benchmark",
    ),
    # one line of many
    Refused("a bad line in the middle", "a.jsonl", raw('"MARK"', "oops"), " line 3: not JSON (Expecting value at"),
    Refused("nested too deep", "a.jsonl", raw('"MARK"', "[" * 100_000), " line 3: not JSON that can be read (nested"),
    Refused("a NUL", "a.jsonl", raw("MARK", "\0"), " line 3: not JSON (Invalid control character at column "),
    # fields
    Refused("question: a list", "a.jsonl", lines(question=["a", "b"]), " line 3: 'question' must be text; found ['a'"),
    Refused("question: empty", "a.jsonl", lines(question=""), " line 3: 'question' is empty; found ''"),
    Refused("answers: an object", "a.jsonl", lines(answers={"a": 1}), " line 3: 'answers' must be a list of texts; "),
    Refused(
        "answers that are counted",
        "a.jsonl",
        lines(answers=[{"answer": "cat", "count": 1}, {"answer": "dog", "count": 5}]),
        " line 3: 'answers' weighs answers: {'answer': 'cat', 'count': '1'}; write each as often as it counts",
    ),
    Refused("answers missing", "a.jsonl", lines(answers=...), " line 3: no answer in 'answers'; a sample needs one"),
    Refused("id missing", "a.jsonl", lines(question_id=...), " line 3: no 'question_id' field; found 'image_id'"),
    Refused("id twice", "a.jsonl", lines(question_id=1), " line 3: id '1' is already used at line 1"),
    Refused("id of a question", "a.jsonl", lines(question_id="a/b@raw/0"), " line 3: id 'a/b@raw/0' looks like the id"),
    Refused("a question of 10 MB", "a.jsonl", lines(question="a" * 10**7), " line 3: 'question' has 10,000,000 char"),
    # tables
    Refused("a quote without end", "a.csv", TABLE + '3,"What?,dog,3.jpg\n', " line 4: not a table row (unexpected end"),
    Refused("too many cells", "a.csv", TABLE + "3,What, then?,dog,3.jpg\n", " line 4: 5 cells where the header has 4"),
    Refused("a map of no column", "a.csv", TABLE, ": no column 'Q' to map 'question'", {"columns": {"question": "Q"}}),
    Refused(
        "a cell that is no base64", "a.tsv", vlm("not-base64!!"), " line 2: 'image' points to 'not-base64!!', but no"
    ),
    Refused("a cell that is no image", "a.tsv", vlm(base64.b64encode(b"x" * 80).decode()), " line 2: 'image' is not a"),
    # an official pair
    Refused("a pair without its half", "okpair.json", json.dumps(PAIR), ": contains questions without answers; name"),
    Refused(
        "a half by its name", "a_questions.json", json.dumps(PAIR), ": contains no answers, and there is no 'a_annot"
    ),
]
READ = [
    Read("a gzip's name on plain text", "a.jsonl.gz", lines(), {"answer": "dog"}),
    Read("BOM", "a.jsonl", b"\xef\xbb\xbf" + lines().encode(), {"id": "b/all/3"}),
    Read("CRLF", "a.jsonl", lines().replace("\n", "\r\n"), {"id": "b/all/3"}),
    Read("CR alone", "a.jsonl", lines().replace("\n", "\r"), {"id": "b/all/3", "question": "What is it?"}),
    Read("CR alone in a table", "a.csv", TABLE.replace("\n", "\r"), {"id": "b/all/2", "answer": "cat"}),
    Read("Excel's line about the delimiter", "a.csv", "sep=;\n" + TABLE.replace(",", ";"), {"answer": "cat"}),
    Read("a number as a question", "a.jsonl", lines(question=123), {"question": "123"}),
    *(
        Read(f"a question of several lines, {text!r}", "a.jsonl", lines(question=text), {"question": "What is it?"})
        for text in ["What\nis it?", "What\r\n\tis  it?", "What\0is it?", "What is\u2028it?", "\u202eWhat is\u202c it?"]
    ),
    Read("several lines in a table", "a.tsv", 'question\tanswer\n"What\nis it?"\t"a\u202e cat"\n', {"answer": "a cat"}),
    Read("an answer of several lines", "a.jsonl", lines(answers=["ice\ncream"]), {"answer": "ice cream"}),
    Read("an answer with a NUL", "a.jsonl", lines(answers=["ice\0cream"]), {"answers": ("ice cream",)}),
    Read("a category", "a.jsonl", lines(Topic="Vehicles\nand trains"), {"category": "Vehicles and trains"}, AS_TABLE),
    Read("a rationale of lines", "a.jsonl", lines(rationales=["a\nb\u2066"]), {"rationales": ("a b",)}, AS_TABLE),
    Read("a choice of lines", "a.jsonl", lines(choices=["a\nb", "c"]), {"choices": ("a b", "c")}, AS_TABLE),
    Read("colours of a terminal", "a.jsonl", lines(question="a\x1b[2Jb"), {"question": "a [2Jb"}),
    Read("an id of 900 digits", "a.jsonl", raw(": 3,", f": {NINES},"), {"id": f"b/all/{NINES}"}),
    Read("an id that climbs", "a.jsonl", lines(question_id="../../../etc/passwd"), {"id": "b/all/../../../etc/passwd"}),
    *(
        Read(f"a question {text!r}", "a.jsonl", lines(question=text), {"question": text})
        for text in [
            *("مرحبا بالعالم", "🦒🦒", "e\u0301 or é", "İstanbul ı", "Strasse Straße"),
            *("'}) DETACH DELETE n //", '"; DROP DATABASE neo4j', "`a`.`b`", "<script>x</script>", "$(rm -rf /)"),
            *("%s%n", "{{7*7}}", "\\u0027})...", "[/red]", "=cmd|' /C calc'!A0", "@SUM(1)"),
        ]
    ),
]  # fmt: skip


def outcome(folder: Path, case: Refused | Read) -> Any:
    file = folder / case.file
    file.write_bytes(case.content.encode() if isinstance(case.content, str) else case.content)
    return read_benchmark(file, benchmark="b", **case.options)


def test_it_is_refused_in_one_line_that_names_the_place(tmp_path: Path) -> None:
    for number, case in enumerate(REFUSED):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(KbeError) as refused:
            outcome(folder, case)
        said = str(refused.value)
        assert said.startswith(f"{folder / case.file}{case.says}"), case.case
        assert "\n" not in said, case.case
        assert len(said) < len(str(folder)) + 700, case.case
        assert [file.name for file in folder.iterdir()] == [case.file], case.case


def test_it_is_read_as_it_is_meant(tmp_path: Path) -> None:
    for case in READ:
        sample = outcome(tmp_path, case).samples[-1]
        assert case.fields == {name: getattr(sample, name) for name in case.fields}, case.case


def test_bad_rows_are_left_out_by_reason_if_asked_and_ids_numbered(tmp_path: Path) -> None:
    more = '{"id": 7, "question": "", "answer": "a"}\nnot json\n[1]\n{"id": 1, "question": "Who?", "answer": "b"}\n'
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": 1, "question": "What?", "answer": "a"}\n' + more)
    skipped = read_benchmark(file, benchmark="b", skip_bad=True)
    assert [sample.id for sample in skipped.samples] == ["b/all/1"]
    assert skipped.reading.notes == {
        "left out, as 'question' is empty (a.jsonl line 2)": 1,
        "left out, as not JSON … (a.jsonl line 3)": 1,
        "left out, as expected an object (a.jsonl line 4)": 1,
        "left out, as id … is already used at line … (a.jsonl line 5)": 1,
    }
    numbered = read_benchmark(file, benchmark="b", skip_bad=True, number=True)
    assert [(sample.id, sample.question) for sample in numbered.samples] == [
        ("b/all/1", "What?"),
        ("b/all/1-2", "Who?"),
    ]
    bad = "question_id,image_id,question,answers\n1,2,What?,a\n2,3,,b\n3,4,Who?,c,d\n4,5,Who?,\n"
    for name, content in (("b.csv", bad), ("pair.jsonl", lines(question=""))):
        (tmp_path / name).write_text(content)
        benchmark = read_benchmark(tmp_path / name, benchmark="b", skip_bad=True)
        assert len(benchmark.samples) + sum(benchmark.reading.notes.values()) == content.count("\n") - (name == "b.csv")
