"""``scripts/check_dependencies.py`` against a real small server that speaks as the package index does."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_dependencies.py"
PROJECT = """
[project]
name = "x"
dependencies = ["Sound>=1.1,<3"]
[project.optional-dependencies]
more = ["holed>=2"]
"""
FILE = [{"yanked": False}]
HOLE = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fixed_in": ["2.2"], "withdrawn": None}
PAGES: dict[str, Any] = {
    "/pypi/Sound/json": {"releases": {"1.0": FILE, "1.1": FILE, "1.2": FILE, "2.0rc1": FILE, "oddly": FILE}},
    "/pypi/Sound/1.1/json": {"vulnerabilities": []},
    "/pypi/holed/json": {"releases": {"1.9": FILE, "2.0": [{"yanked": True}], "2.1": FILE, "2.2": FILE}},
    "/pypi/holed/2.1/json": {"vulnerabilities": [HOLE, HOLE | {"id": "PYSEC-2", "withdrawn": "2026-01-01"}]},
}


@pytest.fixture
def index() -> Iterator[tuple[str, dict[str, Any]]]:
    """The address of an index, and the pages that it has."""
    pages = dict(PAGES)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            content = json.dumps(page).encode()
            self.send_response(200 if page is not None else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/pypi", pages
        server.shutdown()


def check(folder: Path, index: str, *options: str, locked: Mapping[str, str]) -> tuple[int, list[str]]:
    if not (folder / "pyproject.toml").exists():
        (folder / "pyproject.toml").write_text(PROJECT)
    lines = [f"{name}=={version} \\\n    --hash=sha256:00\n" for name, version in locked.items()]
    if not (folder / "locked.txt").exists():
        (folder / "locked.txt").write_text("".join(lines))
    places = {"index": index, "project": folder / "pyproject.toml", "lock": folder / "locked.txt"}
    named = [f"--{name}={place}" for name, place in (places | {"kept": folder / "kept.txt"}).items()]
    done = subprocess.run([sys.executable, SCRIPT, *named, *options], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_known_hole_at_a_floor_fails_and_a_newer_version_is_told(
    tmp_path: Path, index: tuple[str, dict[str, Any]]
) -> None:
    code, lines = check(tmp_path, index[0], locked={"sound": "1.1", "holed": "2.2"})
    hole = "holed 2.1, which pyproject.toml lets in: PYSEC-1/CVE-1 (fixed in 2.2); raise the floor"
    assert lines == [
        "dependencies: newer than tested: Sound 1.2 (tested with 1.1)",
        f"dependencies: known hole: {hole}",
    ]
    assert code == 1


def test_where_nothing_is_wrong_it_says_so_and_looks_once_a_day(
    tmp_path: Path, index: tuple[str, dict[str, Any]]
) -> None:
    address, pages = index
    pages["/pypi/holed/2.1/json"] = {"vulnerabilities": []}
    good = (0, ["dependencies: 2 looked up, none with a known hole or newer than tested"])
    locked = {"sound": "1.2", "holed": "2.2"}
    assert check(tmp_path, address, locked=locked) == good
    pages["/pypi/holed/2.1/json"] = PAGES["/pypi/holed/2.1/json"]
    assert check(tmp_path, address, locked=locked) == good
    assert check(tmp_path, address, "--again", locked=locked)[0] == 1
