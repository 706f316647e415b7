"""The server on the page of providers answers as one's own endpoint would."""

import asyncio
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

from kbe_graph.models.direct_model import greeting
from kbe_graph.models.settings import ModelSettings

PAGE = Path(__file__).parents[2] / "docs" / "providers.md"


def test_the_server_of_the_page_replies(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (code,) = re.findall(r"```python server\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "server.py").write_text(code.replace("8000", port))
    with subprocess.Popen([sys.executable, tmp_path / "server.py"], stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                        break
                time.sleep(0.05)
            settings = ModelSettings("answer", model="mine", base_url=f"http://127.0.0.1:{port}/v1")
            assert asyncio.run(greeting(settings)) == "giraffe"
        finally:
            server.terminate()
