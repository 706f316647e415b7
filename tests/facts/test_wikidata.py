import asyncio
import json
import re
import threading
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sparql_server import Fault, Sparql, serving

from kbe_graph.checks import build_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.config import Config
from kbe_graph.errors import ConfigError, InputError, KbeWarning, SourceError
from kbe_graph.evolve.exploration import word_question
from kbe_graph.evolve.rule_wording import RuleExpresser
from kbe_graph.facts.pack import PackSource, merge, pack
from kbe_graph.facts.wikidata.closure import Closure, closure, link, mention_of, wikidata_pack
from kbe_graph.facts.wikidata.rules import amount, protected, relation_of
from kbe_graph.facts.wikidata.wikidata import (
    PUBLIC,
    Archive,
    Wikidata,
    WikidataSettings,
    items,
    literal,
    wikidata_settings,
)
from kbe_graph.facts.wikidata.wikidata import properties as property_terms
from kbe_graph.types import IMAGE, Candidate, Entity, Question, Sample, SampleGraph, Triplet

FILE = Path(__file__).parents[1] / "data" / "wikidata.ttl"
DOG, ROME, CAT, HORSE = "wn30:02084071-n", "wn30:08806897-n", "wn30:02121620-n", "wn30:02374451-n"
COUNTRY = "wn30:08544813-n"
SHEEP, GIRAFFE, BELGIUM, GERMANY = "wn30:02411705-n", "wn30:02439033-n", "wn30:08849753-n", "wn30:08766988-n"
DENIED = (
    *("P21", "P91", "P140", "P172", "P27", "P103", "P569", "P570", "P26", "P102"),
    *("P1050", "P1142", "P451", "P551", "P3716", "P6886", "P509", "P1196"),
)
ASK = "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1"


@pytest.fixture
def server() -> Iterator[Sparql]:
    with serving(FILE) as server:
        yield server


@pytest.fixture
def archive(tmp_path) -> Iterator[Archive]:
    with Archive(tmp_path / "answers.sqlite") as archive:
        yield archive


@pytest.fixture
def wikidata(server, archive) -> Wikidata:
    return Wikidata(archive, settings(server))


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


def test_a_thing_is_told_from_a_film_of_its_name_by_its_kinds(wikidata):
    expected = {DOG: ("Q144", ""), ROME: ("Q220", ""), BELGIUM: ("Q31", "")}
    assert expected == linked(wikidata, answer(DOG), answer(ROME), answer(BELGIUM))


def test_two_items_that_fit_alike_are_abstained_from_unless_one_is_known_far_better(wikidata):
    expected = {CAT: ("", "several items"), HORSE: ("Q900012", "")}
    assert expected == linked(wikidata, answer(CAT), answer(HORSE))


def test_a_name_in_another_language_does_not_count_and_a_name_of_all_languages_does(wikidata):
    expected = {SHEEP: ("", "no item of this name"), GIRAFFE: ("Q900015", "")}
    assert expected == linked(wikidata, answer(SHEEP), answer(GIRAFFE))


def test_an_answer_that_wordnet_does_not_know_needs_a_kind_to_check(wikidata):
    found = linked(wikidata, answer("", "The Eternal City", "What city is this?"), answer("", "Roma", "What is it?"))
    assert found == {"The Eternal City": ("Q220", ""), "Roma": ("", "no kind to check")}
    assert linked(wikidata, answer("", "Rome", "What vehicle is this?")) == {"Rome": ("", "no item of this kind")}


def test_a_name_cannot_end_its_literal(wikidata):
    name = 'the "big" \\ one'
    assert linked(wikidata, answer("", name, "What vehicle is this?")) == {name: ("Q900016", "")}
    assert linked(wikidata, answer("", 'x"@en) } #\n', "What vehicle is this?")) == {
        'x"@en) } #\n': ("", "no item of this name")
    }


