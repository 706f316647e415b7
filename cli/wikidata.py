"""The options of the commands that may ask Wikidata."""

import os
from typing import TYPE_CHECKING, NamedTuple

import click

from kbe_graph.cli.common import Options
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


wikidata_options = Options(
    "asked",
    Asked,
    (
        click.option("--contact", help="Your mail or web address, which Wikidata's operators ask for (KBE_CONTACT)."),
        click.option("--endpoint", help="Another SPARQL endpoint of Wikidata (KBE_ENDPOINT)."),
        click.option("--offline", is_flag=True, help="Ask Wikidata nothing; use the answers that were kept."),
    ),
)
