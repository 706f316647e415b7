"""The server on the page of providers, started as it stands, makes questions and answers them."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import quick_kbe
from commands import environment
from PIL import Image

from kbe_graph.store.engine import stop

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")


def test_the_server_of_the_page_is_enough_for_its_commands(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    code, commands = (
        "".join(re.findall(rf"```{name}\n(.*?)```", PAGE, re.DOTALL)).replace("8000", port)
        for name in ("python server", "sh own")
    )
    (tmp_path / "server.py").write_text(code)
    (tmp_path / "photos").mkdir()
    for name in ("day", "night"):
        Image.effect_noise((320, 240), 90).save(tmp_path / "photos" / f"{name}.jpg")
    paths = {"PATH": f"{Path(quick_kbe.path()).parent}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, tmp_path / "server.py"], stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                        break
                time.sleep(0.05)
            shell = ["bash", "-e", "-c", commands]
            done = subprocess.run(
                shell, cwd=tmp_path, env=environment() | paths, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert re.search(r"hop 1 +2 of 2 +100 % of all 2", done.stdout), done.stdout
            assert "2 right, 2 wrong" in done.stdout + done.stderr
            photos = commands.replace("-w T", "-w P").replace("towers.jsonl --images photos", "photos")
            shell[-1] = "\n".join(line for line in photos.splitlines() if not line.startswith("for "))
            done = subprocess.run(
                shell, cwd=tmp_path, env=environment() | paths, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert re.search(r"hop 1 +2 of 2 +100 % of all", done.stdout), done.stdout
        finally:
            server.terminate()
            for name in "TP":
                stop(tmp_path / name / ".kbe")


def test_the_page_names_each_step() -> None:
    steps = {file.stem for file in (ROOT / "prompts").glob("*.md")} - {"manual"}
    named = PAGE[PAGE.index("The steps, in the order") :]
    assert {step for step in steps if f"`{step}`" not in named} == set()
