"""Pictures of Wikipedia pages, read from WIT and from lists; entities from a dump."""

import bz2
import gzip
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

from shared import data_folder
from wikimedia_cases import ROW, write_wit

from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.corpus import NO_PICTURE, NOT_MAIN, commons_address, file_of, read_corpus, with_file
from kbe_graph.wiki.entities import entities_of_dump

PACKED = {".json": bytes, ".json.gz": gzip.compress, ".json.bz2": bz2.compress}


def read(tmp_path: Path, *rows: dict[str, str], **options) -> list[PagePicture]:
    return list(read_corpus(write_wit(tmp_path / "wit.tsv", rows), **options))


def test_real_rows_are_read_with_their_captions_and_their_reasons():
    rows = list(read_corpus(data_folder() / "wit_sample" / "wit_real_rows.tsv.gz"))
    assert [(row.id, row.reason) for row in rows][2:5] == [
        ("ru:Украинская гривна|Coin_of_Ukraine_1-2-5_r.jpg", ""),
        ("it:Nube dei Cani da Caccia I|M94_group.gif", "picture type image/gif"),
        ("tg:Republic P-43 Lancer|Republic_P-43_Lancer.jpg", ""),
    ]
    assert (rows[0].width, rows[0].height, rows[0].is_main, rows[0].section) == (272, 107, False, "Emblemas")
    assert rows[5].caption == "Downtown Deer Park"
    assert [row.image for row in rows] == [commons_address(file_of(row.image).name) for row in rows]


def test_the_caption_is_the_reference_else_the_alternative_text_else_the_attribution_of_the_page(tmp_path):
    attribution = {"caption_attribution_description": "English: described", "attribution_passes_lang_id": "true"}
    alt = attribution | {"caption_alt_text_description": "alternative"}
    other = alt | {"page_url": "https://ru.wikipedia.org/wiki/Рим"}
    text = "below\n the\x1b[2J picture " + "é" * 300_000
    rows = read(tmp_path, attribution, alt, alt | {"caption_reference_description": text}, other)
    assert [row.caption for row in rows][::3] == ["described", ""]
    assert (rows[1].caption, rows[2].caption[:21], len(rows[2].caption)) == (
        "alternative",
        "below the [2J picture",
        2_000,
    )
    file = tmp_path / "wit.jsonl.gz"
    row = {**ROW, "is_main_image": True, "original_width": 800, "caption_reference_description": None}
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    (picture,) = read_corpus(file)
    assert (picture.is_main, picture.width, picture.caption) == (True, 800, "")


def test_pictures_that_are_left_out_have_a_reason_and_do_not_count(tmp_path):
    rows = [{"mime_type": "image/svg+xml"}, {"is_main_image": "false"}, {"image_url": "ftp://example.org/a.jpg"}, {}]
    reasons = ["picture type image/svg+xml", NOT_MAIN, NO_PICTURE, ""]
    assert reasons == [row.reason for row in read(tmp_path, *rows, {}, main_only=True, number=1)]


def test_a_list_holds_addresses_titles_and_items(tmp_path):
    file = tmp_path / "pages.txt"
    page = "https://de.m.wikipedia.org/wiki/S%C3%A4ge_(Werkzeug)#Arten"
    file.write_text(f"# my pages\n{page}\n\nQ7 (film)\nQ275\nhttps://www.wikidata.org/wiki/Q220\n", encoding="utf-8")
    rows = list(read_corpus(file))
    expected = [
        ("de:Säge (Werkzeug)|", "Säge (Werkzeug)", "de", ""),
        ("en:Q7 (film)|", "Q7 (film)", "en", ""),
        ("Q275|", "", "en", "Q275"),
        ("Q220|", "", "en", "Q220"),
    ]
    assert expected == [(row.id, row.title, row.language, row.item) for row in rows]
    bridge = with_file(rows[2], "Bb-forthrailbridge.jpg")
    assert (bridge.id, bridge.image, bridge.is_main, bridge.mime) == ("Q275|", ROW["image_url"], True, "image/jpeg")
    assert with_file(rows[3], "Flag.svg").reason == "picture type image/svg+xml"
    assert with_file(rows[3], " ").reason == NO_PICTURE


def item(number: int, **more) -> str:
    label = {"en": {"language": "en", "value": f"thing {number}"}}
    return json.dumps({"type": "item", "id": f"Q{number}", "labels": label, "claims": {}} | more, separators=(",", ":"))


def dump(file: Path, lines: Iterable[str]) -> Path:
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    file.write_bytes(PACKED["".join(file.suffixes)](text.encode()))
    return file


def test_wanted_entities_are_read_whole_from_a_dump_packed_or_not_until_all_are_there(tmp_path):
    odd = json.dumps({"labels": {}, "claims": {"P1": [{"id": "Q7$1"}]}, "id": "Q7", "type": "item"})
    for ending in PACKED:
        file = dump(tmp_path / f"dump{ending}", [item(1), item(2), odd, "{broken"])
        found = {entity["id"]: entity for entity in entities_of_dump(file, {"Q2", "Q7"})}
        assert found == {"Q2": json.loads(item(2)), "Q7": json.loads(odd)}, ending


def test_memory_stays_flat_however_long_a_corpus_or_a_dump_is(tmp_path):
    corpus = write_wit(tmp_path / "wit.tsv", ({"page_title": str(number)} for number in range(3000)))
    long_dump = dump(tmp_path / "dump.json.gz", (item(number, text=f"{number}" * 100) for number in range(1, 10_000)))
    pictures, entities = read_corpus(corpus), entities_of_dump(long_dump, {"Q1", "Q9999"})
    next(pictures)
    next(entities)
    tracemalloc.start()
    assert sum(1 for _ in pictures) == 2999
    assert [entity["id"] for entity in entities] == ["Q9999"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
