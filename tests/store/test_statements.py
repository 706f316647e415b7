"""Each statement says what it is, runs on every engine, and gives the columns that it names."""

import re
from dataclasses import replace
from typing import Any

import pytest
from neo4j import Session
from specimens import COLOUR, SAMPLE, family, giraffe_graph, load, raw
from wiki_specimens import save_wiki

from kbe_graph.errors import InputError
from kbe_graph.store import Store, Table
from kbe_graph.store.statements import (
    Statement,
    bind,
    queries,
    query_statement,
    read_statement,
    statement_names,
)
from kbe_graph.types import Drop, Prediction

NAMES = statement_names()
ROW = {
    "id": "x",
    "properties": {"question": f"{SAMPLE.id}@first/1"},
    "subject": "x",
    "object": "x",
    "own": "x",
    "sample": "x",
    "question": "x",
    "place": 0,
    "reasons": {},
}
VALUES = {
    "rows": [ROW],
    "ids": [SAMPLE.id],
    "names": ["nothing"],
    "samples": [SAMPLE.id],
    "entity": "Giraffe",
    "other": "tree",
    "relation": "depicts",
    "id": f"{SAMPLE.id}@first/1",
    "run": "first",
    "hop": 0,
    "status": "kept",
    "sample": SAMPLE.id,
    "noun": True,
    "benchmark": None,
    "split": None,
    "most": 5,
    "each": 3,
    "trails": 1_000,
    "shared": True,
    "seed": 1,
    "version": 2,
    "restoring": False,
    "model": "llava",
    "form": "choice",
    "operation": "pad",
    "reason": "no picture",
    "beginning": "reply: ",
    "kept": True,
    "reviewer": "Ana",
    "reviewers": ["Ana"],
    "graphs": 200,
    "limit": 25,
}


def test_the_header_names_kind_meaning_and_each_parameter() -> None:
    for one in map(read_statement, NAMES):
        body = "\n".join(line for line in one.text.splitlines() if not line.startswith("//"))
        assert one.kind in {"query", "read", "write", "schema"}, one.name
        assert one.meaning.endswith("."), one.name
        assert set(re.findall(r"\$(\w+)", body)) == {parameter.name for parameter in one.parameters}, one.name
        assert bool(one.columns) == ("RETURN" in body), one.name


def test_each_statement_runs_and_gives_its_columns(full: Store) -> None:
    with full.connection.driver.session(database=full.connection.place.address.database) as session:
        for one in map(read_statement, NAMES):
            if one.kind == "schema":
                continue
            with session.begin_transaction() as transaction:
                result = transaction.run(one.text, _values(one))
                # the embedded engine names no columns where there are no rows
                assert list(result.keys()) in ([column for column, _ in one.columns], []), one.name
                result.consume()
                transaction.rollback()


FOUND = {
    "relation_frequency": ("depicts", 2, 2),
    "relation_frequency_by_graph_and_hop": ("textual", 0, "colour", 2),
    "relations_that_follow": ("depicts", "colour", 2),
    "co_occurring_relations": ("beside", "colour", 2),
    "shared_entities": ("brown", 2),
    "samples_about": (SAMPLE.id, SAMPLE.question, SAMPLE.answer, "GIRAFFE"),
    "questions_through": (f"{SAMPLE.id}@first/1", 1, family().question.text, "Giraffidae"),
    "sources_by_share": ("visual", "caption", 2, 20.0),
    "longest_chains": (f"{SAMPLE.id}@first/1", 2, family().question.text, "Giraffidae"),
    "answers_by_hop": (0, "brown", 1),
    "question_path": (0, "IMAGE", "depicts", "GIRAFFE", "visual", "detection", "box 3"),
    "question_chain": (0, "raw", f"{SAMPLE.id}@raw/0", SAMPLE.question, "giraffe"),
    "samples_by_status": ("okvqa", "val", "extracted", 2),
    "yes_by_verdict": ("first", 1, 1, *[1] * 6, 0),
    "guesses_by_hop": ("first", "explored", 1, "m", 1, 0),
    "sources_of_hops": (1, "pack", "taxonomic family", 1),
    "candidates_by_reason": ("first", 1, "dropped", "generic", 1),
    "questions_by_difficulty": ("okvqa", "first", 1, 2, 1),
    "relations_of_entity": ("in", "depicts", 2, 2),
    "hubs": ("giraffe", 4, 7, 2),
    "bridges": ("giraffe", 2, 2),
    "new_relations_by_hop": (1, 1, "taxonomic family", 1),
    "relations_by_type": ("animal", "depicts", 2, 1),
    "objects_of_relation": ("giraffe", 2, 100.0),
    "questions_with_relation": (f"{SAMPLE.id}@first/1", 1, family().question.text, "Giraffidae"),
    "relation_chains": ("depicts", "standing near", "beside", 2),
    "paths_between": (["giraffe", "tree", "tree"], ["standing near", "beside"], 2, SAMPLE.id),
    "paths_across_samples": ("standing near", "tree", "beside", 2, 2),
    "key_shapes": (["depicts"], 1, 1, f"{SAMPLE.id}@raw/0"),
    "questions_of_same_shape": (f"{SAMPLE.id}@first/1", 1, family().question.text, "Giraffidae"),
    "drops_of_run": ("candidate", 1, "generic", 1, "part -> neck"),
    "run_differences": (SAMPLE.id, 1, family().question.text, "Giraffidae", "", ""),
    "dropped_by_reason": ("", None, "no visual triplet", 1),
    "faulty_by_reason": ("first", "generic", 1, 0, 0),
    "accuracy_by_hop": ("first", "llava", "exact", 1, "explored", 1, 33.3),
    "error_rate_by_relation": ("llava", "exact", "taxonomic family", 3, 2, 66.7),
    "error_rate_by_source": ("llava", "exact", "detection", 3, 2, 66.7),
    "error_rate_by_type": ("llava", "exact", "animal", 3, 2, 66.7),
}
ANSWERED = [
    Prediction("llava", f"{SAMPLE.id}@first/1", "cat", run).with_verdict("exact", verdict).with_verdict("gpt", other)
    for run, (verdict, other) in enumerate((("right", "right"), ("wrong", ""), ("wrong", "right"), ("", "")), 1)
]


