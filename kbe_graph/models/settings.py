"""Settings of each step's model: endpoint, limits and price.

Precedence: flags, then ``KBE_...`` in the environment, then ``[models.<step>]``, then ``[models]`` in ``kbe.toml``,
then ``OPENAI_...`` in the environment. A step whose table names a ``base_url`` takes its key and model from that table
only, so that no key is ever sent to an endpoint other than its own.
"""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from kbe_graph.errors import ConfigError
from kbe_graph.models.catalogue import FREE, Price, family_of, is_sold, own_family_of, price_of, read_price
from kbe_graph.models.images import Encoding
from kbe_graph.secret import Secrets, refuse_secrets, secrets_in
from kbe_graph.text import name_fault

OPENAI = "https://api.openai.com/v1"
OURS, SHARED = "KBE_API_KEY", "OPENAI_API_KEY"
KEYS_OF = {
    "api.openai.com": (OURS, SHARED),
    "api.anthropic.com": ("ANTHROPIC_API_KEY",),
    "generativelanguage.googleapis.com": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "api.mistral.ai": ("MISTRAL_API_KEY",),
    "api.deepseek.com": ("DEEPSEEK_API_KEY",),
    "openrouter.ai": ("OPENROUTER_API_KEY",),
}
"""The variables whose names name a public provider: their keys go there, and no others of the environment."""
ONLY_THERE = "a key of the environment goes only to an address that the command or the environment names (KBE_BASE_URL)"
# setting, option, and environment variables: ours, then the one shared with other programs
PLACES = {
    "base_url": ("--base-url", ("KBE_BASE_URL", "OPENAI_BASE_URL")),
    "key": ("[models] key", (OURS, SHARED)),
    "model": ("--model", ("KBE_MODEL", "OPENAI_MODEL")),
}
# steps that use another step's model
SAME_TABLE = {
    "inspect": "verify",
    "confirm": "verify",
    "pick": "verify",
    "alternatives": "guess",
    "answer_blind": "answer",
    "judge_paper": "judge",
    "judge_mdk12": "judge",
}
NOT_STEPS = ("price", "body", "headers")
DROPPED = ("max_tokens", "temperature", "seed", "response_format")
LOGIN = (
    "set the key with KBE_API_KEY or [models] key, and any other login as an Authorization header in [models] headers"
)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Settings of one step's model.

    ``model``: the model's name; the deployment's name if ``api_version`` is set.
    ``base_url``: the address of the endpoint, up to the part before ``/chat/completions``; without login or query.
    ``key``: its key; ``"$NAME"`` stands for that environment variable.
    ``family``: the model family; guessed from the name unless set.
    ``revision``: distinguishes models served under one name (a checkpoint, a date); part of a call's hash.
    ``api_version``: Azure's version; with it the key goes into the header ``api-key``, the model into the address.
    ``temperature``: the sampling temperature; 0 picks the most likely reply.
    ``seed``: the seed of the first draw.
    ``max_tokens`` (tokens): the limit per reply; if set, it holds for all steps, else each step has its own.
    ``in_flight`` (calls): the maximum number of concurrent calls.
    ``requests_per_minute`` (calls a minute): the request rate; by default not limited.
    ``tokens_per_minute`` (tokens a minute): the token rate.
    ``timeout`` (seconds): the longest wait for a complete reply.
    ``patience`` (seconds): how long to tolerate an endpoint that cannot be reached or rejects calls for their rate.
    ``image_side`` (pixels): the longest side of an image that is sent.
    ``image_quality`` (1 to 95): the JPEG quality of images.
    ``image_detail``: OpenAI's ``low``, ``high`` or ``auto``; not sent if empty.
    ``cached_from`` (tokens): the shortest prompt prefix that the endpoint caches, for forecasts; 0 for none.
    ``drop``: request fields that the endpoint refuses, as ``["seed"]``; ``max_tokens`` is then sent under its newer
    name, ``max_completion_tokens``.
    ``price`` (dollars per million tokens): input, output, cached, and batch (a fraction); default: bundled table, and 0
    at an address of this machine, except for models that only their makers serve (a gateway).
    ``body``: additional fields of the request.
    ``headers``: additional headers of the request.
    """

    step: str
    model: str
    base_url: str = OPENAI
    key: str = field(default="", repr=False)
    family: str = "unknown"
    revision: str = ""
    api_version: str = ""
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int | None = None
    in_flight: int = 256
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 180.0
    patience: float = 900.0
    image_side: int = 768
    image_quality: int = 85
    image_detail: str = ""
    cached_from: int = 1024
    drop: Sequence[str] = ()
    price: Price | None = None
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def encoding(self) -> Encoding:
        """The encoding of images that are sent."""
        return Encoding(self.image_side, self.image_quality)

    @property
    def own_family(self) -> str:
        """The model family; a model of unknown family is its own family."""
        return own_family_of(self.model, self.family)

    @property
    def place(self) -> tuple[str, str, str]:
        """The endpoint, key and model; calls that share all three share rate limits."""
        return self.base_url, self.key, self.model

    @property
    def secrets(self) -> Secrets:
        """The key and the secrets in headers and body, which are never stored or shown."""
        return Secrets((self.key, *secrets_in(self.headers), *secrets_in(self.body)))

    def require_key(self) -> None:
        """Raise ConfigError if calls to the endpoint need a key and none is set."""
        if _is_variable(self.key):
            raise ConfigError(
                f"[models] key is {self.key!r}, but {self.key[1:]!r} is not set in the environment; set it"
            )
        has_login = self.key or any(name.lower() == "authorization" for name in self.headers)
        if not has_login and not is_local(self.base_url):
            step = f" (step {self.step!r})" if self.step else ""
            raise ConfigError(
                f"no key for {self.base_url!r}{step}; looked at {_places('key', self.step)}; {ONLY_THERE}"
            )


class ModelBook:
    """Settings of every step, from flags, the environment and the ``[models]`` section of ``kbe.toml``.

    ``section`` is ``{base_url, key, model, ..., "extract": {...}, "judge": {...}}``: a table named after a step holds
    the settings in which it differs (these tables may also be grouped under ``models``). A key ``"$NAME"`` stands for
    that environment variable. ``flags`` are command-line values, ``environ`` the environment. Raises ConfigError
    immediately for an unknown setting.
    """

    def __init__(
        self, section: Mapping[str, Any], *, flags: Mapping[str, Any] | None = None, environ: Mapping[str, str]
    ) -> None:
        tables = {
            name: value for name, value in section.items() if isinstance(value, Mapping) and name not in NOT_STEPS
        }
        self._default = {name: value for name, value in section.items() if name not in tables}
        self._steps = dict(tables.pop("models", {})) | tables
        self._flags = {name: value for name, value in (flags or {}).items() if value not in (None, "")}
        self._environ = environ
        self._made: dict[str, ModelSettings] = {}
        for name, table in {"": self._default, **self._steps}.items():
            _refuse_strangers(table, f"[models.{name}]" if name else "[models]")

    def with_place(self, base_url: str, model: str) -> "ModelBook":
        """Copy the book with this address and model as defaults."""
        book = copy(self)
        book._default = {"base_url": base_url, "model": model} | self._default  # noqa: SLF001 - our own copy
        book._made = {}  # noqa: SLF001
        return book

    @property
    def names(self) -> set[object]:
        """The models that ``kbe.toml`` and the environment name."""
        return {each.get("model") for each in (self._default, *self._steps.values(), *map(self._variables, (0, 1)))}

    def has_place(self, step: str) -> bool:
        """Return True if the step's own table names the address of its endpoint."""
        return bool(self._steps.get(table_of(step), {}).get("base_url"))

    def settings_for(self, step: str) -> ModelSettings:
        """Get the settings of a step; raises ConfigError, which lists the places searched, if the model is missing.

        A key may be missing, as forecasts and files of requests need none: ``require_key`` is for calls that are sent.
        """
        if step not in self._made:
            table = self._table(step)
            if not table.get("model"):
                raise ConfigError(f"no model for step {step!r}; looked at {_places('model', step)}")
            self._made[step] = _read(step, table)
        return self._made[step]

    def _table(self, step: str) -> dict[str, Any]:
        own = self._steps.get(table_of(step), {})
        if own.get("base_url"):
            shared = {name: value for name, value in (self._default | self._flags).items() if name not in PLACES}
            table, keys = {**shared, **own}, [own.get("key")]
        else:
            ours, foreign = (self._variables(place) for place in (0, 1))
            table = {**foreign, **self._default, **own, **ours, **self._flags}
            given = [f"${name}" if self._environ.get(name) else "" for name in (OURS, SHARED)]
            keys = [self._flags.get("key"), given[0], own.get("key"), self._default.get("key"), given[1]]
        return table | {"key": self._key([str(key) for key in keys if key], table.get("base_url", OPENAI))}

    def _key(self, keys: Sequence[str], url: object) -> str:
        """Choose the first key that may go to an address; a variable's may go only where the user named it for."""
        named_after = KEYS_OF.get(_origin(str(url)), ())
        everywhere = is_named(url, self._environ, self._flags)
        allowed = (key for key in keys if everywhere or not _is_variable(key) or key[1:] in named_after)
        key = next(allowed, "")
        return self._environ.get(key[1:]) or key if _is_variable(key) else key

    def _variables(self, place: int) -> dict[str, str]:
        values = {name: self._environ.get(variables[place], "") for name, (_, variables) in PLACES.items()}
        return {name: value for name, value in values.items() if value}


