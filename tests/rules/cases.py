"""The cases of the rule tables: an input whose outcome needs a row (``data/rules/*.tsv``)."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "data" / "rules"
COLUMNS = ("table", "row", "probe", "given", "outcome")


class Case(NamedTuple):
    """What a probe says of an input; without the row it says something else."""

    table: str
    row: str
    probe: str
    given: str
    outcome: str


def read_cases() -> Iterator[Case]:
    """Give all cases."""
    for file in sorted(FOLDER.glob("*.tsv")):
        head, *lines = file.read_text(encoding="utf-8").splitlines()
        assert head.split("\t") == list(COLUMNS), file
        yield from (Case(*line.split("\t")) for line in lines)


def by_table() -> Mapping[str, Mapping[str, list[Case]]]:
    """Return the cases by table and row."""
    found: dict[str, dict[str, list[Case]]] = {}
    for case in read_cases():
        found.setdefault(case.table, {}).setdefault(case.row, []).append(case)
    return found


def write_cases(cases: Iterable[Case]) -> None:
    """Write the cases, a file a room or data file."""
    rooms: dict[str, list[Case]] = {}
    for case in sorted(cases):
        place = case.table.partition(":")[0]
        name = place if place.endswith((".tsv", ".txt")) else place.partition(".")[0]
        rooms.setdefault(name.replace("/", "-").rpartition(".")[0] or name, []).append(case)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.tsv"):
        old.unlink()
    for name, own in rooms.items():
        text = "".join("\t".join(row) + "\n" for row in (COLUMNS, *own))
        FOLDER.joinpath(f"{name}.tsv").write_text(text, encoding="utf-8")
