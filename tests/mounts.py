"""Small and read-only disks, for tests of error messages; only root can mount them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a disk of a size such as ``1200k``."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def make_room(folder: Path) -> None:
    """Enlarge a small disk to 300 MB, which is ample."""
    _mount("-o", "remount,size=300m", folder)


def fill(folder: Path, left: int) -> None:
    """Leave only ``left`` KiB free on a small disk."""
    used = shutil.disk_usage(folder).used // 1024
    _mount("-o", f"remount,size={used + left}k", folder)


def _mount(*options: object) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    done = subprocess.run(["mount", *map(str, options)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
