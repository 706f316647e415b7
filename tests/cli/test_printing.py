"""What is printed: text is data, to a terminal, to a program and to a spreadsheet."""

import json
import os
import subprocess
import sys
from pathlib import Path

import quick_kbe
from commands import kbe_here, shown_on_terminal

TABLE = """
from kbe_graph.cli.printing import print_rows, say
print_rows(("a", "[b]"), [("[/x] boom", ":dog: [bold]"), ("\\x1b]0;pwned\\x07", "\\u202eback\\nline")])
say("\\x1b[2Jgone")
"""


def on_terminal(code: str) -> str:
    """Run code whose standard output is a terminal, and return what it shows."""
    return shown_on_terminal([sys.executable, "-c", code])


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_a_terminal_shows_markup_and_controls_and_obeys_neither() -> None:
    shown = on_terminal(TABLE)
    for text in ("[/x] boom", ":dog: [bold]", "[b]", r"\x1b]0;pwned\x07", r"\u202eback\nline", r"\x1b[2Jgone"):
        assert text in shown
    for order in ("\x1b]", "\x07", "\u202e", "\x1b[2J"):
        assert order not in shown


def test_a_full_disk_and_a_closed_pipe_are_no_fault_of_the_program() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([quick_kbe.path(), "query"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: cannot write to standard output: No space left on device\n")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([quick_kbe.path(), "query"], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_errors_are_json_where_json_is_asked_for(tmp_path: Path) -> None:
    for arguments, kind, code in (
        (("-w", tmp_path / "none", "query", "--cypher", "RETURN 1", "--json"), "ConfigError", 1),
        (("query", "--limit", "0", "--json"), "BadParameter", 2),
    ):
        said = json.loads(kbe_here(*arguments, code=code))
        assert said["kind"] == kind
        assert said["error"]


def test_the_package_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "kbe_graph", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("kbe")
