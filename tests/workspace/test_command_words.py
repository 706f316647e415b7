"""Errors speak the caller's language: Python's arguments in Python, options and commands on the command line."""

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_tree import commands
from commands import kbe_here

import kbe_graph as kbe
from kbe_graph.cli.messages import WORDS

PACKAGE = Path(kbe.__file__).parent
OF_COMMANDS = re.compile(
    r"(?<![\w-])--[a-z]|'kbe |\bkbe (?:load|evolve|extract|calls|db|forms|show|facts|export|stats)\b"
)
OUTSIDE = (  # texts of pages and screens, of files for other programs, and the arguments of processes
    *("show/", "checks/", "explorer/console.py", "store/bulk_import.py", "store/engine_process.py"),
    *("store/engine.py", "testing/", "english/", "models/settings.py", "steps/asker.py"),
)


def texts() -> Iterator[tuple[str, str]]:
    """Give the texts of the library that are no docstrings, each with its module."""
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                yield file.relative_to(PACKAGE).as_posix(), node.value


def test_no_message_of_the_library_names_an_option_or_a_command() -> None:
    named = [(module, text) for module, text in texts() if OF_COMMANDS.search(text) and "ray start" not in text]
    about = [(module, text) for module, text in named if not module.startswith((*OUTSIDE, "evolve/run_options.py"))]
    assert about == []


def test_each_row_is_used_and_each_name_between_backticks_has_a_row() -> None:
    names = {name for _, text in texts() for name in re.findall(r"`([^`\n]+(?:=\.\.\.|=True|='\w+'|\([^`]*\)))`", text)}
    assert names == set(WORDS)


def test_the_words_of_python_are_there() -> None:
    work = kbe.Workspace
    namespaces = {
        name: inspect.get_annotations(vars(work)[name].fget, eval_str=True)["return"]
        for name in ("graph", "models", "answers", "stats", "people", "wiki", "review")
    }
    for words in WORDS:
        parts = words.partition("(")[0].split(".")
        if parts[0] == "work":
            kind = namespaces.get(parts[1])
            assert hasattr(kind, parts[2]) if kind else hasattr(work, parts[1]), words


def test_the_words_of_the_command_line_are_there() -> None:
    tree = dict(commands())
    options = {name for command in tree.values() for each in command.params for name in each.opts}
    for words in WORDS.values():
        line = shlex.split(words.strip("'")) if words.startswith("'") else []
        assert not line or "-w" in line or line[1] in {name.split()[0] for name in tree}, words
        assert {part for part in [*line, *words.strip("'").split()] if part.startswith("--")} <= options, words


def test_one_message_in_both_languages(work: kbe.Workspace, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(kbe.InputError, match=r"`filters=\.\.\.`: unknown name 'nuon'; did you mean 'noun'"):
        work.evolve(run="other", filters="nuon")
    work.close()
    assert "--filters: unknown name 'nuon'" in kbe_here(
        "-w", folder, "evolve", "--run", "o", "--filters", "nuon", code=1
    )
    with pytest.raises(kbe.InputError, match=r"make one with `Workspace\(FOLDER\)`"):
        kbe.Workspace(tmp_path / "none", create=False)
    assert "make one with 'kbe -w FOLDER init'" in kbe_here("-w", tmp_path / "none", "status", code=1)