def test_each_query_finds_what_it_says(full: Store) -> None:
    full.save_predictions(ANSWERED)
    dropped = replace(COLOUR, id="okvqa/val/9")
    full.save_samples([dropped])
    full.save_graphs([Drop(dropped.id, "no visual triplet", "")], [])
    assert found(full, FOUND) == FOUND
    assert full.query("unreached_answers").rows == ()
    of_shapes = {"answers", "drafts_by_reason", "drafts_by_shape", "refused_identities", "twins"}  # see tests/shapes
    others = {*FOUND_IN_TWINS, *FOUND_IN_WIKI, *of_shapes, "cycles_anywhere", "unreached_answers"}
    assert {*FOUND, *others} == {query.name for query in queries()}


FOUND_IN_WIKI = {
    "predicate_frequency": ("P31", "instance of", 2, 2, 1, 1),
    "object_frequency": ("Q5", "human", 2, 1),
    "reasons_of_statements": ("rank", 2, 1),
    "pictures_by_reason": ("no item", 1),
}


def test_queries_count_statements_and_pictures(store: Store) -> None:
    save_wiki(store)
    assert found(store, FOUND_IN_WIKI) == FOUND_IN_WIKI
    assert ("quantity|1.93 metres", "1.93 metres", 1, 1) in store.query("object_frequency").rows
    assert ("P2048", "height", 1, 1, 1, 1) in store.query("predicate_frequency").rows


def found(store: Store, wanted: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...] | Table]:
    """By query the row that is wanted of it, where it is there, else all that there are."""
    given = {"entity": "Giraffe", "other": "tree", "relation": "depicts", "run": "first", "least": 2}
    rows: dict[str, tuple[Any, ...] | Table] = {}
    for name, row in wanted.items():
        values = given | {"id": f"{SAMPLE.id}@first/1"} | ({"other": "second"} if name == "run_differences" else {})
        names = {parameter.name for parameter in query_statement(name).parameters}
        table = store.query(name, {key: value for key, value in values.items() if key in names})
        rows[name] = row if row in table.rows else table
    return rows


TWIN = replace(SAMPLE, id="fvqa/val/7", benchmark="fvqa", image_id="1")
FOUND_IN_TWINS = {
    "commonest_objects": ("depicts", 3, 1, "giraffe", 100.0),
    "shared_images": ("1", 2, 2, TWIN.id),
    "duplicate_questions": ("what is it?", "giraffe", 2, 2, f"{TWIN.id}@raw/0"),
    "near_duplicates": ("1", "giraffe", 2, [SAMPLE.question, SAMPLE.question]),
    "same_keys": (["depicts"], ["giraffe"], 2, f"{TWIN.id}@raw/0"),
    "key_shapes": (["depicts", "taxonomic family"], 2, 1, f"{SAMPLE.id}@first/1"),
    "run_differences": (SAMPLE.id, 1, family().question.text, "Giraffidae", "Which family is it of?", "okapis"),
}


def test_queries_compare_samples_and_runs(store: Store) -> None:
    load(store)
    graph = replace(giraffe_graph(), sample=TWIN.id)
    store.save_samples([TWIN, replace(SAMPLE, image_id="1")])
    store.save_graphs([graph], [raw(TWIN, graph)])
    second = family("second", "okapis")
    question = replace(second.question, text="Which family is it of?")
    store.save_questions([family(), second._replace(question=question, inspections=())])
    assert found(store, FOUND_IN_TWINS) == FOUND_IN_TWINS