def test_terms_refuse_what_is_no_id():
    assert literal('a"\\\n', "en") == '"a\\"\\\\\\n"@en'
    with pytest.raises(InputError, match="not a Wikidata id"):
        items(["Q1 } #"])
    with pytest.raises(InputError, match="not a Wikidata id"):
        property_terms(["P0"])


# Facts


def test_only_statements_of_best_rank_that_hold_now_and_of_the_whole_become_facts(wikidata):
    facts = dog(wikidata).pack.facts_about(DOG)
    assert told(facts) == {("country of origin", "Germany")}
    (fact,) = facts
    assert (fact.object_id, fact.source, fact.source_ref) == ("wd:Q183", "Wikidata", "Q144$right")
    assert fact.evidence == "Q144 dog: country of origin (P495): Q183 Germany"


def test_a_relation_with_several_values_gives_no_candidate_though_the_pack_knows_them(wikidata):
    knowledge = wikidata_pack(wikidata, {"Q31": [BELGIUM]}, hops=1)
    assert len(knowledge.ask(BELGIUM, "official language")) == 3
    question = Question("b@raw/0", "b", "raw", 0, "raw", "What country is this?", "Belgium", (), concept=BELGIUM)
    found = candidates(knowledge, question)
    names = {("capital", "City of Brussels"), ("currency", "euro"), ("continent", "Europe")}
    assert told(found) == names | {("namesake", "Belgae"), ("highest peak", "Signal de Botrange")}


def test_any_property_with_one_value_that_an_answer_can_say_is_a_relation(wikidata):
    knowledge = wikidata_pack(wikidata, {"Q183": []}, hops=1)
    expected = {("capital", "Berlin"), ("currency", "euro"), ("inception", "1949"), ("driving side", "right")}
    assert told(knowledge.facts) == expected
    phrases = {name: knowledge.relations[name].phrases[0] for name in ("inception", "driving side", "currency")}
    assert phrases == {
        "inception": "the year of the inception of {}",
        "driving side": "the driving side of {}",
        "currency": "the currency of {}",
    }


def test_a_quantity_has_its_unit_and_a_symbol_or_a_code_is_no_fact(wikidata):
    knowledge = wikidata_pack(wikidata, {"Q753": []}, hops=2)
    expected = {("density", "8.96 grams per cubic centimetre")}
    melting = {("melting point", "1085 degrees Celsius"), ("melting point", "1984 degrees Fahrenheit")}
    assert told(knowledge.facts) == expected | melting
    question = Question("c@raw/0", "c", "raw", 0, "raw", "What metal is this?", "copper", (), concept="wd:Q753")
    assert told(candidates(knowledge, question)) == expected


def test_a_property_is_worded_by_its_label_or_left_out():
    for label, datatype, phrase in [
        ("headquarters location", "WikibaseItem", "the headquarters location of {}"),
        ("elevation above sea level", "Quantity", "the elevation above sea level of {}"),
        ("employees", "Quantity", "the number of employees of {}"),
        ("date of official opening", "Time", "the year of official opening of {}"),
        ("publication date", "Time", "the publication year of {}"),
        ("habitat", "WikibaseItem", pack().relations["habitat"].phrases[0]),
        ("located in the time zone", "WikibaseItem", "the time zone that {} is located in"),
        ("applies to jurisdiction", "WikibaseItem", "the jurisdiction that {} applies to"),
        ("adjacent to building", "WikibaseItem", "the building that {} is adjacent to"),
        ("official religion", "WikibaseItem", None),
        *((label, "WikibaseItem", None) for label in ("capital of", "has part(s)", "owned by", "uses")),
        *((label, "WikibaseItem", None) for label in ("award received", "member of sports team", "opposite of")),
        *((label, "WikibaseItem", None) for label in ("topic's main category", "described by source", "sex or gender")),
    ]:
        relation = relation_of("P999999", label, datatype)
        assert (relation and relation.phrases[0]) == phrase, (label, datatype, phrase)


