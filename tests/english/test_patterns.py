"""Each row of a table reads its example, and reads it alone."""

from kbe_graph.english.patterns import TABLES, Texts, rewrite, rewrites, table


def test_without_a_row_its_example_is_read_otherwise() -> None:
    for name in TABLES:
        read = TABLES[name][1]
        for row in table(name):
            assert row.outcome in read(table(name), Texts(row.example))
            assert not row.find(Texts(row.counter))
            assert row.outcome not in read([other for other in table(name) if other is not row], Texts(row.example))


def test_a_rewrite_changes_its_example_alone():
    for step, rows in rewrites().items():
        for row in rows:
            assert rewrite(step, row.example) == row.outcome
