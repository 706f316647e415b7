import csv
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "quality"
VERDICTS = ("fact right", "grammatical", "leak-free", "all in order")


def lines() -> list[dict[str, str]]:
    with (FOLDER / "sheet.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def figures(name: str, some: list[dict[str, str]]) -> str:
    shares = (100 * sum(line[verdict] == "yes" for line in some) / len(some) for verdict in VERDICTS)
    return f"| {name} | {len(some)} | {' | '.join(f'{share:.1f}' for share in shares)} |"


def test_every_question_of_the_sheet_has_a_verdict_in_each_column():
    assert {line[verdict] for line in lines() for verdict in VERDICTS} <= {"yes", "no"}


def test_what_is_not_in_order_has_a_note():
    assert [line["id"] for line in lines() if line["all in order"] == "no" and not line["note"]] == []


def test_what_is_wrong_in_one_way_is_not_all_in_order():
    wrong = [line for line in lines() if "no" in (line[verdict] for verdict in VERDICTS[:3])]
    assert {line["all in order"] for line in wrong} <= {"no"}


def test_the_figures_told_are_those_of_the_sheet():
    told = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    sheet = lines()
    assert [figures(f"hop {hop}", [line for line in sheet if line["hop"] == str(hop)]) for hop in (1, 2, 3)] == [
        line for line in told if line.startswith(("| hop 1", "| hop 2", "| hop 3"))
    ]
    assert figures("all", sheet) in told
