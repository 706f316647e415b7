"""Write ``kbe_graph/data/prices.toml`` from the package ``genai-prices`` (MIT): list prices of models that take text.

``python scripts/build_prices.py 2026-11-21`` takes the prices that hold on that day; a price that rises with the
length of the prompt is taken at its lowest step.
"""

import sys
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "kbe_graph" / "data" / "prices.toml"
# the provider's own models, and what a call in a batch costs of the list price
PROVIDERS = {"openai": 0.5, "anthropic": 0.5, "google": 0.5, "mistral": 0.5, "x-ai": 1.0, "deepseek": 1.0}
OTHERS = (
    "audio",
    "tts",
    "image",
    "realtime",
    "transcribe",
    "search",
    "ocr",
    "embed",
    "voice",
    "live",
    ":",
    "ft-",
    "/",
    "claude-v",
)


def number(value: Any) -> float | None:
    """Return a price, the lowest step of one with steps."""
    return None if value is None else float(getattr(value, "base", value))


def row(model: Any, when: datetime, batch: float) -> str | None:
    """Return the row of a model that takes text; None for another."""
    prices = model.get_prices(when)
    input_, output = number(prices.input_mtok), number(prices.output_mtok)
    if input_ is None or output is None or any(mark in model.id for mark in OTHERS):
        return None
    cached = number(prices.cache_read_mtok)
    parts = [f"input = {input_:g}", f"output = {output:g}"]
    parts += [f"cached = {cached:g}"] if cached is not None else []
    parts += [f"batch = {batch:g}"] if batch != 1.0 else []
    return f'"{model.id.casefold()}" = {{ {", ".join(parts)} }}'


def main() -> None:
    """Write the file."""
    from genai_prices.data_snapshot import get_snapshot

    day = date.fromisoformat(sys.argv[1])
    when = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    rows: dict[str, str] = {}
    for provider in get_snapshot().providers:
        for model in provider.models if provider.id in PROVIDERS else ():
            if provider.id == "google" and not model.id.startswith("gemini"):
                continue
            if (text := row(model, when, PROVIDERS[provider.id])) is not None:
                rows.setdefault(model.id.casefold().removesuffix("-latest"), text.replace('-latest" =', '" ='))
    head = f"""\
# List prices in dollars per million tokens: input, output, cached input where it is cheaper, and the part of the price
# that a call in a batch costs. Prices change: look at your provider's page, and overrule a row in kbe.toml:
#   [models.price]
#   input = 2.5
#   output = 10
date = {day.isoformat()}
source = "genai-prices {version("genai-prices")} (MIT)"

[models]
"""
    FILE.write_text(head + "\n".join(rows[name] for name in sorted(rows)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
