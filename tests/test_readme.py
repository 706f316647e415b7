"""README and documents are held to their word: each command in them is one that there is."""

import re
from pathlib import Path

from command_tree import read_line

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = (README, *(file.read_text() for file in sorted((ROOT / "docs").glob("**/*.md"))))
BLOCKS = [
    block for page in PAGES for language, block in re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL) if not language
]
COMMANDS = sorted({line for block in BLOCKS for line in block.splitlines() if line.startswith("kbe ")})


def test_the_commands_of_the_documents_can_be_given() -> None:
    assert len(COMMANDS) > 60
    for line in COMMANDS:
        read_line(line)


def test_files_that_the_readme_names_are_there() -> None:
    for name in re.findall(r"`((?:docs|kbe_graph|\.ci)/[\w./-]+)`", README):
        assert (ROOT / name).exists(), name
