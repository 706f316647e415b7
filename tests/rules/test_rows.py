"""Rows of rule tables are held by cases: with all rows the cases hold, without its row a case does not.

A table that is new is found by itself (``tables``), and fails here until each of its rows has a case.
"""

from collections.abc import Mapping

import pytest
from rules.cases import Case, by_table
from rules.probes import PARSED, outcome
from rules.tables import Table, tables, without

from kbe_graph.english.spacy_model import spacy_model_name

pytestmark = pytest.mark.long
TABLES = {table.key: table for table in tables()}
CASES: Mapping[str, Mapping[str, list[Case]]] = by_table()
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


@pytest.mark.parametrize("key", TABLES)
def test_each_row_has_a_case(key: str):
    assert [row for row in TABLES[key].rows if row not in CASES.get(key, {})] == []


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
