"""``scripts/house.py`` on this checkout."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_figures_of_this_checkout_are_those_of_its_files() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "house.py", ROOT], capture_output=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    files = [file for folder in ("kbe_graph", "cli") for file in (ROOT / folder).rglob("*.py")]
    assert figures["modules"] == len(files)
    assert figures["lines"] == sum(len(file.read_text().splitlines()) for file in files)
    assert figures["lines a module"]["median"] <= figures["lines a module"]["p90"] <= figures["lines a module"]["max"]
    assert figures["import cycles at load"] == figures["classes that share a name"] == 0
    assert figures["methods of"]["Workspace"] > 0
