"""Whatever is asked of ``kbe explore``, by whatever client, it answers soon, and never with a 500."""

from pathlib import Path

from explorers import explored, status_of

PATHS = (
    *("/static/%00", "/static/%00.css", "/static/", "/static", "/static/../access.py", "/static/%2e%2e/access.py"),
    *("/static/..%2f..%2faccess.py", "/static/explorer.css/", "/static/%ff%fe", "/static/%c0%ae/x"),
    *("/static/\\..\\access.py", "/static/%", "/static/%zz", "/static/" + "a" * 300, "/static/" + "a/" * 3_000),
    *("/%00", "/sample%00", "/picture", "/picture?sample=%00", "/sample?id=%00", "/sample?id=%ff", "/sample"),
    *("/sample?id=" + "x" * 50_000, "/samples?q=" + "+a" * 5_000, "/samples?from=-1", "/picture?size=small"),
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
    "date({year: 99999})": "found a value that cannot be read",
    "0.0 / 0.0": "nan",
    "reduce(a = [], x IN range(1, 900) | [a])": "nested too deep",
    "reduce(a = '', x IN range(1, 9000) | a + 'x')": "characters; &#39;kbe query&#39; prints the full value",
    "1 / 0": "by zero",
}
PARAMETERS = {
    '{"x": 9223372036854775808}': "cannot be sent",
    '{"x": ' + "[" * 5_000 + "]" * 5_000 + "}": "not JSON",
    '{"x": "\\u0000"}': "<td>\0</td>",
    "[1]": "write names and values",
}


def test_whatever_is_asked_is_answered_and_is_no_fault_of_the_program(demo_looked_at: Path) -> None:
    with explored(demo_looked_at) as served:
        for path in PATHS:
            assert 200 <= status_of(served.send(served.head("GET", path))) < 500, path
        for form in FORMS:
            head = served.head("POST", "/console", f"Content-Length: {len(form)}")
            assert 200 <= status_of(served.send(head + form.encode())) < 500, form
        assert served.send(served.head("POST", "/console", "Content-Length: 500") + b"cypher=RETURN+1", cut=True) == b""
        for value, shown in VALUES.items():
            status, answer = served.query(f"RETURN {value} AS value")
            assert (status in {200, 400}, shown in answer) == (True, True), value
        for parameters, told in PARAMETERS.items():
            status, answer = served.query("RETURN $x", parameters=parameters)
            assert (status in {200, 400}, told in answer) == (True, True), parameters
        served.process.terminate()
        said = served.process.communicate()[1]
    assert "Traceback" not in said
    assert "ERROR" not in said
