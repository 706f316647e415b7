"""Entities from a dump of Wikidata, in the shape in which Wikimedia gives it."""

import bz2
import gzip
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest
from wikimedia_cases import wiki_data

from kbe_graph.errors import DatasetError
from kbe_graph.wiki.dump import entities_of_dump, labels_of_dump

PACKED = {".json": bytes, ".json.gz": gzip.compress, ".json.bz2": bz2.compress}


def item(number: int, **more) -> str:
    label = {"en": {"language": "en", "value": f"thing {number}"}}
    return json.dumps({"type": "item", "id": f"Q{number}", "labels": label, "claims": {}} | more, separators=(",", ":"))


def write(file: Path, lines: Iterable[str]) -> Path:
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    file.write_bytes(PACKED["".join(file.suffixes)](text.encode()))
    return file


@pytest.mark.parametrize("ending", PACKED)
def test_wanted_entities_are_read_whole_from_a_dump_packed_or_not(tmp_path, ending):
    whole = {
        file.name.removesuffix(".json.gz"): gzip.decompress(file.read_bytes()).decode()
        for file in sorted((wiki_data() / "wikidata_entities").glob("Q*.json.gz"))
    }
    file = write(tmp_path / f"dump{ending}", whole.values())
    found = {entity["id"]: entity for entity in entities_of_dump(file, {"Q275", "Q42", "Q99"})}
    assert found == {id_: json.loads(whole[id_]) for id_ in ("Q275", "Q42")}


def test_an_entity_is_found_wherever_its_id_stands(tmp_path):
    odd = json.dumps(
        {"labels": {}, "claims": {"P1": [{"id": "Q7$1", "type": "statement"}]}, "id": "Q7", "type": "item"}
    )
    file = write(tmp_path / "dump.json", [item(1), odd])
    assert [entity["id"] for entity in entities_of_dump(file, {"Q7"})] == ["Q7"]


def test_reading_ends_once_all_are_found(tmp_path):
    file = write(tmp_path / "dump.json", [item(1), item(2), "{broken"])
    assert [entity["id"] for entity in entities_of_dump(file, {"Q2"})] == ["Q2"]
    assert list(entities_of_dump(file, ())) == []


def test_labels_are_those_of_the_language_else_of_all_languages(tmp_path):
    names = {"mul": {"language": "mul", "value": "IBM"}}
    file = write(tmp_path / "dump.json", [item(1), item(2, labels=names), item(3, labels={})])
    assert labels_of_dump(file, {"Q1", "Q2", "Q3"}) == {"Q1": "thing 1", "Q2": "IBM"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type":"item","id":"Q5","labels":{', "line 3: not an entity .*; fetch the dump again"),
        ("7", "line 3: not an entity, but b'7'; give a JSON dump"),
        ('{"id": 5}', "line 3: not an entity, but"),
        ("[" * 100_000, "line 3: not an entity"),
    ],
)
def test_a_broken_line_is_told_with_its_place(tmp_path, line, message):
    file = write(tmp_path / "dump.json", [item(1), line])
    with pytest.raises(DatasetError, match=f"dump.json {message}"):
        list(entities_of_dump(file, {"Q9"}))


@pytest.mark.parametrize(("ending", "kind"), [(".json.gz", "gzip"), (".json.bz2", "bzip2")])
def test_a_packed_dump_that_was_cut_is_told_of(tmp_path, ending, kind):
    file = write(tmp_path / f"dump{ending}", [item(number) for number in range(1, 3000)])
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DatasetError, match=f"broken {kind}"):
        list(entities_of_dump(file, {"Q9999"}))


def test_memory_stays_flat_however_long_the_dump_is(tmp_path):
    file = write(tmp_path / "dump.json.gz", (item(number, text=f"{number}" * 100) for number in range(1, 20_000)))
    tracemalloc.start()
    assert [entity["id"] for entity in entities_of_dump(file, {"Q19999"})] == ["Q19999"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
