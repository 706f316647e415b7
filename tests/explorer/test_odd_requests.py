"""Whatever is asked of ``kbe explore``, by whatever client, it answers soon, and never with a 500."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from explorers import Served, explored, status_of

from kbe_graph.store.statements import queries

PATHS = (
    *("/static/%00", "/static/%00.css", "/static/", "/static", "/static/../access.py", "/static/%2e%2e/access.py"),
    *("/static/..%2f..%2faccess.py", "/static/explorer.css/", "/static/%ff%fe", "/static/%c0%ae/x"),
    *("/static/\\..\\access.py", "/static/%", "/static/%zz", "/static/" + "a" * 300, "/static/" + "a/" * 3_000),
    *("/%00", "/sample%00", "/picture", "/picture?sample=%00", "/sample?id=%00", "/sample?id=%ff", "/sample"),
    *("/sample?id=%ed%a0%80", "/sample?id=" + "x" * 50_000, "/sample/", "/samples?q=%00", "/samples?q=" + "+a" * 5_000),
    *("/samples?from=-1", "/samples?hop=%00&run=%00", "/samples?benchmark=" + "x" * 5_000, "/picture?size=small"),
    *("/samples?q=a&from=99999999999999999999", "/samples?q=a&from=%D9%A1", "/entity?name=%00"),
    *("/run?name=demo-0&reason=%00&after=%ed%a0%80", "/run?name=demo-0"),
    *("/console?name=%00", "/console?cypher=%00", "/console?rows=abc&seconds=1e9", "/console?name=paths_between&p.=1"),
    *("/again", "//", "//evil.example/", "/..", "/%2e", "*", "http://evil.example/", "/?" + "a" * 50_000, "/?token=x"),
    *("", "/\xff", "/\t", "/a b"),
)
FORMS = (
    *("", "cypher", "cypher=", "cypher=%ff%fe", "cypher=RETURN+%00", "&".join(f"a{n}=1" for n in range(5_000))),
    *("a" * 300_000, '{"cypher":"RETURN 1"}', "name=%00", "name=relation_frequency&p.limit=x", "cypher=RETURN+1;;"),
)
VALUES = {
    "date('2020-01-01')": "2020-01-01",
    "{a: [date('2020-01-01')]}": "{&#34;a&#34;: [&#34;2020-01-01&#34;]}",
    "datetime('2020-01-01T00:00:00Z')": "2020-01-01T00:00:00.000000000+00:00",
    "duration('P1Y2M3DT4H')": "P1Y2M3DT4H",
    "point({x: 1, y: 2})": "Point(1.0, 2.0)",
    "date({year: 99999})": "found a value that cannot be read",
    "0.0 / 0.0": "nan",
    "[1.0 / 0.0]": "[Infinity]",
    "9223372036854775807": "9223372036854775807",
    "{labels: [1, null, {}]}": "&#34;labels&#34;: [1, null, {}]",
    "{labels: ['a'], name: date('2020-01-01')}": "2020-01-01",
    "reduce(a = [], x IN range(1, 900) | [a])": "nested too deep",
    "reduce(a = '', x IN range(1, 9000) | a + 'x')": "characters; &#39;kbe query&#39; prints the full value",
    "1 / 0": "by zero",
}
PARAMETERS = {
    '{"x": 9223372036854775808}': "cannot be sent",
    '{"x": [-1e999, "\\ud800"]}': "cannot be sent",
    '{"\\ud800": 1}': "cannot be sent",
    '{"x": ' + "[" * 500 + "]" * 500 + "}": "nested too deep",
    '{"x": ' + "[" * 5_000 + "]" * 5_000 + "}": "not JSON",
    '{"x": ' + '{"a":' * 500 + "1" + "}" * 501: "nested too deep",
    '{"x": ' + "1" * 5_000 + "}": "not JSON",
    '{"x": "\\u0000"}': "<td>\0</td>",
    "[1]": "write names and values",
}
SLOW = "UNWIND range(1, 200000) AS x WITH x WHERE x % 7 = 3 RETURN count(x) AS many"


@pytest.fixture(scope="module")
def served(demo_looked_at: Path) -> Iterator[Served]:
    with explored(demo_looked_at) as served:
        yield served


def test_no_path_is_too_odd(served: Served) -> None:
    for path in PATHS:
        assert 200 <= status_of(served.send(served.head("GET", path))) < 500, path


def test_no_form_is_too_odd(served: Served) -> None:
    for form in FORMS:
        head = served.head("POST", "/console", f"Content-Length: {len(form)}")
        assert 200 <= status_of(served.send(head + form.encode())) < 500, form


def test_a_form_that_is_cut_is_no_fault_of_the_program(served: Served) -> None:
    assert served.send(served.head("POST", "/console", "Content-Length: 500") + b"cypher=RETURN+1", cut=True) == b""
    assert served.query("RETURN 1 AS one")[0] == 200


def test_whatever_a_query_returns_or_takes_is_shown_or_told(served: Served) -> None:
    for value, shown in VALUES.items():
        status, answer = served.query(f"RETURN {value} AS value")
        assert (status in {200, 400}, shown in answer) == (True, True), value
    for parameters, said in PARAMETERS.items():
        status, answer = served.query("RETURN $x", parameters=parameters)
        assert (status in {200, 400}, said in answer) == (True, True), parameters


def test_no_value_of_a_named_statement_is_too_odd(served: Served) -> None:
    for statement in queries():
        fields = {f"p.{parameter.name}": "9" * 30 for parameter in statement.parameters}
        body = urlencode({"name": statement.name, **fields})
        assert served.ask("/console", method="POST", body=body, Origin=served.base)[0] in {200, 400}


def test_one_query_runs_and_the_next_is_told_when_to_ask_again(served: Served) -> None:
    form = urlencode({"cypher": SLOW, "rows": 7}).encode()
    data = served.head("POST", "/console", f"Content-Length: {len(form)}") + form
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(served.send, data) for _ in range(12)]
        assert served.ask("/")[0] == 200, "pages are served meanwhile"
        answers = [query.result() for query in asked]
    statuses = Counter(map(status_of, answers))
    assert statuses[200] >= 1
    assert statuses[200] + statuses[429] == 12
    told = next(answer for answer in answers if status_of(answer) == 429).decode()
    assert "\r\nretry-after: 10\r\n" in told
    assert 'role="alert">another query is running; try again' in told
    assert SLOW in told, "the form is still filled in"
    assert 'max="1000" value="7"' in told


def test_nothing_was_a_fault_of_the_program(demo_looked_at: Path) -> None:
    with explored(demo_looked_at) as served:
        served.send(served.head("POST", "/console", "Content-Length: 500") + b"cypher=RETURN+1", cut=True)
        served.send(served.head("GET", "/static/%00"))
        served.query("RETURN date('2020-01-01') AS value", parameters=json.dumps({"x": 1 << 70}))
        served.process.terminate()
        said = served.process.communicate()[1]
    assert "Traceback" not in said
    assert "ERROR" not in said
