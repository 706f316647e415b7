"""What each command has: a help that comes quickly, with examples that can be given as they stand, and ``--json``."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from command_tree import commands, read_line
from commands import kbe_here

from kbe_graph.cli.command_settings import with_flags
from kbe_graph.cli.face import PARTS
from kbe_graph.cli.main import kbe

HEAVY = (
    "neo4j",
    "openai",
    "spacy",
    "pandas",
    "pyarrow",
    "numpy",
    "rich",
    "arcadedb_embedded",
    "lemminflect",
    "sklearn",
)
TREE = dict(commands())
NO_JSON = {
    "demo": "a show for people: it prints stories",
    "explore": "pages in the browser, until it is ended",
    "review": "pages in the browser, until it is ended; its commands speak JSON",
}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['kbe', '--help']\n"
        "from kbe_graph.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "heavy: []"


def test_each_help_ends_with_examples_that_can_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("replies.jsonl").touch()
    for words in ["", *TREE]:
        command = TREE[words] if words else kbe
        title, *lines = (command.epilog or "").removeprefix("\b\n").splitlines()
        assert title == "Examples:", words
        assert 1 <= len(lines) <= 2
        for line in lines:
            read_line(line.strip())
            assert len(line) < 78
            assert line.strip().removeprefix("kbe ").removeprefix("-w W ").startswith(words)
        shown = kbe_here(*words.split(), "--help").splitlines()
        assert [line.strip() for line in shown[-len(lines) :]] == [line.strip() for line in lines]


def test_the_options_of_evolve_stand_in_parts_and_who_does_the_work_comes_first() -> None:
    lines = kbe_here("evolve", "--help").splitlines()
    titles = [line.strip(":") for line in lines if re.match(r"\w.*:$", line)]
    assert titles == ["Options", *PARTS]
    assert lines[lines.index("Options:") + 1].split()[0] == "--by"
    given = {param.name for param in TREE["evolve"].params}
    assert given >= set(" ".join(PARTS.values()).split())


def test_each_command_speaks_json() -> None:
    for words in [name for name, command in TREE.items() if not isinstance(command, click.Group) or command.callback]:
        command = TREE[words]
        only_groups = isinstance(command, click.Group) and not command.invoke_without_command
        given = command.get_params(click.Context(command))
        has_json = any("--json" in option.opts for option in given)
        assert has_json != (words in NO_JSON or only_groups), words


def test_messages_name_the_options_of_the_command_line() -> None:
    root = click.Context(kbe)
    for words, text, shown in (
        ("extract", "confirm with `replace`", "confirm with `--replace`"),
        ("extract", "`evolve` makes one, in the set with `gates`", "`evolve` makes one, in the set with `--gates`"),
        ("evaluate", "load again (`images`)", "load again (`--images`)"),
        ("evolve", "leave out `filters`, `max_calls`", "leave out `--filters`, `--max-calls`"),
        ("export", "see `filters`, and `x` of the file", "see `filters`, and `x` of the file"),
    ):
        assert with_flags(text, click.Context(TREE[words], parent=root)) == shown


def test_filters_explains_the_one_reason_that_is_named() -> None:
    (row,) = json.loads(kbe_here("filters", "no concept", "--json"))
    assert row["name"] == "no concept"
    assert "unknown name 'zebra'" in kbe_here("filters", "zebra", code=1)