def test_an_amount_has_few_digits_and_a_unit_in_its_number():
    for number, unit, expected in [
        ("+1300", "kilometre", "1300 kilometres"),
        ("1", "foot", "1 foot"),
        ("+6.0", "foot", "6 feet"),
        ("100.5", "degree Celsius", "100.5 degrees Celsius"),
        ("40", "percent", "40 percent"),
        ("12", "metre per second", "12 metres per second"),
        ("+29000", "1", "29000"),
        ("357587.77", "square kilometre", ""),
        ("-39", "degree Celsius", ""),
        ("5", "", ""),
    ]:
        assert amount(number, unit) == expected, (number, unit, expected)


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


def test_no_more_items_are_asked_about_than_are_allowed_and_those_that_most_facts_lead_to_come_first(wikidata, server):
    with pytest.warns(
        KbeWarning, match="10 items lead on to hop 2; only the 1 that the most facts lead to are looked up"
    ):
        wikidata_pack(wikidata, {"Q31": [], "Q35": []}, hops=2, most=1)
    asked = [re.search(r"VALUES \?about { (.*) }", query)[1] for query in server.asked if "BestRank" in query]
    assert asked == ["wd:Q31 wd:Q35", "wd:Q46"]


# Use by filters, wording and checks


def candidate(fact, concept, name, question="What kind of animal is this?") -> Candidate:
    thing = Triplet(IMAGE, "depict", Entity("ANIMAL"))
    key = (thing, Triplet(Entity("ANIMAL"), "is", Entity(name.upper(), concept=concept), "textual"))
    sample = Sample("s/1", "s", "", question, name, (name,))
    graph = SampleGraph(sample.id, (thing,), (key[1],), key)
    return Candidate(
        sample, graph, Question("s/1@raw/0", "s/1", "raw", 0, "raw", sample.question, name, key, concept=concept), fact
    )


def worded(facts, checks, each: Candidate) -> Question:
    return asyncio.run(word_question(each, checks, RuleExpresser(facts), "r", 1))


def test_a_fact_passes_filters_is_worded_and_checked_beside_the_packaged_facts(wikidata):
    found = wikidata_pack(wikidata, {"Q183": [GERMANY]}, hops=2)
    both = merge(found, pack())
    (capital,) = found.ask(GERMANY, "capital")
    one = candidate(capital, GERMANY, "Germany", "In which country is this street?")
    assert build_checks(both, FilterSettings(others_related=1)).decide("fact", one).reason == "image not needed"
    checks = build_checks(both)
    assert checks.decide("fact", one).keep
    question = worded(both, checks, one)
    assert question.answer == capital.object
    assert "capital" in question.text


def test_candidates_come_from_wikidata_and_the_packaged_facts_and_what_both_tell_is_wikidatas(wikidata):
    both = merge(wikidata_pack(wikidata, {"Q183": [GERMANY]}, hops=1), pack())
    question = Question("g", "g", "raw", 0, "raw", "What country?", "Germany", (), concept=GERMANY)
    found = candidates(both, question)
    sources = {fact.relation: fact.source for fact in found}
    assert len(sources) == len(found)
    assert (sources["capital"], sources["driving side"], sources["continent"]) == (
        "Wikidata",
        "Wikidata",
        pack().ask(GERMANY, "continent")[0].source,
    )


@pytest.mark.parametrize(
    ("relation", "beginning"),
    [
        ("inception", "What is the year of the inception of the country"),
        ("driving side", "What is the driving side of the country"),
    ],
)
def test_a_property_that_no_table_names_is_asked_by_its_label(wikidata, relation, beginning):
    found = wikidata_pack(wikidata, {"Q183": [GERMANY]}, hops=1)
    (fact,) = found.ask(GERMANY, relation)
    one = candidate(fact, GERMANY, "Germany", "In which country is this street?")
    expresser = RuleExpresser(merge(found, pack()))
    (form,) = expresser.forms(one)
    texts = [wording.text for wording in asyncio.run(expresser.wordings(one, form(one)))]
    assert [text for text in texts if text.startswith(beginning)]


