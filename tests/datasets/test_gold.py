"""The gold answer of a question with options is what the set says: the option's text, its letter, or its number."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from kbe_graph.datasets import Benchmark, read_benchmark
from kbe_graph.errors import InputError

FRUIT = ["apple", "pear", "plum", "fig"]
Row = Mapping[str, Any]


def read(*rows: Row, **options: Any) -> Benchmark:
    return read_benchmark([{"question": "Which fruit?", **row} for row in rows], benchmark="b", **options)


def golds(*rows: Row, **options: Any) -> list[str]:
    return [sample.answer for sample in read(*rows, **options).samples]


def by_letter(answer: str, **more: Any) -> Row:
    return {**dict(zip("ABCD", FRUIT, strict=True)), "answer": answer, **more}


def test_an_answer_is_an_option_by_text_letter_or_number() -> None:
    for row, gold in [
        ({"choices": FRUIT, "answer": "pear"}, "pear"),
        ({"choices": FRUIT, "answer": "B"}, "pear"),
        ({"choices": FRUIT, "answer": "b."}, "pear"),
        ({"choices": FRUIT, "answer": 0}, "apple"),
        ({"choices": FRUIT, "label": 2}, "plum"),
        ({"options": json.dumps(FRUIT), "answer": "D"}, "fig"),
        ({"options": "A. apple\nB. pear\nC. plum\nD. fig", "answer": "C"}, "plum"),
        ({"options": {"A": "apple", "B": "pear"}, "answer_idx": "B"}, "pear"),
        ({"choices": {"text": ["apple", "pear"], "label": ["1", "2"]}, "answerKey": "2"}, "pear"),
        ({"choices": ["", "pear", "plum"], "answer": "C"}, "plum"),
        (by_letter("C"), "plum"),
        (by_letter("plum"), "plum"),
        ({"A": "B", "B": "A", "answer": "A"}, "B"),
        ({"choices": ["A. apple", "B. pear"], "answer": "B"}, "pear"),
        ({"choices": FRUIT, "answer": "B. pear"}, "pear"),
        ({"choices": ["a) apple", "b) pear"], "answer": "b) pear"}, "pear"),
        ({"choices": ["1. apple", "2. pear"], "answer": "pear"}, "pear"),
        ({"choices": ["1. apple", "2. pear"], "answer": 1}, "apple"),
        ({"choices": ["1.5 pear", "2.5 pear"], "answer": "A"}, "1.5 pear"),
        ({"options": "a) apple b) pear", "answer": "b"}, "pear"),
        ({"options": "{'A': 'apple', 'B': 'pear'}", "answer": "{'answer': 'B'}"}, "pear"),
        ({"choices": ["(A) apple", "(B) pear"], "answer": "(B) pear"}, "pear"),
        ({"A": "apple", "B": "pear", "C": "", "D": "fig", "answer": "D"}, "fig"),
        ({"choice_a": "apple", "choice_b": "pear", "answer": "B"}, "pear"),
        ({"option1": "apple", "option2": "pear", "answer": 2}, "pear"),
        ({"correct": "pear", "wrongs": ["apple", "fig"]}, "pear"),
        ({"answer": "pear", "distractors": ["apple", "fig"]}, "pear"),
        ({"question": "Which fruit? Options: A: an apple, B: a pear", "answer": "B"}, "a pear"),
    ]:
        (sample,) = read(row).samples
        assert sample.answer == gold
        assert sample.answers == (gold,)
        assert gold in sample.choices
        assert "" not in sample.choices


def test_numbers_count_from_0_unless_the_last_option_is_among_them_and_0_is_not() -> None:
    for numbers, expected in [
        ([0, 3, 1], ["apple", "fig", "pear"]),
        ([1, 4, 2], ["apple", "fig", "pear"]),
        ([1, 2], ["pear", "plum"]),
    ]:
        assert golds(*({"choices": FRUIT, "answer": number} for number in numbers)) == expected
        assert golds(*({"choices": FRUIT, "answer": str(number)} for number in numbers)) == expected


def test_an_answer_that_is_an_option_and_the_key_of_another_is_read_as_the_others_are() -> None:
    clear = [{"choices": ["10", "20", "30"], "answer": 0}] * 10
    both = {"choices": ["1", "0"], "answer": 1}
    assert golds(both) == ["1"]  # where all answers are options, they are texts
    assert golds(*clear, both)[-1] == "0"
    with pytest.raises(
        InputError, match=r"row 2: answer '1' is an option, but as a key it means '0'; write the options'"
    ):
        read(clear[0], both)


def test_an_answer_that_names_no_option_is_refused_by_row() -> None:
    for row, problem in [
        ({"choices": FRUIT, "answer": "cherry"}, "answer 'cherry' is neither an option nor the key of one"),
        ({"choices": FRUIT, "answer": "E"}, "is neither an option nor the key of one ('A', 'B', 'C', 'D')"),
        ({"answer": '{"name": "fig"}'}, "'answer' must be text; found {'name': 'fig'}"),
        (
            {"choices": ["A. apple", "B. pear"], "answer": "B. apple"},
            "answer 'B. apple' is neither an option nor the key",
        ),
        ({"choices": FRUIT, "answer": "9"}, "answer '9' is neither an option nor the key of one"),
        ({"choices": FRUIT, "answer": "-1"}, "answer '-1' is neither an option nor the key of one"),
        (by_letter("2"), "answer '2' is neither an option nor the key of one ('A', 'B', 'C', 'D'); the options are"),
        (by_letter("D", D=""), "answer 'D' is neither an option nor the key of one ('A', 'B', 'C')"),
        ({"choices": ["fig", "pear", "fig"], "answer": "B"}, "two options are the same, 'fig'; change one of them"),
        ({"choices": ["fig"], "answer": "A"}, "only one option, 'fig'; a choice needs at least two"),
        ({"correct": "fig", "wrongs": ["fig", "pear"]}, "two options are the same, 'fig'"),
    ]:
        with pytest.raises(InputError) as refused:
            read(row)
        assert problem in str(refused.value)


def test_letters_without_options_are_refused_unless_the_user_says_that_they_are_the_answers() -> None:
    rows = [{"answer": "A"}, {"answer": "C"}]
    with pytest.raises(InputError, match=r"all answers are letters \(A, C\), and no column holds options; name"):
        read(*rows)
    assert golds(*rows, columns={"answer": "answer"}) == ["A", "C"]
    assert golds({"answer": "A"}, {"answer": "a dog"}) == ["A", "a dog"]


def test_rows_of_several_right_options_are_left_out_and_told() -> None:
    for answer in (
        *({"answers": ["A", "C"]}, {"answer": ["A", "C"]}, {"answers": [0, 2]}, {"answer": ["apple", "plum"]}),
        *({"answer": text} for text in ("A, C", "AC", "A and C", "0 2")),
    ):
        benchmark = read({"choices": FRUIT, "answer": "B"}, {"choices": FRUIT, **answer})
        assert [sample.answer for sample in benchmark.samples] == ["pear"], answer
        assert benchmark.reading.notes == {"rows with several right options, left out": 1}, answer


def test_codes_are_the_names_of_their_classes_or_told(tmp_path: Path) -> None:
    named = {"names": ["dog", "giraffe"], "_type": "ClassLabel"}
    table = pa.table({"question": ["What?", "Who?", "Why?"], "answer": [1, 0, 1]})
    info = {"huggingface": json.dumps({"info": {"features": {"answer": named}}})}
    write_table(table.replace_schema_metadata(info), tmp_path / "named.parquet")
    write_table(table, tmp_path / "codes.parquet")
    named, codes = (read_benchmark(tmp_path / f"{name}.parquet", benchmark="b") for name in ("named", "codes"))
    assert [sample.answer for sample in named.samples] == ["giraffe", "dog", "giraffe"]
    assert list(codes.reading.notes.values()) == [3]


def test_what_may_be_no_answer_or_no_picture_is_told() -> None:
    for rows, note in [
        (
            [{"choices": FRUIT, "answer": "B"}, {"answer": "C"}],
            "answers that are a letter in rows without options, kept",
        ),
        *(
            ([{"choices": pictures, "answer": "B"}, {"answer": "fig"}], "rows whose options are pictures")
            for pictures in (["<image 1>", "<image 2>"], ["a.png", "b.png"], [{"bytes": b"\xff\xd8\xff"}] * 2)
        ),
        ([{"answer": "fig", "photo_name": "a.jpg"}], "samples without a picture, though column 'photo_name' holds"),
        (
            [{"answer": "fig", "left": "a.jpg", "right": "b.jpg"}],
            "samples without a picture, though columns 'left', 'r",
        ),
        ([{"answer": "fig", "image": "a", "decoded": {"bytes": b"\xff\xd8\xff"}}], "samples without a picture, though"),
    ]:
        (told,) = read(*({"id": number, **row} for number, row in enumerate(rows))).reading.notes
        assert told.startswith(note), rows


def test_a_small_file_whose_numbers_show_no_first_one_says_so() -> None:
    (doubted,) = read({"choices": FRUIT, "answer": 1}, {"choices": FRUIT, "answer": 2, "id": "2"}).reading.answers
    assert doubted == "number, counted from 0, which is a guess: check the samples below"
    (shown,) = read({"choices": FRUIT, "answer": 0}, {"choices": FRUIT, "answer": 2, "id": "2"}).reading.answers
    assert shown == "number, counted from 0"
    (guessed,) = read({"choices": ["3", "2", "1"], "answer": 1}).reading.answers
    assert guessed.startswith("text (a guess: it is the key of another option too")
