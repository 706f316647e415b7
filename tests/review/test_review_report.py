"""What is learnt from reviews: each figure is that of a plain count."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from commands import kbe_here
from review_cases import a_question, decision

import kbe_graph as kbe
from kbe_graph.review.review_report import Findings, review_report
from kbe_graph.review.state import question_states, reviewed_item
from kbe_graph.types import Review

ITEMS = [
    reviewed_item(replace(a_question(), id=f"own/val/{number}@first/1", sample=f"own/val/{number}"))
    for number in range(12)
]


def reviews(reviewer: str, verdicts: Sequence[str], **more: object) -> list[Review]:
    """Build a decision on each question."""
    return [
        replace(decision(item.question.id, reviewer, verdict, minute, item.version), **more)  # type: ignore[arg-type]
        for minute, (item, verdict) in enumerate(zip(ITEMS, verdicts, strict=False))
    ]


def report_of(*given: list[Review]) -> Findings:
    """Report these decisions."""
    return review_report(ITEMS, question_states(ITEMS, [review for own in given for review in own]))


def test_counts_shares_and_agreement_are_those_of_a_plain_count() -> None:
    ann = reviews("Ann", ["approve"] * 8 + ["reject"] * 4, criteria=(("worth", "yes"),))
    bea = reviews("Bea", ["approve"] * 7 + ["reject"] * 3, criteria=(("worth", "no"),), seconds=5.0)
    report = report_of(ann, bea)
    counts = {name: report.counts[name] for name in ("questions", "approved", "rejected", "disputed", "reviewers")}
    assert counts == {"questions": 12, "approved": 7, "rejected": 4, "disputed": 1, "reviewers": 2}
    assert report.counts["reviewed_per_kept"] == 11 / 7
    assert report.counts["median_seconds"] == 1
    rows = {(row["by"], row["name"]): row for row in report.rows["acceptance"]}
    assert rows.keys() >= {("all", "all"), ("hop", "hop 1"), ("relation", "eats"), ("model", "rule")}
    assert {row["share"].value for row in report.rows["acceptance"]} == {7 / 11}
    assert [(row["yes"], row["no"]) for row in report.rows["opinions"]] == [(12, 10)]
    [verdict, worth] = report.rows["agreement"]
    assert (verdict["asked"], verdict["percent"].items, verdict["percent"].value) == ("verdict", 10, 0.9)
    assert {"Cohen's kappa", "alpha", "AC1"} <= verdict.keys()
    assert (worth["asked"], worth["percent"].value) == ("worth", 0)


def test_the_command_prints_what_is_learnt(demo_kept_up: Path) -> None:
    with kbe.Workspace(demo_kept_up, progress=False) as work:
        question = work.questions(run="demo-0", hop=1)[0]
        work.review.decide(question.id, "reject", reviewer="Ann", criteria={"worth": "no"}, seconds=9)
    lines = kbe_here("-w", demo_kept_up, "review", "report", "--run", "demo-0").splitlines()
    assert "rejected\t1" in lines
    assert "worth\t0\t1\t0\t0.0" in lines
    value = json.loads(kbe_here("-w", demo_kept_up, "review", "report", "--run", "demo-0", "--json"))
    assert value["acceptance"][0]["share"]["value"] == 0
    status = json.loads(kbe_here("-w", demo_kept_up, "review", "status", "--run", "demo-0", "--json"))
    assert status["states"][question.id] == {"state": "rejected", "reviewers": ["Ann"], "missing": 0}