# Politeness and faults


def test_the_endpoint_is_told_who_asks_and_is_asked_one_query_at_a_time(server, archive):
    dog(Wikidata(archive, settings(server, contact="someone@example.org")))
    assert set(server.agents) == {"kbe-graph/0.1.0 (someone@example.org)"}
    assert server.most_at_once == 1


class _QuotingProxy(BaseHTTPRequestHandler):
    """Refuses a login in words that quote it."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(403, f"no {self.headers['Proxy-Authorization']}, that is Pr0xy:word")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def test_the_password_of_a_proxy_is_in_no_message(monkeypatch, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), _QuotingProxy) as proxy:
        threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        monkeypatch.setenv("http_proxy", f"http://me:Pr0xy%3Aword@127.0.0.1:{proxy.server_port}")
        monkeypatch.setenv("no_proxy", "")
        wanted = WikidataSettings(contact="me@example.org", endpoint="http://sparql.invalid/sparql")
        with pytest.raises(SourceError, match="answered 403 Forbidden;"), Archive(tmp_path / "a") as archive:
            Wikidata(archive, wanted).ask("SELECT * {}")
        proxy.shutdown()


# Kept answers


def test_a_second_time_is_offline_and_identical(server, tmp_path):
    with Archive(tmp_path / "a") as archive:
        first = closure(Wikidata(archive, settings(server)), of(DOG, ROME, CAT), hops=3)
    server.faults = [Fault(403)] * 100
    asked = len(server.asked)
    with Archive(tmp_path / "a") as archive:
        wikidata = Wikidata(archive, settings(server, offline=True))
        again = closure(wikidata, of(CAT, ROME, DOG), hops=3)
    assert again.pack.facts == first.pack.facts
    assert again.pack.names == first.pack.names
    assert (again.concepts, again.abstained) == (first.concepts, first.abstained)
    assert len(server.asked) == asked


def test_raw_answers_are_kept_whole(server, archive):
    Wikidata(archive, settings(server)).find(["dog"])
    (query,) = server.asked
    ((kept, body, fetched),) = archive._database.execute("SELECT query, body, fetched FROM answer").fetchall()
    assert kept == query
    assert json.loads(body) == json.loads(server.answer(query))
    assert datetime.fromisoformat(fetched).tzinfo is not None


def test_a_file_that_is_no_archive_is_told_of(tmp_path):
    (tmp_path / "a").write_text("not a database" * 100)
    with pytest.raises(InputError, match=r"not a database.*move it away"):
        Archive(tmp_path / "a")


# Settings


def config(**facts) -> Config:
    return Config(Path("kbe.toml"), {"facts": facts})


def test_the_public_endpoint_needs_a_contact():
    with pytest.raises(ConfigError, match=r"no contact .*`contact`, environment KBE_CONTACT and kbe.toml"):
        wikidata_settings(config(), {})
    assert wikidata_settings(config(), {}, offline=True).offline
    assert wikidata_settings(config(endpoint="http://[::1]:7001/sparql"), {}).contact == ""


def test_a_flag_wins_over_the_environment_over_the_file():
    contacts = [
        wikidata_settings(config(contact="file@x.org"), environ, contact=flag).contact
        for environ, flag in [({}, None), ({"KBE_CONTACT": "env@x.org"}, None), ({"KBE_CONTACT": "e"}, "flag@x.org")]
    ]
    assert contacts == ["file@x.org", "env@x.org", "flag@x.org"]
    assert wikidata_settings(config(contact="c"), {}).endpoint == PUBLIC


def test_settings_that_make_no_sense_are_refused():
    for wrong in [{"endpoint": "file:///etc/passwd"}, {"contact": "a\r\nX: y"}, {"offline": "no"}]:
        with pytest.raises(ConfigError):
            wikidata_settings(config(**{"contact": "c"} | wrong), {})
