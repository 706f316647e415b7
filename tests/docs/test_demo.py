"""What the documents show of the demo is what the demo gives."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import environment

from kbe_graph import Workspace

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def place(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which ``kbe demo`` was run."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(demo_made / "W", folder / "kbe-demo")
    return folder


@pytest.fixture(scope="module")
def printed(demo_made: Path) -> list[str]:
    return (demo_made / "said").read_text().splitlines()


def test_the_readme_shows_what_the_demo_prints_line_by_line_in_order(printed: list[str]) -> None:
    (block,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    rest = iter(printed)
    strange = [line for line in block.splitlines() if line not in rest]
    assert strange == []
    assert [f"hop {hop} " in block for hop in range(1, 4)] == [True] * 3


@pytest.mark.ci
def test_the_library_lines_of_the_readme_run_as_they_stand(place: Path) -> None:
    (lines,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", lines],
        cwd=place,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Which river flows through the capital of the country where this crosswalk is? -> Tiber" in done.stdout
    assert "IMAGE -[depicts]-> CROSSWALK -[in country]-> ITALY" in done.stdout
    with Workspace(place / "kbe-demo", progress=False) as work:
        assert [run.name for run in work.runs()] == ["demo-0"]
    assert (place / "evolved.jsonl").read_text().count("\n") > 80
