"""The look that all pages share, for a page that is one file."""

from importlib.resources import files


def page_style(package: str, name: str) -> str:
    """Return the shared look, and after it the styles of a page's own file in a package."""
    places = (("kbe_graph.web", "static/design.css"), (package, name))
    return "".join(files(place).joinpath(file).read_text(encoding="utf-8") for place, file in places)
