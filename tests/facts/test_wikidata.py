import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sparql_server import Sparql, serving

from kbe_graph.config import Config
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.facts.pack import PackSource
from kbe_graph.facts.wikidata.closure import Closure, closure, link, mention_of, wikidata_pack
from kbe_graph.facts.wikidata.rules import protected
from kbe_graph.facts.wikidata.wikidata import (
    PUBLIC,
    Archive,
    WikidataSettings,
    Wikimedia,
    rows_about,
    wikidata_settings,
)
from kbe_graph.types import Question, Sample

FILE = Path(__file__).parents[1] / "data" / "wikidata.ttl"
DOG, ROME, CAT, HORSE = "wn30:02084071-n", "wn30:08806897-n", "wn30:02121620-n", "wn30:02374451-n"
SHEEP, GIRAFFE, BELGIUM = "wn30:02411705-n", "wn30:02439033-n", "wn30:08849753-n"
DENIED = (
    *("P21", "P91", "P140", "P172", "P27", "P103", "P569", "P570", "P26", "P102"),
    *("P1050", "P1142", "P451", "P551", "P3716", "P6886", "P509", "P1196"),
)


@pytest.fixture
def server() -> Iterator[Sparql]:
    with serving(FILE) as server:
        yield server


@pytest.fixture
def archive(tmp_path) -> Iterator[Archive]:
    with Archive(tmp_path / "answers.sqlite") as archive:
        yield archive


@pytest.fixture
def wikidata(server, archive) -> Wikimedia:
    return Wikimedia(archive, settings(server))


def settings(server: Sparql, **more) -> WikidataSettings:
    return WikidataSettings(endpoint=server.url, **{"pause": 0.01, "patience": 5} | more)


def answer(concept, name="", question="What animal is this?"):
    return mention_of(question, name, concept)


def of(*concepts):
    return {concept: answer(concept) for concept in concepts}


def linked(wikidata, *answers):
    return {key.name or key.concept: (one.item, one.reason) for key, one in link(wikidata, answers).items()}


def told(facts):
    return {(fact.relation, fact.object) for fact in facts}


def candidates(facts, question):
    return asyncio.run(PackSource(facts, single=True).candidates(Sample("s", "s", "", "", ""), question))


def dog(wikidata) -> Closure:
    return closure(wikidata, of(DOG), hops=3)


# Linking


def test_answers_are_linked_by_their_kinds_or_not_at_all(wikidata):
    concepts = {
        DOG: ("Q144", ""),  # not the film of this name
        ROME: ("Q220", ""),
        BELGIUM: ("Q31", ""),
        CAT: ("", "several items"),
        HORSE: ("Q900012", ""),  # known far better than the other
        SHEEP: ("", "no item of this name"),  # in another language alone
        GIRAFFE: ("Q900015", ""),
    }
    assert linked(wikidata, *map(answer, concepts)) == concepts
    city, vehicle, thing = "What city is this?", "What vehicle is this?", "What is it?"
    found = linked(wikidata, answer("", "The Eternal City", city), answer("", "Roma", thing))
    assert found == {"The Eternal City": ("Q220", ""), "Roma": ("", "no kind to check")}
    assert linked(wikidata, answer("", "Rome", vehicle)) == {"Rome": ("", "no item of this kind")}


def test_a_name_cannot_end_its_literal_and_what_is_no_item_is_refused(wikidata):
    names = {'the "big" \\ one': ("Q900016", ""), 'x"@en) } #\n': ("", "no item of this name")}
    assert linked(wikidata, *(answer("", name, "What vehicle is this?") for name in names)) == names
    with pytest.raises(InputError, match="'Q1 } #' is not a Wikidata item"):
        rows_about(wikidata, "facts", ["Q1 } #"])


# Facts


def test_only_statements_of_best_rank_that_hold_now_and_of_the_whole_become_facts(wikidata):
    facts = dog(wikidata).pack.facts_about(DOG)
    assert told(facts) == {("country of origin", "Germany")}
    (fact,) = facts
    assert (fact.object_id, fact.source, fact.source_ref) == ("wd:Q183", "Wikidata", "Q144$right")
    assert fact.evidence == "Q144 dog: country of origin (P495): Q183 Germany"


