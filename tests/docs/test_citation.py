"""CITATION.cff says what is cited, in the form that readers of such files expect."""

from pathlib import Path

import yaml

import kbe_graph

ROOT = Path(__file__).parents[2]
CITATION = ROOT / "CITATION.cff"
PAPERS = ("2510.21182", "2504.05782", "2605.21479")


def test_the_citation_has_what_the_format_asks_for() -> None:
    citation = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert str(citation["version"]) == kbe_graph.__version__
    for work in (citation, *citation["references"]):
        assert {"title", "type", "authors"} <= work.keys()
        assert all({"family-names", "given-names"} <= author.keys() or "name" in author for author in work["authors"])


def test_readme_and_citation_name_the_same_papers() -> None:
    for paper in PAPERS:
        assert f"https://arxiv.org/abs/{paper}" in CITATION.read_text(encoding="utf-8"), paper
        assert f"https://arxiv.org/abs/{paper}" in (ROOT / "README.md").read_text(encoding="utf-8"), paper
