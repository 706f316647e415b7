"""The options of the commands that may ask Wikidata."""

import os
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kbe_graph.workspace import Workspace

if TYPE_CHECKING:
    from kbe_graph.knowledge.wikidata.settings import WikidataSettings


class Asked(NamedTuple):
    """What the flags say of how Wikidata is asked; None where a flag was not given."""

    contact: str | None
    endpoint: str | None
    offline: bool

    def settings(self, workspace: Workspace) -> "WikidataSettings":
        """Return the settings: flags, then environment, then the workspace's file; raises ConfigError."""
        from kbe_graph.knowledge.wikidata.settings import wikidata_settings

        return wikidata_settings(workspace.config, os.environ, **self._asdict())


def wikidata_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options, passed as ``asked``."""

    @click.option("--contact", help="Your mail or web address, which Wikidata's operators ask for (KBE_CONTACT).")
    @click.option("--endpoint", help="Another SPARQL endpoint of Wikidata (KBE_ENDPOINT).")
    @click.option("--offline", is_flag=True, help="Ask Wikidata nothing; use the answers that were kept.")
    @wraps(command)
    def given(*args: Any, contact: str | None, endpoint: str | None, offline: bool, **more: Any) -> None:
        command(*args, asked=Asked(contact, endpoint, offline), **more)

    return given
