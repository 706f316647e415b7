"""The style and head shared by all pages: as text for single-file pages, as templates for served ones."""

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def page_style(package: str, name: str) -> str:
    """Return the shared style sheets, followed by a page's own from a package."""
    places = (("kbe_graph.web", "static/design.css"), ("kbe_graph.web", "static/card.css"), (package, name))
    return "".join(files(place).joinpath(file).read_text(encoding="utf-8") for place, file in places)


def page_templates(*packages: str) -> "Environment":
    """Load the page templates of packages, with those shared by all served pages."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([*map(PackageLoader, packages), PackageLoader("kbe_graph.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
