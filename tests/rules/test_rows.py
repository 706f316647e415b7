"""Rows of rule tables are held by cases: with all rows the cases hold, without its row a case does not.

Not all rows have a case yet. ``open_rows.tsv`` says how many of each table have none; a number there may only go down,
and a table that is not named there, a new one among them, has a case for each row.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest
from rules.cases import Case, by_table
from rules.probes import PARSED, outcome
from rules.tables import Table, tables, without

from kbe_graph.english.spacy_model import spacy_model_name

TABLES = {table.key: table for table in tables()}
CASES: Mapping[str, Mapping[str, list[Case]]] = by_table()
OPEN = {
    key: int(count)
    for key, count in (
        line.split("\t") for line in Path(__file__).with_name("open_rows.tsv").read_text(encoding="utf-8").splitlines()
    )
}
HELD = [case for rows in CASES.values() for own in rows.values() for case in own]


def can_ask(case: Case) -> bool:
    """Return whether what a case asks is here: spaCy's model may not be."""
    return bool(spacy_model_name()) or case.probe not in PARSED


@pytest.mark.parametrize("key", CASES)
def test_the_cases_of_a_table_hold(key: str):
    wrong = [case for own in CASES[key].values() for case in own if can_ask(case) and not holds(case)]
    assert wrong == []


def holds(case: Case) -> bool:
    """Return whether a case has its outcome."""
    return outcome(case.probe, case.given) == case.outcome


@pytest.mark.parametrize("key", [key for key in CASES if key in TABLES])
def test_each_row_that_has_a_case_is_noticed_when_it_is_away(key: str):
    table = TABLES[key]
    assert [row for row in table.rows if row in CASES[key] and not is_noticed(table, row)] == []


def test_no_more_rows_are_without_a_case():
    without_case = {key: sum(row not in CASES.get(key, {}) for row in table.rows) for key, table in TABLES.items()}
    assert {key: count for key, count in without_case.items() if count > OPEN.get(key, 0)} == {}


def test_what_is_held_by_now_is_not_called_open():
    gone = {key for key in OPEN if key not in TABLES}
    held = {
        key for key in OPEN.keys() - gone if OPEN[key] > sum(row not in CASES.get(key, {}) for row in TABLES[key].rows)
    }
    assert gone | held == set()


def is_noticed(table: Table, row: str) -> bool:
    """Return whether a case of a row fails without it; one that cannot be asked here counts."""
    own = CASES.get(table.key, {}).get(row, [])
    if own and not any(map(can_ask, own)):
        return True
    with without(table, row):
        return any(can_ask(case) and not holds(case) for case in own)


def test_no_case_is_of_a_row_that_is_gone():
    gone = [case for case in HELD if case.table not in TABLES or case.row not in TABLES[case.table].rows]
    assert gone == []
