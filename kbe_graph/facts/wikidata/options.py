"""How Wikidata is asked: a flag wins over the environment, the environment over ``[facts]`` of ``kbe.toml``."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from kbe_graph import __version__
from kbe_graph.config import Config
from kbe_graph.errors import ConfigError
from kbe_graph.secret import refuse_secrets

PUBLIC = "https://query.wikidata.org/sparql"


@dataclass(frozen=True, slots=True)
class WikidataSettings:
    """Where and how Wikidata is asked; raises ConfigError where a value makes no sense or a contact is missing.

    ``contact`` is a mail or web address that the operators can write to; ``offline`` asks nothing that was not kept.
    ``patience`` is how many seconds one query may be waited for in all, ``timeout`` how many one attempt may take, and
    ``pause`` how long to wait before a failed query is asked again where the endpoint does not say.
    """

    contact: str = ""
    endpoint: str = PUBLIC
    offline: bool = False
    patience: float = 300.0
    timeout: float = 65.0
    pause: float = 5.0

    def __post_init__(self) -> None:
        refuse_secrets(self.endpoint, "the endpoint", "take it out: an endpoint is asked without one")
        if urlsplit(self.endpoint).scheme not in {"http", "https"} or not urlsplit(self.endpoint).hostname:
            raise ConfigError(f"the endpoint is {self.endpoint!r}; write its address, such as {PUBLIC!r}")
        if any(ord(letter) < 32 or ord(letter) > 255 for letter in self.contact):
            raise ConfigError(f"the contact is {self.contact!r}; write a mail or web address in plain letters")
        if not (self.contact or self.offline or self.loopback):
            raise ConfigError(
                f"no contact for {self.endpoint!r}, whose operators ask for one; looked in `contact=...`, environment "
                "KBE_CONTACT and kbe.toml [facts] contact; write a mail or web address there, or use `offline=True`"
            )

    @property
    def loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        host = urlsplit(self.endpoint).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def user_agent(self) -> str:
        """What the endpoint is told of who asks (Wikimedia's User-Agent policy)."""
        return f"kbe-graph/{__version__} ({self.contact or 'local'})"


def wikidata_settings(
    config: Config,
    environ: Mapping[str, str],
    *,
    contact: str | None = None,
    endpoint: str | None = None,
    offline: bool = False,
) -> WikidataSettings:
    """Return the settings from flags (None where not given), environment and file; raises ConfigError."""
    section = config.section("facts")
    alone = offline or section.get("offline", False)
    if not isinstance(alone, bool):
        raise ConfigError(f"{config.file} [facts] offline is {alone!r}; write true or false")
    return WikidataSettings(
        contact=str(contact or environ.get("KBE_CONTACT") or section.get("contact", "")),
        endpoint=str(endpoint or environ.get("KBE_ENDPOINT") or section.get("endpoint", PUBLIC)),
        offline=alone,
    )
