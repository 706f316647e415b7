"""How a command ends that is stopped from outside: by a signal, a pipe that closes, a stream that is full or gone."""

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import quick_kbe
from commands import KBE, environment, kbe
from engines import gone

from kbe_graph.store.engine import running

pytestmark = pytest.mark.long


def shell(line: str, work: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of bash; ``kbe`` and ``$W`` are there."""
    command = KBE if "PYTHON" in line else quick_kbe.path()  # what Python itself is told, a new one must be told
    script = f'kbe() {{ "{command}" -w "{work}" "$@"; }}; set -o pipefail; {line}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=environment())


def test_standard_output_that_is_full_is_told(demo_kept_up: Path) -> None:
    done = shell("kbe status --json > /dev/full", demo_kept_up)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "bug in kbe" not in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_stream_that_the_shell_closed_is_done_without(demo_kept_up: Path, closed: str) -> None:
    done = shell(f"kbe status {closed}", demo_kept_up)
    assert (done.returncode, done.stderr) == (0, "")
    assert shell(f"kbe show nosuch {closed}", demo_kept_up).returncode == 1


def test_a_reader_that_has_enough_is_no_error(demo_kept_up: Path) -> None:
    command = "query --cypher 'UNWIND range(1, 90000) AS x RETURN x' --limit 90000"
    done = shell(f"kbe {command} | head -1", demo_kept_up)
    assert (done.returncode, done.stderr) == (0, "")


def began(work: Path, *command: str) -> "subprocess.Popen[str]":
    """Start a command, and wait until its engine is up and it has begun."""
    process = subprocess.Popen(
        [KBE, "-w", work, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    end = time.monotonic() + 60
    while not ((record := running(work / ".kbe")) and record.bolt_port) and time.monotonic() < end:
        time.sleep(0.02)
    return process


def test_a_signal_ends_a_command_in_order_and_with_a_word(demo_made: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    command = ("evolve", "--run", "other", "--seed", "3", "--limit", "5")
    process = began(tmp_path / "W", *command)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert said.splitlines()[-1] == "ended by SIGTERM; re-run the command to resume"
    assert "Warning" not in said
    assert "Traceback" not in said
    assert gone(tmp_path / "W" / ".kbe")
    kbe("-w", tmp_path / "W", *command)


def test_an_interrupted_run_says_one_line_and_warns_of_nothing(demo_made: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_made / "W", tmp_path / "W")
    process = began(tmp_path / "W", "evolve", "--run", "other", "--seed", "3")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in {0, 130}, said
    if process.returncode:
        assert said.splitlines()[-1] == "interrupted; re-run the command to resume"
    assert "Warning" not in said
    assert "Traceback" not in said
    assert gone(tmp_path / "W" / ".kbe")
