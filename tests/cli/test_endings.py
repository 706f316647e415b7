"""How a command ends that is stopped from outside: by a signal, a pipe that closes, a stream that is full or gone."""

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from commands import KBE, environment, kbe
from engines import gone

from kbe_graph.store.engine import running

pytestmark = pytest.mark.long


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
