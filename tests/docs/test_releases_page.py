"""The page on releases: its commands, given in order, print what it shows."""

import os
import re
import subprocess
from pathlib import Path

import quick_kbe
from commands import environment

from kbe_graph.store.engine import stop

PAGE = Path(__file__).parents[2] / "docs" / "releases.md"


def plain(text: str) -> str:
    """A text without differences of space and of rounding."""
    return " ".join(text.split())


def test_the_story_of_a_wrong_fact_is_as_the_page_tells_it(tmp_path: Path) -> None:
    path = f"{Path(quick_kbe.path()).parent}{os.pathsep}{os.environ['PATH']}"
    printed = ""
    try:
        for language, block in re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text(), re.DOTALL):
            if language == "txt":
                parts = [plain(part) for line in block.splitlines() for part in line.split("...")]
                assert [part for part in parts if part not in printed] == []
            else:
                shell = ["bash", "-e", "-c", block]
                done = subprocess.run(
                    shell, cwd=tmp_path, env=environment() | {"PATH": path}, capture_output=True, text=True, check=False
                )
                assert done.returncode == ("sed" in block), done.stderr  # it changes a byte
                printed = plain(done.stdout + done.stderr)
    finally:
        stop(tmp_path / "kbe-demo" / ".kbe")
