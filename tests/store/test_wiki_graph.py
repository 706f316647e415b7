"""Pictures of pages, items and statements, and what samples were made of, on every engine."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from specimens import COLOUR, SAMPLE, dump, family, load
from wiki_specimens import (
    ADAMS,
    DEATH,
    HEIGHT,
    HUMAN,
    LOST,
    OTHER_HUMAN,
    PICTURE,
    STATEMENTS,
    TOLSTOY,
    origin_for,
    save_wiki,
)

from kbe_graph.errors import InputError
from kbe_graph.store import Store
from kbe_graph.store.schema import VERSION, prepare, record_version, schema_version
from kbe_graph.store.wiki_graph import forget_wiki
from kbe_graph.types import SampleOrigin, WikiItem, WikiStatement


@pytest.fixture
def full(store: Store) -> Store:
    """A graph with samples, a run, pictures, items, statements and an origin."""
    load(store)
    store.save_questions([family()])
    save_wiki(store)
    store.save_origins([origin_for(SAMPLE.id)])
    return store


def test_items_and_statements_come_back_as_they_were_in_order(full: Store) -> None:
    assert full.items(["Q42", "Q7243", "Q1"]) == {"Q42": ADAMS, "Q7243": TOLSTOY}
    assert full.item_statements(["Q42", "Q7243"], kept=None) == {"Q42": (HUMAN, HEIGHT, DEATH), "Q7243": (OTHER_HUMAN,)}
    assert full.statements([DEATH.id, OTHER_HUMAN.id, "Q1$1"]) == {DEATH.id: DEATH, OTHER_HUMAN.id: OTHER_HUMAN}


def test_an_item_that_is_only_named_has_a_label_and_waits(full: Store) -> None:
    assert full.items(["Q5"]) == {"Q5": WikiItem("Q5", "human")}
    assert full.fetched_items() == {"Q42", "Q7243"}
    full.save_items([WikiItem("Q5", "human being", fetched="2026-11-27")], [])
    full.save_items([ADAMS], STATEMENTS[:3])
    assert full.items(["Q5"])["Q5"].label == "human being"


def test_what_is_saved_again_is_replaced_whole(full: Store) -> None:
    once = dump(full)
    save_wiki(full)
    full.save_origins([origin_for(SAMPLE.id)])
    assert dump(full) == once
    full.save_items([replace(ADAMS, label="Adams", kinds=())], [replace(HEIGHT, text="6 feet")])
    assert full.item_statements(["Q42"], kept=None) == {"Q42": (replace(HEIGHT, text="6 feet"),)}
    assert full.items(["Q42"])["Q42"].kinds == ()
    assert [row[0] for row in full.query_text("MATCH (l:Literal) RETURN l.id").rows] == ["quantity|6 feet"]
    full.save_items([TOLSTOY], [])
    assert full.items(["Q5"]) == {}


def test_a_statement_without_an_item_or_an_id_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match=r"statement 'Q42\$1' is of 'Q42', which is not saved with it; add the item"):
        store.save_items([TOLSTOY], [HUMAN])
    with pytest.raises(InputError, match=r"a statement of 'Q42' \('P31'\) has no id"):
        store.save_items([ADAMS], [replace(HUMAN, id="")])


def test_many_statements_are_saved_in_batches(store: Store) -> None:
    items = [WikiItem(f"Q{number}", fetched="2026-11-27") for number in range(1_200)]
    statements = [
        WikiStatement(f"{item.id}${place}", item.id, f"P{place}", "part of", "wikibase-item", "item", f"Q{place}")
        for item in items
        for place in range(1 if item.id != "Q0" else 3_000)
    ]
    done = list[int]()
    store.save_items(items, statements, progress=lambda _, count, __: done.append(count))
    assert done[-1] == 1_200
    assert len(done) > 2
    assert len(store.item_statements(["Q0"])["Q0"]) == 3_000
    assert sum(map(len, store.item_statements([item.id for item in items]).values())) == len(statements)


def test_pictures_come_back_by_reason_and_limit(full: Store) -> None:
    assert full.pictures() == [PICTURE, LOST]
    assert full.pictures(reason="") == [PICTURE]
    assert full.pictures(reason="no item", ids=[PICTURE.id, LOST.id]) == [LOST]
    assert full.pictures(limit=1) == [PICTURE]
    assert full.pictures(ids=["nothing"]) == []


def test_an_origin_goes_with_its_sample_and_the_picture_stays(full: Store) -> None:
    assert full.origins() == {SAMPLE.id: origin_for(SAMPLE.id)} == full.origins([SAMPLE.id, COLOUR.id])
    other = SampleOrigin(SAMPLE.id, LOST.id, "", ())
    full.save_origins([other])
    assert full.origins() == {SAMPLE.id: other}
    full.forget_samples([SAMPLE.id])
    assert full.origins() == {}
    assert full.pictures() == [PICTURE, LOST]
    assert full.fetched_items() == {"Q42", "Q7243"}


def test_an_origin_of_what_is_not_there_is_refused(full: Store) -> None:
    with pytest.raises(InputError, match="no sample 'a/b/1' in the graph; load its benchmark first"):
        full.save_origins([origin_for("a/b/1")])
    with pytest.raises(InputError, match="no picture 'x' in the graph; save the pictures first"):
        full.save_origins([SampleOrigin(SAMPLE.id, "x", "Q42", ())])


def test_all_that_comes_from_wikipedia_is_forgotten_at_once(store: Store) -> None:
    load(store)
    once = dump(store)
    save_wiki(store)
    store.save_origins([origin_for(SAMPLE.id)])
    assert "wiki" in store.status()
    forget_wiki(store.connection)
    assert dump(store) == once
    assert "wiki" not in store.status()


def test_an_older_graph_is_brought_to_this_version_and_keeps_everything(store: Store, tmp_path: Path) -> None:
    load(store)
    store.save_questions([family()])
    for name in ("item_id", "literal_id", "picture_id", "statement_id"):
        store.connection.alone(f"DROP CONSTRAINT {name}")
    record_version(store.connection, 8)
    once = [line for line in dump(store) if '"Schema"' not in line]
    store.backup(tmp_path / "old.gz")
    head = json.loads(gzip.decompress((tmp_path / "old.gz").read_bytes()).splitlines()[0])
    assert head["schema"] == 8
    prepare(store.connection)
    assert schema_version(store.connection) == VERSION
    assert [line for line in dump(store) if '"Schema"' not in line] == once
    save_wiki(store)
    assert store.items(["Q42"]) == {"Q42": ADAMS}
    store.restore(tmp_path / "old.gz", replace=True)
    assert schema_version(store.connection) == VERSION
    assert [line for line in dump(store) if '"Schema"' not in line] == once


def test_the_status_counts_what_there_is(full: Store) -> None:
    assert full.status()["wiki"] == {
        "pictures": 2,
        "pictures with an item": 1,
        "pictures by reason": {"no item": 1},
        "items": 2,
        "items only named": 1,
        "statements": 4,
        "statements kept": 2,
    }
