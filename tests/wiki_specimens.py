"""A few page pictures, items and statements, for tests of the graph."""

from kbe_graph.store import Store
from kbe_graph.types import PagePicture, SampleOrigin, WikiItem, WikiStatement

ADAMS = WikiItem(
    "Q42",
    "Douglas Adams",
    "English author",
    aliases=("DNA", "Douglas N. Adams"),
    kinds=("Q5",),
    kind_labels=("human",),
    sitelinks=121,
    revision="700",
    modified="2018-01-01T00:00:00Z",
    source="https://www.wikidata.org",
    fetched="2026-11-26",
)
TOLSTOY = WikiItem("Q7243", "Leo Tolstoy", fetched="2026-11-26")
HUMAN = WikiStatement("Q42$1", "Q42", "P31", "instance of", "wikibase-item", "item", "Q5", "human", '{"id": "Q5"}')
HEIGHT = WikiStatement(
    "Q42$2",
    "Q42",
    "P2048",
    "height",
    "quantity",
    "quantity",
    text="1.93 metres",
    raw='{"amount": "+1.93"}',
    unit="metre",
)
DEATH = WikiStatement(
    "Q42$3",
    "Q42",
    "P570",
    "date of death",
    "time",
    "unknown",
    rank="deprecated",
    best=False,
    reasons=("rank", "no value"),
)
OTHER_HUMAN = WikiStatement(
    "Q7243$1", "Q7243", "P31", "instance of", "wikibase-item", "item", "Q5", "human", current=False, reasons=("rank",)
)
PICTURE = PagePicture(
    "en:Douglas Adams|Adams.jpg",
    "https://upload.wikimedia.org/Adams.jpg",
    "Adams in 2000",
    "https://en.wikipedia.org/wiki/Douglas_Adams",
    "Douglas Adams",
    width=640,
    height=480,
    is_main=True,
    item="Q42",
    author="Somebody",
    licence="CC BY-SA 3.0",
    licence_url="https://creativecommons.org/licenses/by-sa/3.0",
)
LOST = PagePicture("en:Nowhere|No.jpg", "https://upload.wikimedia.org/No.jpg", reason="no item")
STATEMENTS = (HUMAN, HEIGHT, DEATH, OTHER_HUMAN)


def origin_for(sample: str) -> SampleOrigin:
    """Build the origin of a sample that was made from the picture."""
    return SampleOrigin(sample, PICTURE.id, "Q42", (HEIGHT.id,), "a-model", "a1", ("b2", "c3"))


def save_wiki(store: Store) -> None:
    """Save the pictures, the items and their statements."""
    store.save_pictures([PICTURE, LOST])
    store.save_items([ADAMS, TOLSTOY], STATEMENTS)
