"""Pictures of Wikipedia pages, read from WIT and from lists."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from wikimedia_cases import ROW, WIT, wiki_data, write_wit

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.attribution import in_language
from kbe_graph.wiki.commons import commons_address, file_of, thumbnail
from kbe_graph.wiki.corpus import NO_PICTURE, NOT_MAIN, read_corpus, with_file
from kbe_graph.wiki.page_name import PageName, page_of


def read(tmp_path: Path, *rows: dict[str, str], **options) -> list[PagePicture]:
    return list(read_corpus(write_wit(tmp_path / "wit.tsv", rows), **options))


def listed(tmp_path: Path, text: str) -> list[PagePicture]:
    file = tmp_path / "pages.txt"
    file.write_text(text, encoding="utf-8")
    return list(read_corpus(file))


# Rows of WIT


def test_real_rows_are_read_with_their_captions_in_one_language_and_their_reasons():
    rows = list(read_corpus(wiki_data() / "wit_sample" / "wit_real_rows.tsv.gz"))
    expected = [
        ("es:Hoz y martillo|MGS_logo.JPG", "", ""),
        ("de:Kleines Hasenmaul|Noctilio_albiventris.jpg", "Lesser bulldog bat (Noctilio albiventris)", ""),
        ("ru:Украинская гривна|Coin_of_Ukraine_1-2-5_r.jpg", "Coin of Ukraine", ""),
        ("it:Nube dei Cani da Caccia I|M94_group.gif", "", "picture type image/gif"),
        ("tg:Republic P-43 Lancer|Republic_P-43_Lancer.jpg", "", ""),
        ("en:Deer Park, Wisconsin|Deer_Park_Wisconsin_Downtown_WIS46.jpg", "Downtown Deer Park", ""),
    ]
    assert expected == [(row.id, row.caption, row.reason) for row in rows]
    assert (rows[0].width, rows[0].height, rows[0].is_main, rows[0].section) == (272, 107, False, "Emblemas")
    assert rows[0].context.endswith("de la Unión Soviética.")
    assert rows[4].image.startswith("https://upload.wikimedia.org/")


def test_rows_of_a_packed_file_without_sizes_are_read():
    rows = list(read_corpus(wiki_data() / "wit_sample" / "wit_shape_from_wikidata.tsv.gz"))
    assert len(rows) == 14
    bridge = next(row for row in rows if row.title == "Forth Bridge")
    assert bridge.caption == "cantilever railway bridge over the Firth of Forth in the east of Scotland"
    assert (bridge.width, bridge.is_main, bridge.page) == (0, True, ROW["page_url"])


def test_a_caption_is_in_the_language_that_is_wanted(tmp_path):
    page = {"page_url": "https://ru.wikipedia.org/wiki/Рим", "caption_reference_description": "Вид на Рим"}
    both = page | {"caption_attribution_description": "English: View of Rome Русский: Рим"}
    assert read(tmp_path, both)[0].caption == "View of Rome"
    assert read(tmp_path, both, language="ru")[0].caption == "Вид на Рим"
    assert read(tmp_path, page)[0].caption == ""


def test_the_caption_is_the_reference_else_the_alternative_text_else_the_description(tmp_path):
    attribution = {"caption_attribution_description": "English: described"}
    alt = attribution | {"caption_alt_text_description": "alternative"}
    rows = read(tmp_path, attribution, alt, alt | {"caption_reference_description": "below\n the picture"})
    assert [row.caption for row in rows] == ["described", "alternative", "below the picture"]


def test_a_description_without_a_language_counts_where_it_passes_as_that_of_the_page(tmp_path):
    text = {"caption_attribution_description": "A bridge: seen from the shore"}
    passing = text | {"attribution_passes_lang_id": "true"}
    assert [row.caption for row in read(tmp_path, text, passing)] == ["", "A bridge: seen from the shore"]


@pytest.mark.parametrize(
    ("attribution", "expected"),
    [
        ("Deutsch: Das Tor in Berlin: Abend English: The gate in Berlin: evening", "The gate in Berlin: evening"),
        ("日本語: 橋 English: A bridge 中文（简体）: 桥", "A bridge"),
        ("english: small letters", "small letters"),
        ("Deutsch: Brücke", ""),
        ("English:", ""),
        ("", ""),
    ],
)
def test_the_text_of_one_language_is_taken_from_a_description_of_several(attribution, expected):
    assert in_language(attribution, "en") == expected


def test_pictures_that_are_left_out_are_told_with_the_reason(tmp_path):
    rows = read(
        tmp_path,
        {"mime_type": "image/svg+xml"},
        {"is_main_image": "false"},
        {"image_url": "ftp://example.org/a.jpg"},
        {"page_url": "https://de.wikipedia.org/wiki/Rom"},
        {},
        main_only=True,
        page_languages=("en",),
    )
    expected = ["picture type image/svg+xml", NOT_MAIN, NO_PICTURE, "page language de", ""]
    assert expected == [row.reason for row in rows]
    assert read(tmp_path, {"mime_type": "image/gif"}, kinds=("image/gif",))[0].reason == ""


def test_only_so_many_pictures_without_a_reason_are_read(tmp_path):
    rows = read(tmp_path, {"mime_type": "image/gif"}, {}, {"mime_type": "image/gif"}, {}, {}, number=2)
    assert [bool(row.reason) for row in rows] == [True, False, True, False]
    assert read(tmp_path, {}, number=0) == []


def test_columns_are_found_by_name_and_the_one_of_kaggle_is_no_fault(tmp_path):
    columns = (*reversed(WIT), "caption_title_and_reference_description")
    (row,) = read_corpus(write_wit(tmp_path / "wit.tsv", [{}], columns))
    assert row.title == "Forth Bridge"


def test_jsonl_is_read_like_a_table(tmp_path):
    file = tmp_path / "wit.jsonl.gz"
    row = {**ROW, "is_main_image": True, "original_width": 800, "caption_reference_description": None}
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    (picture,) = read_corpus(file)
    assert (picture.is_main, picture.width, picture.caption) == (True, 800, "")


def test_a_cell_may_hold_line_breaks_and_control_characters_and_be_very_long(tmp_path):
    text = 'a "quoted"\nline\x1b[2J ' + "é" * 300_000
    (row,) = read(tmp_path, {"context_page_description": text, "caption_reference_description": text})
    assert row.caption.startswith('a "quoted" line [2J é')
    assert (len(row.caption), len(row.context)) == (2_000, 10_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\nc\td\n", r"wit.tsv line 1: no 'page_url' column; found 'a', 'b'; give a file with the columns of WIT"),
        ("page_url\timage_url\nx\n", "wit.tsv line 2: 1 cells where the header has 2"),
        ('page_url\timage_url\nx\t"y\n', "wit.tsv line 2: not a table row"),
        ("page_url\timage_url\n\udcff\t\n", "wit.tsv line 2: not UTF-8 text"),
        ("", "is empty; give a file of WIT, or a list of pages"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_told_of_once(tmp_path, text, message):
    file = tmp_path / "wit.tsv"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DatasetError, match=message):
        list(read_corpus(file))


def test_a_packed_file_that_was_cut_is_told_of(tmp_path):
    file = write_wit(tmp_path / "wit.tsv.gz", [{"page_title": str(number)} for number in range(2000)])
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(DatasetError, match="broken gzip"):
        list(read_corpus(file))


def test_memory_stays_flat_however_many_rows_there_are(tmp_path):
    file = write_wit(tmp_path / "wit.tsv", ({"page_title": str(number)} for number in range(6000)))
    tracemalloc.start()
    pictures = read_corpus(file)
    next(pictures)
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    assert sum(1 for _ in pictures) == 5999
    grown = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert grown < 2_000_000


# Lists


def test_a_list_holds_addresses_titles_and_items(tmp_path):
    rows = listed(
        tmp_path,
        "# my pages\nhttps://de.m.wikipedia.org/wiki/S%C3%A4ge_(Werkzeug)#Arten\n\nDeer Park, Wisconsin\nQ275\n"
        "https://www.wikidata.org/wiki/Q220\n",
    )
    expected = [
        ("de:Säge (Werkzeug)|", "Säge (Werkzeug)", "de", ""),
        ("en:Deer Park, Wisconsin|", "Deer Park, Wisconsin", "en", ""),
        ("Q275|", "", "en", "Q275"),
        ("Q220|", "", "en", "Q220"),
    ]
    assert expected == [(row.id, row.title, row.language, row.item) for row in rows]
    assert {row.image for row in rows} == {""}


@pytest.mark.parametrize("entry", ["https://example.org/wiki/Rome", "https://en.wikipedia.org/", "a|b", "x" * 256])
def test_a_line_that_names_no_page_is_told_of(tmp_path, entry):
    with pytest.raises(DatasetError, match=r"pages.txt line 2: .* is no (address|title) .*write 'https://en"):
        listed(tmp_path, f"Rome\n{entry}\n")


def test_an_entry_takes_the_picture_that_its_item_names(tmp_path):
    page, item = (with_file(row, "Bb-forthrailbridge.jpg") for row in listed(tmp_path, "Forth Bridge\nQ275\n"))
    assert (page.id, item.id) == ("en:Forth Bridge|Bb-forthrailbridge.jpg", "Q275|Bb-forthrailbridge.jpg")
    assert (page.image, page.is_main, page.mime) == (ROW["image_url"], True, "image/jpeg")
    assert with_file(item, "Flag.svg").reason == "picture type image/svg+xml"


def test_a_language_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"the language is 'e.n/'"):
        read(tmp_path, {}, language="e.n/")


# Names and addresses


def test_the_addresses_of_files_follow_from_their_names():
    rows = list(read_corpus(wiki_data() / "wit_sample" / "wit_real_rows.tsv.gz"))
    assert [row.image for row in rows] == [commons_address(file_of(row.image).name) for row in rows]


@pytest.mark.parametrize(
    ("width", "address"),
    [
        (300, "commons/thumb/4/4f/A.jpg/330px-A.jpg"),
        (290, "commons/thumb/4/4f/A.jpg/330px-A.jpg"),
        (9000, "commons/thumb/4/4f/A.jpg/3840px-A.jpg"),
    ],
)
def test_a_thumbnail_has_the_served_width_that_is_nearest(width, address):
    root = "https://upload.wikimedia.org/wikipedia/"
    assert thumbnail(f"{root}commons/4/4f/A.jpg", width) == root + address
    assert thumbnail(root + address, width) == root + address


def test_drawings_have_thumbnails_of_another_type_and_other_addresses_have_none():
    root = "https://upload.wikimedia.org/wikipedia/en"
    assert thumbnail(f"{root}/4/4f/A.svg", 500) == f"{root}/thumb/4/4f/A.svg/500px-A.svg.png"
    assert thumbnail("https://example.org/A.jpg", 500) == "https://example.org/A.jpg"
    assert file_of(f"{root}/thumb/4/4f/A_b.svg/500px-A_b.svg.png") == ("en", "A_b.svg")


def test_a_page_and_its_address_lead_to_each_other():
    page = PageName("en", "AC/DC: Who's “Who”?")
    assert page_of(page.address) == page
    assert page_of("https://en.wikipedia.org/w/index.php?title=Forth_Bridge&action=raw").title == "Forth Bridge"
    assert page_of("https://en.wikipedia.org.example.net/wiki/Rome") == ("", "")
