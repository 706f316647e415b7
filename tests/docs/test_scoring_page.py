"""docs/scoring.md: its table is computed, its rules and formats are those that there are, its examples are read."""

import re
from pathlib import Path

from kbe_graph.scoring.prediction_files import PREDICTION_FORMATS, read_predictions
from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth

PAGE = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    """Return the cells of the table of a section, its header first."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [line.strip("| ").split(" | ") for line in lines if "---" not in line]


def right(cell: str) -> GroundTruth:
    """Return what a cell of the table says: people's answers, or the names of an evolved question."""
    if cell.startswith("evolved: "):
        answer, alias = cell.removeprefix("evolved: ").split(", ")
        return GroundTruth(answer, (alias,))
    said = [part.split(" × ") for part in cell.split(", ")]
    return GroundTruth(said[0][1], answers=tuple(answer for count, answer in said for _ in range(int(count))))


HEADER, *CASES = rows("The same answer under every rule")


def test_the_same_answer_scores_by_each_rule_as_the_page_says() -> None:
    for case in CASES:
        scores = [SCORE_RULES[rule].score(case[1], right(case[0])) for rule in HEADER[2:]]
        assert case[2:] == [f"{round(100 * (score or 0), 1):g}" for score in scores], case


def test_the_page_lists_all_rules_formats_and_readings() -> None:
    assert [row[0].strip("`") for row in rows("Score rules")[1:]] == list(SCORE_RULES)
    assert HEADER[2:] == [rule for rule in SCORE_RULES if rule != "aokvqa-mc"]
    assert {row[0].strip("`") for row in rows("Prediction formats")[1:]} == set(PREDICTION_FORMATS)


EXAMPLES = re.findall(r"```\w+ ([\w.-]+)\n(.*?)```", PAGE, re.DOTALL)


def test_each_example_is_read_in_its_format(tmp_path: Path) -> None:
    for name, content in EXAMPLES:
        (tmp_path / name).write_text(content)
        assert read_predictions(tmp_path / name, model="m").format == Path(name).stem, (name, content)
        shown = {Path(name).stem for name, _ in EXAMPLES}
        assert shown == set(PREDICTION_FORMATS) - {"evalscope"}, (name, content)
