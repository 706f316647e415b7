"""The documents are held to their word: what they link to is there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    file
    for pattern in ("*.md", "docs/**/*.md", "docs/*.ipynb", "kbe_graph/data/**/*.md")
    for file in ROOT.glob(pattern)
)
LINK = re.compile(r"\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def _text(page: Path) -> str:
    if page.suffix == ".md":
        return page.read_text(encoding="utf-8")
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def _links(page: Path) -> Iterator[str]:
    for link, picture in LINK.findall(re.sub(r"```.*?```", "", _text(page), flags=re.DOTALL)):
        target = link or picture
        if "://" not in target and not target.startswith("#"):
            yield target


def test_relative_links_lead_to_files() -> None:
    for page in PAGES:
        missing = [link for link in _links(page) if not (page.parent / link.partition("#")[0]).exists()]
        assert missing == [], page


def test_the_readme_and_the_concepts_show_pictures() -> None:
    assert {"docs/images/crosswalk.jpg", "docs/concepts.md"} <= set(_links(ROOT / "README.md"))
    assert {"images/crosswalk.jpg", "images/graph.svg"} <= set(_links(ROOT / "docs" / "concepts.md"))


def test_each_document_is_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        found = {(page.parent / link.partition("#")[0]).resolve() for link in _links(page)} - reached
        reached |= found
        ahead += [file for file in found if file.suffix in {".md", ".ipynb"}]
    documents = {file.resolve() for file in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/*.ipynb"))}
    assert documents <= reached
