"""Wikimedia's Action API on a server of this machine: items of pages, entities, labels and the rights of pictures."""

from collections.abc import Iterator

import pytest
from shared import data_folder
from sparql_server import Fault
from wikimedia_server import MAXLAG, WikimediaServer, serving

from kbe_graph.errors import ConfigError, InputError, SourceError
from kbe_graph.facts.wikidata.wikidata import Archive, WikidataSettings, Wikimedia
from kbe_graph.types.wiki import PagePicture
from kbe_graph.wiki.entities import WikidataEntities
from kbe_graph.wiki.mediawiki import (
    AMBIGUOUS,
    GONE,
    NO_ITEM,
    NO_TITLE,
    NOT_THERE,
    SECTION,
    WIKIMEDIA,
    address_of,
    with_items,
    with_rights,
)

COMMONS = "https://upload.wikimedia.org/wikipedia/commons"
BRIDGE = f"{COMMONS}/4/4f/Bb-forthrailbridge.jpg"


@pytest.fixture
def server() -> Iterator[WikimediaServer]:
    with serving(data_folder()) as server:
        yield server


@pytest.fixture
def own() -> Iterator[WikimediaServer]:
    """A server that needs no data folder."""
    with serving() as server:
        server.pages = {f"Page {number}": f"Q{number}" for number in range(1, 200)}
        yield server


@pytest.fixture
def archive(tmp_path) -> Iterator[Archive]:
    with Archive(tmp_path / "answers.sqlite") as archive:
        yield archive


def asking(server: WikimediaServer, archive: Archive, *, waits: list[float] | None = None, **more) -> Wikimedia:
    settings = WikidataSettings(endpoint=server.url, **{"pause": 0, "patience": 5} | more)
    return Wikimedia(archive, settings, sleep=(lambda _: None) if waits is None else waits.append)


def pages(*titles: str, language: str = "en") -> list[PagePicture]:
    return [PagePicture(f"{language}:{title}", "", title=title, language=language) for title in titles]


def numbered(number: int) -> list[PagePicture]:
    return pages(*(f"Page {place}" for place in range(1, number + 1)))


def items(wiki: Wikimedia, pictures: list[PagePicture]) -> list[str]:
    """Return the item of each picture, or the reason why it has none."""
    return [picture.item or picture.reason for picture in with_items(wiki, pictures)]


def test_redirects_are_followed_and_pages_without_an_item_have_a_reason(server, archive):
    wanted = {
        "forth_Bridge": "Q275",
        "Forth Rail Bridge": "Q275",
        "the_Eternal_City": "Q220",
        "Mercury": AMBIGUOUS,
        "Nowhere at all": NOT_THERE,
        "Page without item": NO_ITEM,
        "a|b": NO_TITLE,
        "Forth Bridge toll": SECTION,
        "": NO_TITLE,
    }
    assert items(asking(server, archive), pages(*wanted)) == list(wanted.values())


def test_entities_are_whole_and_merged_ones_are_followed_and_what_is_no_id_is_never_asked(server, archive):
    wrong = ["q1", "Q0", "L7", "Q1|Q2", "Q9999999999"]
    wiki = WikidataEntities(asking(server, archive))
    found = {each.asked: each for each in wiki.entities(["Q275", "Q900001", "Q77777777", *wrong])}
    bridge = found["Q275"]
    assert bridge.entity["claims"] == server.entities["Q275"]["claims"]
    assert (bridge.entity["labels"]["en"]["value"], bridge.source) == ("Forth Bridge", f"{server.url}/wikidata")
    assert found["Q900001"].entity["id"] == "Q275"
    assert [found[id_].entity for id_ in ("Q77777777", *wrong)] == [None] * 6
    assert [asked["ids"] for asked in server.requests("wbgetentities")] == ["Q275|Q900001|Q77777777"]


def test_a_picture_gets_author_and_licence_and_the_address_where_it_is_served(server, archive):
    server.dead = {"Gone.jpg"}
    local = "https://upload.wikimedia.org/wikipedia/en/1/12/Logo.png"
    odd = [f"{COMMONS}/a/ab/a%7Cb.jpg", f"{COMMONS}/a/ab/", ""]  # no names of files, which cost themselves alone
    images = [BRIDGE, f"{COMMONS}/a/ab/Gone.jpg", local, *odd]
    rows = [PagePicture(str(place), image) for place, image in enumerate(images)]
    bridge, gone, logo, *others = with_rights(asking(server, archive), rows)
    assert (bridge.author, bridge.licence, bridge.reason) == ("Ann & Bob", "CC BY-SA 4.0", "")
    assert bridge.licence_url == "https://creativecommons.org/licenses/by-sa/4.0"
    assert (bridge.image, bridge.width) == (f"{server.url}/pictures/Bb-forthrailbridge.jpg?width=960", 1200)
    assert (gone.image, gone.reason, logo.author) == (rows[1].image, GONE, "Ann & Bob")
    assert [each.reason for each in others] == [GONE] * 3
    assert {asked.path for asked in server.asked} == {"/commons", "/wikipedia/en"}


def test_a_busy_server_is_left_alone_for_as_long_as_it_says_and_given_up_after_long(own, archive):
    for number, fault in enumerate((Fault(429, retry_after="7"), MAXLAG._replace(retry_after="7")), 1):
        waits: list[float] = []
        own.faults = [fault, fault._replace(retry_after="")]
        wiki = asking(own, archive, waits=waits, pause=3, patience=60)
        assert items(wiki, numbered(number))[-1] == f"Q{number}"
        assert waits == [7, 3]
    own.faults = [MAXLAG] * 100
    with pytest.raises(SourceError, match=r"maxlag.*; it asks clients to wait 5 s, so run the same"):
        items(asking(own, archive, patience=60), numbered(3))


def test_a_second_time_is_offline_and_identical_and_offline_asks_nothing_else(server, tmp_path):
    results = []
    for offline in (False, True):
        with Archive(tmp_path / "a") as archive:
            wiki = asking(server, archive, offline=offline)
            entities = WikidataEntities(wiki)
            found = items(wiki, pages("Forth Rail Bridge", "Mercury", "Rome"))
            whole = list(entities.entities(["Q275", "Q900001", "Q77777777"]))
            rights = list(with_rights(wiki, [PagePicture("a", BRIDGE)]))
            results.append((found, whole, entities.labels(["P18", "Q5"]), rights, len(server.asked)))
    assert results[0] == results[1]
    assert results[0][-1] == 4
    with (
        Archive(tmp_path / "a") as archive,
        pytest.raises(SourceError, match=r"1 subjects of 'items' were never looked up \('Page 3'\); run it"),
    ):
        items(asking(server, archive, offline=True), pages("Rome", "Page 3"))


def test_each_wiki_has_its_address_and_no_other_name_makes_one():
    settings = WikidataSettings(endpoint=WIKIMEDIA, contact="me@example.org")
    assert address_of(settings, "wikidata") == "https://www.wikidata.org/w/api.php"
    assert address_of(settings, "commons") == "https://commons.wikimedia.org/w/api.php"
    assert address_of(settings, "de") == "https://de.wikipedia.org/w/api.php"
    with pytest.raises(InputError, match="the language is"):
        address_of(settings, "evil.org/")
    with pytest.raises(ConfigError, match="no contact"):
        WikidataSettings(endpoint=WIKIMEDIA)
