"""The look and the head that all pages share: as text for a page that is one file, as templates for served ones."""

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def page_style(package: str, name: str) -> str:
    """Return the shared look, and after it the styles of a page's own file in a package."""
    places = (("kbe_graph.web", "static/design.css"), (package, name))
    return "".join(files(place).joinpath(file).read_text(encoding="utf-8") for place, file in places)


def page_templates(*packages: str) -> "Environment":
    """Return the templates of packages' pages, with those that all served pages share."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([*map(PackageLoader, packages), PackageLoader("kbe_graph.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
