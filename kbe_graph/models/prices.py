"""What calls cost: a dated table in dollars per million tokens, which the user can overrule."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError
from kbe_graph.files.resources import data
from kbe_graph.models.request import Usage

MILLION = 1_000_000
# what providers hang on a name without changing the price: a date, latest, a region or a version of the deployment
_SUFFIX = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|@\d{8}|-latest|-preview|-v\d(:\d)?)$")


class Price(NamedTuple):
    """Dollars per million tokens; ``batch`` is the part of the price (0 to 1) that a call in a batch costs."""

    input: float
    cached: float
    output: float
    batch: float = 1.0

    def dollars(self, usage: Usage, *, batch: bool = False) -> float:
        """Return what a call with this usage costs."""
        fresh = usage.prompt - usage.cached
        sum_ = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return sum_ / MILLION * (self.batch if batch else 1.0)


FREE = Price(0.0, 0.0, 0.0)


class PriceTable(NamedTuple):
    """The packaged table: the day it was made, and a price a model."""

    date: str
    source: str
    prices: Mapping[str, Price]

    def price(self, model: str) -> Price | None:
        """Return a model's price, None where it is unknown; its name may have a provider before it and a date after."""
        name = model.rpartition("/")[2].casefold()
        while name not in self.prices and (shorter := _SUFFIX.sub("", name)) != name:
            name = shorter
        return self.prices.get(name)


@cache
def price_table() -> PriceTable:
    """Return the packaged table; raises ResourceError and ConfigError."""
    table = tomllib.loads(data("prices.toml").read_text(encoding="utf-8"))
    prices = {name: read_price(row, where=f"prices.toml {name}") for name, row in table["models"].items()}
    return PriceTable(str(table["date"]), table["source"], prices)


def read_price(row: Mapping[str, Any], *, where: str) -> Price:
    """Return a price from ``{input, output}`` with ``cached`` and ``batch`` where they differ; raises ConfigError."""
    try:
        numbers = {name: float(value) for name, value in row.items()}
        price = Price(**({"cached": numbers["input"]} | numbers))
    except (TypeError, ValueError, KeyError):
        raise ConfigError(
            f"{where}: {dict(row)!r} is no price; "
            "write input, output, and cached, batch if you like, in dollars per million tokens"
        ) from None
    if min(price) < 0:
        raise ConfigError(f"{where}: a price below zero in {dict(row)!r}")
    return price
