"""Model properties derived from the model's name: family, price, and token cost of an image."""

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError
from kbe_graph.files.resources import data

# the first pattern found in the name decides
FAMILIES = (
    ("deepseek", r"deepseek"),
    ("qwen", r"\bq(wen|w?vq|wq)|tongyi"),
    ("llama", r"llama(?!-?cpp)|\bllava"),
    ("gpt", r"\b(chat)?gpt|\bo[1-9](-|$)|davinci|\bdall-e"),
    ("claude", r"claude|\b(opus|sonnet|haiku)\b"),
    ("gemini", r"gemini|gemma|paligemma|palm-"),
    ("mistral", r"mi[sx]tral|pixtral|ministral|magistral|devstral|codestral"),
    ("grok", r"\bgrok"),
    ("phi", r"\bphi-?\d"),
    ("internvl", r"intern(vl|lm)"),
    ("glm", r"\b(chat)?glm|cogvlm|zhipu"),
    ("minicpm", r"minicpm"),
    ("molmo", r"molmo|olmo"),
    ("smollm", r"smol(lm|vlm)|idefics"),
    ("yi", r"\byi-"),
    ("command", r"command-|\baya\b|cohere"),
    ("nova", r"\bnova-|titan"),
    ("kimi", r"kimi|moonshot"),
    ("granite", r"granite"),
    ("falcon", r"falcon"),
)


def family_of(model: str) -> str:
    """Find the family in a model's name; ``unknown`` if there is none.

    A name that contains two families (a distilled model) counts as the one listed first in the table. Set the family
    explicitly where this matters.
    """
    name = model.casefold().replace("_", "-")
    return next((family for family, pattern in FAMILIES if re.search(pattern, name)), "unknown")


def own_family_of(model: str, family: str | None = None) -> str:
    """Resolve a model's family, by default from its name; a model of unknown family is its own family."""
    family = family_of(model) if family is None else family
    return model if family == "unknown" else family


def in_one_family(labels: Mapping[str, Sequence[str]]) -> str:
    """Describe which labels share a family, given the labels by family; empty if none do.

    >>> in_one_family({"gpt": ["generator", "judge"], "llama": ["verifier"]})
    'generator and judge are of one family (gpt)'
    """
    shared = {family: names for family, names in labels.items() if len(names) > 1}
    return "; ".join(f"{' and '.join(names)} are of one family ({family})" for family, names in shared.items())


MILLION = 1_000_000
# suffixes that do not change the price: a date, latest, preview or a deployment version
_SUFFIX = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|@\d{8}|-latest|-preview|-v\d(:\d)?)$")


class Usage(NamedTuple):
    """Tokens of a call: ``prompt`` in total, ``cached`` the part from the endpoint's prefix cache, ``output``."""

    prompt: int = 0
    cached: int = 0
    output: int = 0


class Price(NamedTuple):
    """Dollars per million tokens; ``batch`` is the fraction (0 to 1) of them that a call in a batch costs."""

    input: float
    cached: float
    output: float
    batch: float = 1.0

    def dollars(self, usage: Usage, *, batch: bool = False) -> float:
        """Calculate the cost of a call with this usage."""
        fresh = usage.prompt - usage.cached
        sum_ = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return sum_ / MILLION * (self.batch if batch else 1.0)


FREE = Price(0.0, 0.0, 0.0)
_SOLD = re.compile(r"(.*/)?((chat)?gpt-(\d|chat)|o\d(-|$)|claude-|gemini-|grok-\d)")


def is_sold(model: str) -> bool:
    """Return True for a model that only its maker serves, so that a server of one's own passes its calls on.

    >>> from kbe_graph.models.catalogue import is_sold
    >>> [is_sold(name) for name in ("openai/gpt-4o", "openai/gpt-oss-20b", "google/gemma-3-4b-it")]
    [True, False, False]
    """
    return bool(_SOLD.match(model.casefold()))


def price_of(model: str) -> Price | None:
    """Look up a model's price, ignoring a provider prefix and a date suffix; None if unknown."""
    name = model.rpartition("/")[2].casefold()
    while name not in price_table() and (shorter := _SUFFIX.sub("", name)) != name:
        name = shorter
    return price_table().get(name)


