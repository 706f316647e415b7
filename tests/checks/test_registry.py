import gzip
import json
import os
import re
import tomllib
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import pytest
from filter_cases import case, walk

from kbe_graph.checks import FilterSettings, Scheme, build_checks, explanations, try_check
from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import grounding_checks
from kbe_graph.checks.guessable import FEW
from kbe_graph.errors import ConfigError, DatasetError
from kbe_graph.facts.grounding import Grounding, ProposedFact
from kbe_graph.facts.pack import pack
from kbe_graph.types import Decision


def table(folder, text):
    file = folder / "rows.tsv"
    file.write_text(text, encoding="utf-8")
    return file


ENTRIES = explanations()
TRIED = [entry for entry in ENTRIES if entry.columns]
STRICT = build_checks(pack(), scheme=Scheme(demand="require"))


def verdicts(folder, entry, row):
    """The reasons that a reason's own check gives for a row; of a run's answers, for one row too many."""
    rows = [row] * (FEW if entry.stage == "run" else 1)
    columns = [column for column in Row._fields if any(getattr(row, column) for row in rows) or column in entry.columns]
    lines = ["\t".join(columns), *("\t".join(getattr(row, column) for column in columns) for row in rows)]
    trials = try_check(entry.name, table(folder, "\n".join(lines) + "\n"))
    return [trial["reason"] for trial in trials if trial["verdict"] == "dropped"]


def test_each_example_is_refused_by_its_own_check(tmp_path):
    for entry in TRIED:
        assert set(verdicts(tmp_path, entry, entry.refused)) == {entry.name}


def test_each_good_example_is_passed_by_its_own_check(tmp_path):
    for entry in [entry for entry in TRIED if entry.stage != "run"]:
        assert verdicts(tmp_path, entry, entry.passed) == [], entry.name


@pytest.mark.parametrize("check", grounding_checks("require"), ids=lambda check: check.name)
def test_each_example_of_a_proposed_fact_is_told_by_the_known_ones(check):
    def proposed(row):
        fact = ProposedFact("", row.subject, row.relation, "", row.object, "model")
        return replace(case(row), fact=Grounding(pack()).label(fact))

    assert check.decide(proposed(check.refused)).reason == check.name
    assert check.decide(proposed(check.passed)).keep


def test_a_run_has_each_check_that_is_explained_once():
    names = [check.name for check in STRICT.all]
    assert len(set(names)) == len(names)
    assert set(names) <= {entry.name for entry in ENTRIES}


def test_no_reason_is_explained_twice():
    assert [name for name, many in Counter(entry.name for entry in ENTRIES).items() if many > 1] == []


def test_the_checks_of_facts_come_before_those_of_questions():
    stages = [check.stage for check in STRICT.all]
    assert stages == sorted(stages)


def test_a_check_from_outside_is_asked_last_and_decides():
    class NoGiraffe:
        name, stage, reads, rule, columns = "giraffe", "fact", "fact", "no giraffe", ("question", "answer")
        refused, passed = Row("What animal is this?", "giraffe"), Row("What animal is this?", "cow")

        def __init__(self, facts, settings):
            assert facts is pack()
            assert settings == FilterSettings()

        def decide(self, candidate):
            return Decision(candidate.question.answer != "giraffe", self.name)

    checks = build_checks(pack(), further=[NoGiraffe])
    row = Row("What animal is this?", "giraffe", "giraffe", "taxonomic family", "Giraffidae")
    assert checks.by_reads["fact"][-1].name == "giraffe"
    assert checks.decide("fact", case(row)).reason == "giraffe"
    assert build_checks(pack()).decide("fact", case(row)).keep


def test_a_filter_is_tried_on_a_table_row_by_row(tmp_path):
    file = table(
        tmp_path,
        "question\tanswer\tsplit\nIs that a panda or a cat?\tcat\tval\nWhat animal is this?\tgiraffe\tval\n",
    )
    assert list(try_check("not readable", file)) == [
        {
            "question": "Is that a panda or a cat?",
            "answer": "cat",
            "verdict": "dropped",
            "reason": "not readable",
            "detail": "either-or question",
        },
        {"question": "What animal is this?", "answer": "giraffe", "verdict": "kept", "reason": "", "detail": ""},
    ]


def test_the_settings_reach_the_filter(tmp_path):
    file = table(
        tmp_path,
        "question\tanswer\tsubject\trelation\tobject\nWhat animal is this?\tswan\tswan\tyoung\tcygnet\n",
    )
    assert [row["verdict"] for row in try_check("generic", file)] == ["kept"]
    deep = FilterSettings(generic_depth=20)
    assert [row["verdict"] for row in try_check("generic", file, settings=deep)] == ["dropped"]


def test_an_unknown_filter_names_those_there_are(tmp_path):
    with pytest.raises(
        ConfigError, match="no filter 'colour' can be tried on a table; choose one of instruction, not a noun, subject"
    ):
        list(try_check("colour", tmp_path / "rows.tsv"))


def test_a_table_without_a_fact_is_told_the_column(tmp_path):
    file = table(tmp_path, "question\tanswer\nWhat animal is this?\tgiraffe\n")
    with pytest.raises(DatasetError, match=r"rows.tsv line 1: no 'subject' column; found 'question', 'answer'"):
        list(try_check("leak", file))


def test_a_setting_that_makes_no_sense_is_refused() -> None:
    for name, value in [
        ("chain_share", 0),
        ("others_same", 1.5),
        ("others_common", -1),
        ("shared_families", "taxonomy"),
    ]:
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
    kept = [candidate for candidate in candidates if STRICT.decide("fact", candidate).keep]
    assert len(candidates) > 500
    assert 0.05 < len(kept) / len(candidates) < 0.9


def test_the_documentation_explains_reasons_that_are_counted():
    text = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= {entry.name for entry in ENTRIES}


def test_the_documentation_names_each_typical_relation():
    text = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")
    told = text.partition("say only what is typical")[2].partition(". A part of")[0]
    typical = {name for name, one in pack().relations.items() if not one.functional}
    assert set(re.findall(r"`([^`]+)`", " ".join(told.split()))) == typical


def test_the_documentation_tells_the_defaults():
    text = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")
    table = tomllib.loads(text.partition("```toml\n")[2].partition("```")[0])["filters"]
    assert FilterSettings(**table) == FilterSettings()
    assert set(table) == {field.name for field in fields(FilterSettings)}