def test_any_property_with_one_value_that_an_answer_can_say_gives_a_candidate(wikidata):
    knowledge = wikidata_pack(wikidata, {"Q31": [BELGIUM], "Q183": [], "Q753": []}, hops=1)
    assert len(knowledge.ask(BELGIUM, "official language")) == 3  # with several values, none
    for concept, expected in {
        BELGIUM: {
            ("capital", "City of Brussels"),
            ("currency", "euro"),
            ("continent", "Europe"),
            ("namesake", "Belgae"),
            ("highest peak", "Signal de Botrange"),
        },
        "wd:Q183": {("capital", "Berlin"), ("currency", "euro"), ("inception", "1949"), ("driving side", "right")},
        "wd:Q753": {("density", "8.96 grams per cubic centimetre")},  # neither two units, nor a symbol or a code
    }.items():
        question = Question("b@raw/0", "b", "raw", 0, "raw", "What is this?", "it", (), concept=concept)
        assert told(candidates(knowledge, question)) == expected


def test_facts_lead_on_for_as_many_hops_as_are_asked(wikidata):
    found = dog(wikidata).pack
    assert found.reachable(DOG, 3)["wd:Q64"] == 2
    assert ("highest peak", "Berlin") not in told(found.facts)
    assert found.facts_about("wd:Q64")
    assert not closure(wikidata, of(DOG), hops=1).pack.facts_about("wd:Q183")


def test_protected_properties_are_never_asked(wikidata, server):
    dog(wikidata)
    assert set(DENIED) == set(protected())
    asked = [query for query in server.asked if "BestRank" in query]
    assert len(asked) == 3
    answers = b"".join(map(server.answer, asked))
    assert b"entity/P495" in answers
    assert not [name for name in DENIED if f'entity/{name}"'.encode() in answers]


# Use by filters, wording and checks


# Archive and settings


def test_the_endpoint_is_told_who_asks_one_query_at_a_time_and_a_second_time_is_offline_and_identical(server, tmp_path):
    with Archive(tmp_path / "a") as archive:
        asking = Wikimedia(archive, settings(server, contact="someone@example.org"))
        first = closure(asking, of(DOG, ROME, CAT), hops=3)
    assert set(server.agents) == {"kbe-graph/0.1.0 (someone@example.org)"}
    assert server.most_at_once == 1
    asked = len(server.asked)
    with Archive(tmp_path / "a") as archive:
        again = closure(Wikimedia(archive, settings(server, offline=True)), of(CAT, ROME, DOG), hops=3)
    assert (again.pack.facts, again.pack.names) == (first.pack.facts, first.pack.names)
    assert (again.concepts, again.abstained) == (first.concepts, first.abstained)
    assert len(server.asked) == asked


def config(**facts) -> Config:
    return Config(Path("kbe.toml"), {"facts": facts})


def test_settings_come_from_flag_environment_and_file_and_the_public_endpoint_needs_a_contact():
    with pytest.raises(ConfigError, match=r"no contact .*`contact`, environment KBE_CONTACT and kbe.toml"):
        wikidata_settings(config(), {})
    assert wikidata_settings(config(), {}, offline=True).offline
    assert wikidata_settings(config(endpoint="http://[::1]:7001/sparql"), {}).contact == ""
    contacts = [
        wikidata_settings(config(contact="file@x.org"), environ, contact=flag).contact
        for environ, flag in [({}, None), ({"KBE_CONTACT": "env@x.org"}, None), ({"KBE_CONTACT": "e"}, "flag@x.org")]
    ]
    assert contacts == ["file@x.org", "env@x.org", "flag@x.org"]
    assert wikidata_settings(config(contact="c"), {}).endpoint == PUBLIC
    for wrong in [{"endpoint": "file:///etc/passwd"}, {"contact": "a\r\nX: y"}, {"offline": "no"}]:
        with pytest.raises(ConfigError):
            wikidata_settings(config(**{"contact": "c"} | wrong), {})
