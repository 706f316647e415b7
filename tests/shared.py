"""Expensive resources, made once per test session by the first worker that needs them, and read by all."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import kbe, kbe_here


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder that ``make`` filled, after waiting for a worker that is filling it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"shared-{name}"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a failed attempt
            folder.mkdir()
            make(folder)
            (folder / "complete").touch()
    return folder


def data_folder() -> Path:
    """Return the folder of the large data files, from KBE_DATA; skips the test if it is not set."""
    if not os.environ.get("KBE_DATA"):
        pytest.skip("KBE_DATA is not set: name the folder of the benchmark files")
    return Path(os.environ["KBE_DATA"])


def make_demo(folder: Path) -> None:
    """Run ``kbe demo`` in the workspace ``W``, and keep its output, ``said``, and all its questions, ``out.jsonl``."""
    (folder / "said").write_text(kbe("-w", folder / "W", "demo", columns=120))
    kbe_here("-w", folder / "W", "export", "jsonl", folder / "out.jsonl", "--all")
