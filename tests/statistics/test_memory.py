"""Who knows the published questions by heart is found, who is just worse or finds paraphrases harder is not."""

from collections import Counter

from wordings import SKILLS, both_wordings

from kbe_graph.statistics.memory import MemoryFinding, memory_findings

SEEDS = range(4)


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


def test_where_all_fall_alike_nothing_is_said() -> None:
    rows = [finding for seed in SEEDS[:3] for finding in findings(seed, harder=0.5)]
    assert {row.verdict for row in rows} == {"cannot tell"}
    assert all("as the other models are" in row.reason for row in rows)


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
