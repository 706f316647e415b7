"""The options of the commands that may ask Wikidata."""

from typing import NamedTuple

import click

from kbe_graph.cli.common import Options


class WikidataFlags(NamedTuple):
    """How Wikidata is asked; None where a flag was not given."""

    contact: str | None
    endpoint: str | None
    offline: bool


wikidata_options = Options(
    "wikidata",
    WikidataFlags,
    (
        click.option(
            "--contact", help="Your mail or web address: Wikidata's operators want to know who asks (KBE_CONTACT)."
        ),
        click.option("--endpoint", help="Another SPARQL endpoint of Wikidata (KBE_ENDPOINT)."),
        click.option("--offline", is_flag=True, help="Ask Wikidata nothing; use the answers that were kept."),
    ),
)
