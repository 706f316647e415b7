import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from kbe_graph.english.parse import MODELS

OWN, COPY = MODELS
CODE = """
from kbe_graph.english.parse import load_spacy_model, spacy_model_name
print(spacy_model_name(), *[word.pos_ for word in load_spacy_model()("a dog barks")])
"""


def test_spacys_own_model_is_taken_before_its_copy(tmp_path: Path) -> None:
    copy = find_spec(COPY)
    if copy is None or copy.origin is None:
        pytest.skip(f"{COPY} is not installed")
    (tmp_path / OWN).symlink_to(Path(copy.origin).parent)  # as `spacy download` installs it
    about = tmp_path / f"{OWN}-3.8.0.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: {OWN}\nVersion: 3.8.0\n")
    environ = os.environ | {"PYTHONPATH": str(tmp_path), "KBE_SPACY_MODEL": ""}
    done = subprocess.run([sys.executable, "-c", CODE], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [OWN, "DET", "NOUN", "VERB"]