def is_named(address: object, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> bool:
    """Return True if the user's environment or command names the server.

    Only there goes a secret of the environment: a workspace may be another's, and its file may name any address.
    """
    named = (str((flags or {}).get("base_url", "")), *environ.values())
    return _origin(str(address)) in {_origin(each) for each in named if "://" in each}


def _origin(address: str) -> str:
    return re.split(r"[/?#]", address.strip().casefold() + "/", maxsplit=3)[2] if "://" in address else address


def table_of(step: str) -> str:
    """Map a step to its table in ``[models]``."""
    return SAME_TABLE.get(step, step)


def _is_variable(key: str) -> bool:
    return key.startswith("$") and key[1:].isidentifier()


def is_local(base_url: str) -> bool:
    """Return True if the endpoint is on this machine, where a key is not needed."""
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(step: str, table: Mapping[str, Any]) -> ModelSettings:
    plain = {name: value for name, value in table.items() if name != "price"}
    settings = ModelSettings(step, **plain)
    _refuse_wrong_values(settings)
    if (row := table.get("price")) is not None:
        price: Price | None = read_price(row, where="[models] price")
    else:
        price = FREE if is_local(settings.base_url) and not is_sold(settings.model) else price_of(settings.model)
    family = plain.get("family") or family_of(settings.model)
    return replace(settings, base_url=settings.base_url.rstrip("/"), family=family, price=price)


def _places(name: str, step: str) -> str:
    flag, variables = PLACES[name]
    table = f"[models.{table_of(step)}] and " * bool(step)
    places = f"{name} in {table}[models] of kbe.toml"
    return f"{flag}, {' and '.join(variables)} in the environment, {places}"


def _refuse_strangers(table: Mapping[str, Any], where: str) -> None:
    settable = {setting.name for setting in fields(ModelSettings)} - {"step"}
    if strangers := sorted(set(table) - settable):
        raise ConfigError(f"{where}: no setting {strangers[0]!r}; the settings are {', '.join(sorted(settable))}")


def _refuse_wrong_address(settings: ModelSettings) -> None:
    address = str(settings.base_url)
    refuse_secrets(address, "base_url", LOGIN)
    if (hidden := settings.secrets.hide(address)) != address:
        raise ConfigError(f"base_url {hidden!r} contains the key, which an address must not; {LOGIN}")
    if not address.startswith(("http://", "https://")):
        raise ConfigError(f"base_url {address!r} is not an address; write one such as https://host/v1")
    if start := re.match("[^?#]*(?=[?#])", address):
        raise ConfigError(f"base_url continues after {start[0]!r}; end it there, and set api_version for Azure's query")


def _refuse_wrong_headers(settings: ModelSettings) -> None:
    for name, table in (("headers", settings.headers), ("body", settings.body)):
        if not isinstance(table, Mapping):
            raise ConfigError(f"[models] {name} must be a table")
    for name, text in {"key": settings.key, **settings.headers}.items():
        if not (isinstance(text, str) and text.isprintable()):
            raise ConfigError(f"[models] {name} cannot be sent; write it as text on one line")


def _refuse_wrong_values(settings: ModelSettings) -> None:
    _refuse_wrong_address(settings)
    _refuse_wrong_headers(settings)
    low = ("max_tokens", "in_flight", "timeout", "patience", "image_side", "requests_per_minute", "tokens_per_minute")
    for name in low:
        value = getattr(settings, name)
        if value is not None and (isinstance(value, str | bool) or value <= 0):
            raise ConfigError(f"[models] {name} {value!r} must be a number above zero")
    if not (isinstance(settings.drop, list | tuple) and all(name in DROPPED for name in settings.drop)):
        raise ConfigError(f"[models] drop {settings.drop!r} must be a list of {', '.join(DROPPED)}")
    for name in ("model", "family", "revision"):
        if fault := name_fault(str(getattr(settings, name))):
            raise ConfigError(f"[models] {name} {getattr(settings, name)!r} {fault}")
