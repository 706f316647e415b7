"""Tell which dependencies have known holes at the lowest version that is let in, and which are newer than tested.

    python scripts/check_dependencies.py [--again] [--index ADDRESS]

The versions that are let in stand in ``pyproject.toml``, those that are tested in ``requirements/locked.txt``; holes
and versions are asked of the package index (its JSON pages), at most once a day. Exit code 1 for a known hole at a
floor, and for nothing else: what cannot be looked up is told in a line.
"""

import argparse
import json
import re
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pip._internal.models.index import PyPI

ROOT = Path(__file__).parents[1]
INDEX = PyPI.pypi_url  # the one that pip asks unless it is told otherwise
TIMEOUT, LANES, DAY = 10.0, 8, 86_400.0
LOCKED = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
NOT_FOUND = 404


class Looked(NamedTuple):
    """What the index says of a dependency; ``holes`` is None where it does not tell those of the floor."""

    name: str
    floor: str
    newest: str
    holes: tuple[str, ...] | None


def requirements(project: Path) -> list[Requirement]:
    """Return what a project depends on, with what its extras add, each once."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    texts = [
        *table["dependencies"],
        *(text for texts in table.get("optional-dependencies", {}).values() for text in texts),
    ]
    others = (each for each in map(Requirement, texts) if each.name != table["name"])  # an extra may name others
    return list({str(requirement): requirement for requirement in others}.values())


def locked_versions(lock: Path) -> Mapping[str, set[str]]:
    """Return the versions that are tested, by name: there may be one for each Python."""
    versions: dict[str, set[str]] = {}
    for name, version in LOCKED.findall(lock.read_text(encoding="utf-8")):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


def look(index: str, requirement: Requirement) -> Looked | None:
    """Ask the index about a dependency; None where it does not know it. Raises OSError where it cannot be asked."""
    page = _page(f"{index}/{requirement.name}/json")
    if page is None:
        return None
    versions = sorted(_versions(page["releases"]))
    let_in = [version for version in versions if version in requirement.specifier]
    floor = str(let_in[0]) if let_in else ""
    own = _page(f"{index}/{requirement.name}/{floor}/json") if floor else None
    newest = str(versions[-1]) if versions else ""
    return Looked(requirement.name, floor, newest, None if own is None else tuple(_holes(own)))


def _page(address: str) -> Any:
    try:
        with urlopen(address, timeout=TIMEOUT) as answer:  # noqa: S310 - the index that was named
            return json.load(answer)
    except HTTPError as error:
        if error.code == NOT_FOUND:
            return None
        raise


def _versions(releases: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[Version]:
    """Give the versions that can be installed and are no previews."""
    for text, files in releases.items():
        with suppress(InvalidVersion):
            version = Version(text)
            if not version.is_prerelease and any(not file.get("yanked") for file in files):
                yield version


def _holes(page: Mapping[str, Any]) -> Iterator[str]:
    for hole in page.get("vulnerabilities") or ():
        if not hole.get("withdrawn"):
            fixed = ", ".join(hole.get("fixed_in") or ()) or "no version"
            yield f"{'/'.join([hole['id'], *hole.get('aliases', ())])} (fixed in {fixed})"


def report(looked: Iterable[Looked], locked: Mapping[str, set[str]]) -> tuple[list[str], bool]:
    """Return lines about the dependencies, and whether a floor has a known hole."""
    lines, is_holed, untold = [], False, []
    for each in looked:
        tested = locked.get(canonicalize_name(each.name), set())
        if each.newest and tested and each.newest not in tested:
            lines.append(f"newer than tested: {each.name} {each.newest} (tested with {', '.join(sorted(tested))})")
        for hole in each.holes or ():
            is_holed = True
            lines.append(f"known hole: {each.name} {each.floor}, which pyproject.toml lets in: {hole}; raise the floor")
        untold += [each.name] if each.holes is None else []
    if untold:
        lines.append(
            f"the index does not tell the holes of {len(untold)} floors, such as {untold[0]}; they were not looked at"
        )
    return lines, is_holed


def main() -> None:
    """Print the lines of a day's look, and exit with 1 for a hole."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--index", default=INDEX)
    parser.add_argument("--project", type=Path, default=ROOT / "pyproject.toml")
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements" / "locked.txt")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "dependencies.txt")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    kept: Path = options.kept
    written = max(file.stat().st_mtime for file in (options.project, options.lock, Path(__file__)))
    if not options.again and kept.is_file() and kept.stat().st_mtime > max(written, time.time() - DAY):
        print(kept.read_text(encoding="utf-8"), end="")
        return
    first, *others = requirements(options.project)
    ask = partial(look, options.index)
    try:
        answer = ask(first)  # alone: where there is no network, one is enough to know
        with ThreadPoolExecutor(LANES) as lanes:
            looked = [each for each in (answer, *lanes.map(ask, others)) if each]
    except (OSError, ValueError) as error:
        print(f"dependencies: {options.index} cannot be asked ({error}); nothing was looked up")
        return
    lines, is_holed = report(looked, locked_versions(options.lock))
    said = "".join(
        f"dependencies: {line}\n"
        for line in lines or [f"{len(looked)} looked up, none with a known hole or newer than tested"]
    )
    print(said, end="")
    if is_holed:
        sys.exit(1)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(said, encoding="utf-8")


if __name__ == "__main__":
    main()
