"""A computed, untrained vision projector: it recognises 24 icons and passes their words to the text model.

It is a LLaVA projector in llama.cpp's format (architecture ``clip``, projector type ``mlp``). The kernels of the patch
convolution are the dual basis of the icons (the pseudo-inverse of their pixels), so that an icon gives 1 at its own
kernel and 0 at all others. The first layer turns values above 0.6 into a step, and the last one maps the step to the
row of the icon's word among the text model's embeddings; a patch without an icon becomes a line break. No transformer
block is run: LLaVA skips the last block, and there is only one.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from local_model.icons import PLACES, SIDE, draw_icon, icon_shapes

if TYPE_CHECKING:
    import gguf
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

LOW, HIGH, STEEP = 0.5, 0.7, 200.0
VERSION = 1  # of this computation; part of the file's name
BLANK = "\n"
# space and line break in the byte-level alphabet of GPT-2's tokenizer
WRITTEN = str.maketrans({" ": "\u0120", "\n": "\u010a"})


class _Layers(NamedTuple):
    kernels: "Array"
    first: "Array"
    first_bias: "Array"
    last: "Array"
    last_bias: "Array"


def write_projector(weights: Path, file: Path) -> None:
    """Write the projector for the text model in ``weights`` (GGUF) to ``file``, about 0.4 MB."""
    import gguf

    rows = embedding_rows(weights, [BLANK, *(f" {word}" for word in icon_shapes())])
    layers = _layers(rows[1:], rows[0])
    temporary = file.with_suffix(".tmp")
    writer = gguf.GGUFWriter(temporary, "clip")
    _describe(writer, size=layers.kernels.shape[0], out=rows.shape[1])
    for name, tensor in _tensors(layers).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    temporary.replace(file)


def embedding_rows(weights: Path, words: list[str]) -> "Array":
    """Read the embedding rows of the words, each a single token, from a text model."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(weights)
    field = reader.fields["tokenizer.ggml.tokens"]
    number = {bytes(field.parts[part]).decode("utf-8"): place for place, part in enumerate(field.data)}
    tensor = next(tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")
    chosen = tensor.data[[number[word.translate(WRITTEN)] for word in words]]
    rows: Array = np.asarray(gguf.quants.dequantize(chosen, tensor.tensor_type), dtype=np.float32)
    return rows


def _layers(rows: "Array", blank: "Array") -> _Layers:
    """Compute the layers: 24 kernels, and two steps each (gelu rises from LOW, and is cancelled from HIGH)."""
    import numpy as np

    pixels = np.stack([np.asarray(draw_icon(word), dtype=np.float32) / 127.5 - 1 for word in icon_shapes()])
    flat = pixels.transpose(0, 3, 1, 2).reshape(len(rows), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    kernels = np.linalg.pinv(flat).T.reshape(len(rows), 3, SIDE, SIDE)
    same = np.eye(len(rows))
    height = STEEP * (HIGH - LOW)
    step = (rows - blank).T / height
    return _Layers(
        kernels=kernels.astype(np.float32),
        first=(STEEP * np.concatenate([same, same])).astype(np.float32),
        first_bias=(-STEEP * np.repeat([LOW, HIGH], len(rows))).astype(np.float32),
        last=np.concatenate([step, -step], axis=1).astype(np.float32),
        last_bias=blank,
    )


def _tensors(layers: _Layers) -> "dict[str, Array]":
    import numpy as np

    size = len(layers.kernels)
    square: Array = np.zeros((size, size), np.float32)
    flat: Array = np.zeros(size, np.float32)
    block: dict[str, Array] = {f"attn_{part}": square for part in ("q", "k", "v", "out")} | {
        "ffn_up": square,
        "ffn_down": square,
    }
    named: dict[str, Array] = {f"v.blk.0.{name}.weight": value for name, value in block.items()}
    named |= {f"v.blk.0.{name}.bias": flat for name in block}
    named |= {f"v.blk.0.{name}.{part}": flat for name in ("ln1", "ln2") for part in ("weight", "bias")}
    return named | {
        "v.patch_embd.weight": layers.kernels,
        "v.position_embd.weight": np.zeros((PLACES**2, size), np.float32),
        "mm.0.weight": layers.first,
        "mm.0.bias": layers.first_bias,
        "mm.2.weight": layers.last,
        "mm.2.bias": layers.last_bias,
    }


def _describe(writer: "gguf.GGUFWriter", *, size: int, out: int) -> None:
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
