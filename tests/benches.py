"""Access to the scripts of ``bench/`` for tests that run small cases of them."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

BENCH = Path(__file__).parents[1] / "bench"


def bench(name: str) -> ModuleType:
    """Import a bench script; its folder is not on the path, as it would shadow packages of the same names."""
    spec = spec_from_file_location(name, BENCH / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
