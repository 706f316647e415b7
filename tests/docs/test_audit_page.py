"""The page on the audit lists every check; ``python tests/docs/test_audit_page.py`` writes it."""

from pathlib import Path

from kbe_graph.audit.checks import CHECKS
from kbe_graph.export.demands import criteria

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
HEAD = "| check | demand | source | to meet it |\n| --- | --- | --- | --- |\n"
ROWS = [f"| `{each.id}` | {each.demand} | {each.source} | {each.mend} |" for each in criteria()]


def test_every_check_is_on_the_page_and_in_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(HEAD)[2].splitlines() == ROWS
    assert set(CHECKS) <= {each.id for each in criteria()}


if __name__ == "__main__":
    PAGE.write_text(
        PAGE.read_text(encoding="utf-8").partition(HEAD)[0] + HEAD + "\n".join(ROWS) + "\n", encoding="utf-8"
    )
