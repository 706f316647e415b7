"""Who knows the published questions by heart is found, who is just worse or finds paraphrases harder is not."""

from collections import Counter

import numpy as np
from wordings import SKILLS, both_wordings

from kbe_graph.statistics.memory import MemoryFinding, memory_findings

SEEDS = range(6)


def findings(seed: int, **settings: object) -> list[MemoryFinding]:
    return memory_findings(*both_wordings(seed, **settings), seed=seed)


def test_a_model_that_knows_the_published_answers_by_heart_is_found_and_no_other() -> None:
    verdicts = [[each.verdict for each in findings(seed, memory={2: 1.0})] for seed in SEEDS]
    assert [row.pop(2) for row in verdicts] == ["memory"] * len(SEEDS)
    assert sum(row.count("memory") for row in verdicts) <= 1


def test_a_third_by_heart_is_found_though_paraphrases_are_harder_for_all() -> None:
    rows = [findings(seed, memory={3: 0.3}, harder=0.3)[3] for seed in SEEDS]
    assert Counter(row.verdict for row in rows)["memory"] >= len(SEEDS) - 1
    assert all(row.odds and row.odds > 1.3 for row in rows)


def test_an_honest_weaker_model_is_not_found() -> None:
    rows = [findings(seed, skills=(1, 0.8, 0.6, 0.4, -1.5)) for seed in SEEDS]
    assert Counter(row[4].verdict for row in rows)["no sign of memory"] >= len(SEEDS) - 1
    assert "memory" not in {row[4].verdict for row in rows}


def test_where_all_fall_alike_nothing_is_said() -> None:
    rows = [finding for seed in SEEDS[:3] for finding in findings(seed, harder=0.5)]
    assert {row.verdict for row in rows} == {"cannot tell"}
    assert all("as the other models are" in row.reason for row in rows)


def test_where_all_remember_none_is_cleared() -> None:
    rows = findings(0, memory=dict.fromkeys(range(5), 0.4))
    assert "no sign of memory" not in {row.verdict for row in rows}


def test_few_pairs_few_models_and_little_power_are_told() -> None:
    few, lonely, weak = (
        findings(0, questions=60)[0],
        findings(0, skills=SKILLS[:2])[0],
        findings(0, questions=120)[0],
    )
    assert {few.verdict, lonely.verdict, weak.verdict} == {"cannot tell"}
    assert few.reason == "60 pairs of published wording and paraphrase; ask 100"
    assert "fewer than 2 other models" in lonely.reason
    assert "could not have been seen" in weak.reason


def test_what_could_have_been_seen_is_seen_four_times_of_five() -> None:
    """A dose that raises the odds by as much as is told to be detectable is found about so often."""
    detectable = findings(0)[2].detectable
    assert detectable is not None
    assert 1.2 < detectable < 1.9
    share = detectable / (1 + detectable)  # of a model that is right half of the time
    dose = (share - 0.5) / 0.5
    hits = sum(findings(seed, memory={2: dose})[2].verdict == "memory" for seed in range(10))
    assert 5 <= hits <= 10


def test_shares_and_their_difference_are_told() -> None:
    original, paraphrase, images = both_wordings(0)
    finding = memory_findings(original, paraphrase, images)[1]
    assert np.isclose(finding.difference, original[1].mean() - paraphrase[1].mean())
    assert finding.low < finding.difference < finding.high
    assert finding.pairs == 600