@cache
def price_table() -> Mapping[str, Price]:
    """Load the bundled prices by model; raises ConfigError."""
    table = tomllib.loads(data("prices.toml").read_text(encoding="utf-8"))
    return {name: read_price(row, where=f"prices.toml {name}") for name, row in table["models"].items()}


def read_price(row: Mapping[str, Any], *, where: str) -> Price:
    """Parse a price: ``input``, ``output``, and optionally ``cached`` and ``batch``; raises ConfigError."""
    try:
        numbers = {name: float(value) for name, value in row.items()}
        price = Price(**({"cached": numbers["input"]} | numbers))
    except (TypeError, ValueError, KeyError):
        raise ConfigError(
            f"{where}: {dict(row)!r} is not a price; write input and output, and optionally cached and "
            "batch, in dollars per million tokens"
        ) from None
    if min(price) < 0:
        raise ConfigError(f"{where}: a negative price in {dict(row)!r}")
    return price


def dollars_each(dollars: float, questions: int | None, *, unpriced: int) -> float | None:
    """Calculate dollars per question; None if there is no question, nothing was paid, or a price is unknown."""
    return dollars / questions if questions and dollars and not unpriced else None


class PictureRule(NamedTuple):
    """Token count of an image for models matching ``pattern``, from its longest side in pixels and its ``detail``."""

    pattern: str
    tokens: Callable[[int, str], float]


def _tiles(base: int, tile: int, side: int, detail: str) -> float:
    return base if detail == "low" else base + tile * math.ceil(min(side, 768) / 512) ** 2


def _patches(size: int, factor: float, most: int, side: int, _: str) -> float:
    return factor * min(math.ceil(side / size) ** 2, most)


def _pixels(a_token: int, longest: int, side: int, _: str) -> float:
    return min(side, longest) ** 2 / a_token


def _gemini(side: int, _: str) -> float:
    return 258 * (1 if side <= 384 else math.ceil(side / 768) ** 2)


def _fixed(tokens: int, side: int, _: str) -> float:
    del side
    return tokens


NO_BOUND = 1 << 20
# as of 2026-11-22 (sources: docs/providers.md); the first pattern found in the name decides
PICTURE_RULES = (
    PictureRule(r"gpt-4o-mini", partial(_tiles, 2833, 5667)),
    PictureRule(r"gpt-(4\.1|5)-mini", partial(_patches, 32, 1.62, 1536)),
    PictureRule(r"gpt-(4\.1|5)-nano", partial(_patches, 32, 2.46, 1536)),
    PictureRule(r"\bo4-mini", partial(_patches, 32, 1.72, 1536)),
    PictureRule(r"gpt-4|chatgpt-4o", partial(_tiles, 85, 170)),
    PictureRule(r"gpt-5(?![.\d])", partial(_tiles, 70, 140)),
    PictureRule(r"\bo[13]\b", partial(_tiles, 75, 150)),
    PictureRule(r"claude", partial(_pixels, 750, 1568)),
    PictureRule(r"gemini", _gemini),
    PictureRule(r"qwen3(\.\d)?-?vl", partial(_patches, 32, 1.0, NO_BOUND)),
    PictureRule(r"llava.*(1\.6|next|onevision)", partial(_fixed, 2880)),
    PictureRule(r"llava", partial(_fixed, 576)),
)
# for models that match no rule: Qwen2.5-VL's count, close to that of most others at a side of 768
DEFAULT_PICTURE_RULE = PictureRule("", partial(_patches, 28, 1.0, NO_BOUND))


@lru_cache(maxsize=256)
def picture_tokens(model: str, side: int, detail: str = "") -> int:
    """Estimate the tokens of a square image with this side, the most expensive shape for a given longest side."""
    name = model.casefold().replace("_", "-")
    rule = next((rule for rule in PICTURE_RULES if re.search(rule.pattern, name)), DEFAULT_PICTURE_RULE)
    return math.ceil(rule.tokens(side, detail))
