import csv
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "quality"
VERDICTS = ("fact", "grammar", "leak", "one", "path", "publish", "image", "worth")
ROWS = ("hop 1", "hop 2", "hop 3", "re-selected")
SEVEN = VERDICTS[:7]


def lines(name: str = "sheet.tsv") -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def is_yes(line: dict[str, str], *verdicts: str) -> bool:
    """Whether both readers say yes to all of these."""
    return all(line[f"{verdict} {reader}"] == "yes" for verdict in verdicts for reader in (1, 2))


def figures(name: str, some: list[dict[str, str]]) -> str:
    counts = [sum(is_yes(line, verdict) for line in some) for verdict in VERDICTS]
    shares = (100 * count / len(some) for count in (*counts, sum(is_yes(line, *SEVEN) for line in some)))
    return f"| {name} | {len(some)} | {' | '.join(f'{share:.0f}' for share in shares)} |"


def test_the_figures_told_are_those_of_the_sheet():
    told = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    sheet = lines()
    for name in ROWS:
        assert figures(name, [line for line in sheet if line["hop"] == name]) in told


def test_the_figures_of_questions_by_shapes_are_those_of_their_sheet():
    page = (FOLDER.parent / "shapes.md").read_text(encoding="utf-8")
    sheet = lines("sheet-shapes.tsv")
    assert figures("all", sheet) in page.splitlines()
    for shape in ("identify", "fact"):
        assert figures(shape, [line for line in sheet if line["shape"] == shape]) in page.splitlines()
    useful = sum(is_yes(line, "publish", "worth") and line["named"] == "no" for line in sheet)
    assert f"{useful} photos (22 %)" in page


def test_the_figures_of_questions_from_wikipedia_are_those_of_their_sheet():
    page = (FOLDER.parent / "wiki.md").read_text(encoding="utf-8").splitlines()
    sheet = lines("sheet-wiki.tsv")
    for name in ("rules, real items", "rules, T-REx", "model, played"):
        assert figures(name, [line for line in sheet if line["set"] == name]) in page


def test_the_figures_of_twins_are_those_of_their_sheet():
    page = (FOLDER.parent / "shapes.md").read_text(encoding="utf-8")
    every = lines("sheet-twins.tsv")
    single = [line for line in every if not line["pair"]]
    for name, part in (("72 photos, later prompts", "first"), ("71 photos, later still", "second")):
        assert figures(name, [line for line in single if line["set"] == part]) in page.splitlines()
    sheet = [line for line in every if line["pair"]]
    pairs = {line["pair"].rstrip("ab") for line in sheet}
    no = [
        {line["pair"].rstrip("ab") for line in sheet if not is_yes(line, name)} for name in ("right", "one", "publish")
    ]
    assert f"| by a model | {len(pairs)} | {' | '.join(str(len(pairs - each)) for each in no)} |" in page.splitlines()
