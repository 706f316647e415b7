"""The exported origin of samples that were built from images on web pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from kbe_graph.store import Store
from kbe_graph.types import PagePicture, SampleOrigin, WikiItem, WikiStatement

Origin = Mapping[str, Any]
"""An origin as plain values for JSON."""


def read_origins(store: Store, samples: Sequence[str]) -> Mapping[str, Origin]:
    """Read the origins of samples, by sample; samples loaded from a file have none."""
    origins = store.origins(samples)
    if not origins:
        return {}
    pictures = {picture.id: picture for picture in store.pictures(ids=[each.picture for each in origins.values()])}
    items = store.items([each.item for each in origins.values()])
    statements = store.statements([id_ for each in origins.values() for id_ in each.statements])
    return {
        sample: origin_record(
            origin,
            pictures[origin.picture],
            items[origin.item],
            [statements[id_] for id_ in origin.statements if id_ in statements],
        )
        for sample, origin in origins.items()
    }


def origin_record(
    origin: SampleOrigin, picture: PagePicture, item: WikiItem, statements: Sequence[WikiStatement]
) -> Origin:
    """Convert an origin to plain values: the image with its rights, the page, the item, the statements, the maker."""
    return {
        "picture": picture.image,
        **{name: getattr(picture, name) for name in ("caption", "author", "licence", "licence_url", "page", "title")},
        "item": item.id,
        "item_label": item.label,
        "item_revision": item.revision,
        "item_fetched": item.fetched,
        "item_source": item.source,
        "statements": [_statement_record(statement) for statement in statements],
        "maker": origin.maker,
        "prompt": origin.prompt,
        "calls": list(origin.calls),
    }


def _statement_record(statement: WikiStatement) -> Mapping[str, str]:
    return {name: getattr(statement, name) for name in ("id", "property_id", "relation", "target", "text", "raw")}
