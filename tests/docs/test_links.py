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


def test_each_document_is_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        found = {(page.parent / link.partition("#")[0]).resolve() for link in _links(page)} - reached
        reached |= found
        ahead += [file for file in found if file.suffix in {".md", ".ipynb"}]
    documents = {file.resolve() for file in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/*.ipynb"))}
    assert documents <= reached


def test_each_test_that_a_page_names_is_there() -> None:
    for page in ("bad-days", "security"):
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        names = set(re.findall(r"`(?:tests/)?([\w/]*test_\w+\.py)`", text))
        assert len(names) > 5
        assert [name for name in sorted(names) if not (ROOT / "tests" / name).exists()] == []