def test_a_parameter_is_checked() -> None:
    one = query_statement("relation_frequency")
    assert bind(one, {}) == {"limit": 25}
    assert bind(one, {"limit": "3"}) == {"limit": 3}
    with pytest.raises(InputError, match="'limit' must be a whole number of 0 or more; found 'many'"):
        bind(one, {"limit": "many"})
    with pytest.raises(InputError, match="has no parameter 'most'; it takes limit"):
        bind(one, {"most": 3})
    needed = r"needs 'entity' .*; give it with -p entity="
    with pytest.raises(InputError, match=needed):
        bind(query_statement("samples_about"), {})
    with pytest.raises(InputError, match="no query 'nothing'; choose from accuracy_by_hop, answers, "):
        query_statement("nothing")


SCANS = (
    *("AllNodesScan", "NodeByLabelScan", "UnionNodeByLabelsScan"),
    *("AllRelationshipsScan", "RelationshipTypeScan", "RelationshipTypesScan"),
)
NARROW = {"rows", "samples", "ids", "names", "id"}
WHOLE = {"forget_nodes"}  # these work on the whole graph by what they are for


def scans(plan: dict[str, Any]) -> list[str]:
    """The operators of a plan that read everything of a kind."""
    below = [name for child in plan.get("children", ()) for name in scans(child)]
    return [name for name in [plan["operatorType"], *below] if any(scan in name for scan in SCANS)]


SAMPLES = 2_000  # of the crowd
CROWD = """
UNWIND range(1, 2000) AS number
CREATE (sample:Sample {id: 'crowd/' + number})
CREATE (question:Question {id: 'crowd/' + number + '@raw/0', sample: 'crowd/' + number, run: 'raw'})
CREATE (question)-[:OF]->(sample)
CREATE (subject:Entity {id: 'crowd|' + number, sample: 'crowd/' + number})
CREATE (object:Entity {id: 'crowd|' + number + '|object', sample: 'crowd/' + number})
CREATE (sample)-[:ROOT]->(subject)
CREATE (subject)-[:KEY {id: 'crowd|' + number}]->(object)
CREATE (subject)-[:VISUAL {id: 'crowd|' + number}]->(object)
CREATE (subject)-[:TEXTUAL {id: 'crowd|' + number}]->(object)
CREATE (:Review {id: 'crowd|' + number})-[:REVIEWS]->(question)
CREATE (picture:Picture {id: 'crowd|' + number, item: 'Q' + number, reason: ''})
CREATE (item:Item {id: 'Q' + number, fetched: '2026-11-27'})
CREATE (literal:Literal {id: 'text|' + number})
CREATE (sample)-[:FROM {item: 'Q' + number}]->(picture)
CREATE (picture)-[:ABOUT]->(item)
CREATE (item)-[:STATEMENT {id: 'crowd|' + number, item: 'Q' + number, kept: true}]->(literal)
"""
"""Where there are hardly any edges, to read all of a kind is as good a plan as any."""


def crowd(store: Store, session: Session) -> None:
    """Make many samples, and let a server count them: until it has, it plans as if there were none."""
    session.run(CROWD).consume()
    if store.connection.place.address.username != "root":  # the embedded engine plans by rules
        session.run("CALL db.prepareForReplanning(120)").consume()


def looked_at(profile: dict[str, Any]) -> int:
    """How much a statement read: hits of the database; on the embedded engine, which counts none, rows of its steps."""
    text = str(profile["args"].get("string-representation", ""))
    rows = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+(?= rows)|(?<=rows=)[\d,]+", text)]
    return sum(rows) + profile.get("dbHits", 0) + sum(looked_at(child) for child in profile.get("children", ()))


def test_no_statement_reads_more_than_it_says(full: Store) -> None:
    """All of it on one crowd, which takes longer to make than to look at."""
    with full.connection.driver.session(database=full.connection.place.address.database) as session:
        crowd(full, session)
        for one in map(read_statement, NAMES):
            is_narrow = NARROW & {parameter.name for parameter in one.parameters}
            if is_narrow and one.name not in WHOLE and not one.reads and one.kind != "query":
                profile = _profile(session, one)
                assert scans(profile) == [], one.name
                assert looked_at(profile) < SAMPLES / 10, one.name


def _profile(session: Session, statement: Statement) -> dict[str, Any]:
    """What a statement read on its way; what it wrote is taken back."""
    with session.begin_transaction() as transaction:
        profile = transaction.run(f"PROFILE {statement.text}", _values(statement)).consume().profile
        transaction.rollback()
    assert profile
    return profile


def _values(statement: Statement) -> dict[str, Any]:
    return {parameter.name: VALUES.get(parameter.name, parameter.default) for parameter in statement.parameters}
