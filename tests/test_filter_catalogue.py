import gzip
import json
import os
import re
import tomllib
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
from filter_cases import case, walk

from kbe_graph.errors import ConfigError, DatasetError
from kbe_graph.filters import FilterSettings, build, catalogue, try_filter
from kbe_graph.filters.concentration import assign
from kbe_graph.filters.row import Row
from kbe_graph.knowledge.pack import pack


def table(folder, text):
    file = folder / "rows.tsv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_each_example_is_refused_by_its_own_filter(entry, tmp_path):
    rows = [entry.example] * (FilterSettings().floor + 1 if entry.stage == "run" else 1)
    columns = [column for column in Row._fields if any(getattr(row, column) for row in rows)]
    lines = ["\t".join(columns), *("\t".join(getattr(row, column) for column in columns) for row in rows)]
    trials = list(try_filter(entry.name, table(tmp_path, "\n".join(lines) + "\n")))
    assert [trial["reason"] for trial in trials if trial["verdict"] == "dropped"] == [entry.reason]


def test_a_run_has_each_filter_of_the_catalogue_once():
    names = [one.name for one in build(pack())]
    assert len(set(names)) == len(names)
    assert set(names) == {entry.name for entry in catalogue() if entry.stage != "run"}


def test_the_filters_of_facts_come_before_those_of_questions():
    stages = [one.stage for one in build(pack())]
    assert stages == sorted(stages)


def test_a_filter_is_tried_on_a_table_row_by_row(tmp_path):
    file = table(
        tmp_path,
        "question\tanswer\tsplit\nIs that a panda or a cat?\tcat\tval\nWhat animal is this?\tgiraffe\tval\n",
    )
    assert list(try_filter("either-or", file)) == [
        {
            "question": "Is that a panda or a cat?",
            "answer": "cat",
            "verdict": "dropped",
            "reason": "either-or",
            "detail": "cat",
        },
        {"question": "What animal is this?", "answer": "giraffe", "verdict": "kept", "reason": "", "detail": ""},
    ]


def test_the_settings_reach_the_filter(tmp_path):
    file = table(
        tmp_path,
        "question\tanswer\tsubject\trelation\tobject\nWhat animal is this?\tswan\tswan\tyoung\tcygnet\n",
    )
    assert [row["verdict"] for row in try_filter("rare", file)] == ["kept"]
    assert [row["verdict"] for row in try_filter("rare", file, settings=FilterSettings(rare_rate=1000))] == ["dropped"]


def test_an_unknown_filter_names_those_there_are(tmp_path):
    with pytest.raises(ConfigError, match="no filter 'colour'; there are noun, subject"):
        list(try_filter("colour", tmp_path / "rows.tsv"))


def test_a_table_without_a_fact_is_told_the_column(tmp_path):
    file = table(tmp_path, "question\tanswer\nWhat animal is this?\tgiraffe\n")
    with pytest.raises(DatasetError, match=r"rows.tsv line 1: no 'subject' column; found 'question', 'answer'"):
        list(try_filter("blind", file))


@pytest.mark.parametrize(
    ("name", "value"),
    [("share", 0), ("blind_share", 1.5), ("rare_rate", -1), ("floor", "three"), ("shared_families", "taxonomy")],
)
def test_a_setting_that_makes_no_sense_is_refused(name, value):
    with pytest.raises(ConfigError, match=f"filter setting '{name}' is {value!r}"):
        FilterSettings(**{name: value})


def real_cases():
    folder = os.environ.get("KBE_DATA")
    if not folder:
        pytest.skip("KBE_DATA is not set: the benchmark's own questions are not tried")
    with gzip.open(Path(folder) / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            question = json.loads(line)
            answer = Counter(question["answers"]).most_common(1)[0][0]
            start = case(Row(question["question"], answer, answer))
            for fact in walk().pack.facts_about(start.question.concept):
                yield case(Row(question["question"], answer, answer, fact.relation, fact.object))


def test_the_filters_keep_some_of_real_candidates_and_refuse_some():
    candidates = list(real_cases())
    filters = [one for one in build(pack()) if one.stage == "fact"]
    kept = [one for one in candidates if all(chosen.decide(one).keep for chosen in filters)]
    assert len(candidates) > 500
    assert 0.2 < len(kept) / len(candidates) < 0.9


def test_no_answer_takes_more_than_its_share_of_a_benchmark():
    choices = {str(place): (one.fact.object,) for place, one in enumerate(real_cases())}
    chosen = assign(choices, {}, 0)
    counts = Counter(choices[sample][0] for sample, place in chosen.items() if place is not None)
    assert max(counts.values()) <= 0.03 * counts.total()
    assert counts.total() > 0.7 * len(choices)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_the_documentation_tells_each_filter(entry):
    text = " ".join((Path(__file__).parent.parent / "docs" / "filters.md").read_text(encoding="utf-8").split())
    assert f"## {entry.name} The rule: {entry.rule}." in text
    assert f"*{entry.example.question}* {entry.example.answer}" in text


def test_the_documentation_names_each_typical_relation():
    text = (Path(__file__).parent.parent / "docs" / "filters.md").read_text(encoding="utf-8")
    told = text.partition("only tell what is typical")[2].partition(". So is")[0]
    typical = {name for name, one in pack().relations.items() if not one.functional}
    assert set(re.findall(r"`([^`]+)`", " ".join(told.split()))) == typical


def test_the_documentation_tells_the_defaults():
    text = (Path(__file__).parent.parent / "docs" / "filters.md").read_text(encoding="utf-8")
    table = tomllib.loads(text.partition("```toml\n")[2].partition("```")[0])["filters"]
    assert FilterSettings(**table) == FilterSettings()
    assert set(table) == {field.name for field in fields(FilterSettings)}
