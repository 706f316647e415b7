"""Runs the command line as a user does: in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from kbe_graph.store import Address

KBE = str(Path(sys.executable).with_name("kbe"))


def environment(address: Address | None = None) -> dict[str, str]:
    """The environment of a user who has set nothing but, where one is given, the graph's address."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("KBE_", "NEO4J_", "OPENAI_"))}
    if address is None:
        return plain
    return plain | {
        "NEO4J_URI": address.uri,
        "NEO4J_USERNAME": address.username,
        "NEO4J_PASSWORD": address.password,
        "NEO4J_DATABASE": address.database or "",
    }


def kbe(*arguments: object, address: Address | None = None, code: int = 0) -> str:
    """Run kbe and return its standard output, or its standard error where another exit code than 0 is expected."""
    done = subprocess.run(
        [KBE, *map(str, arguments)], capture_output=True, text=True, check=False, env=environment(address), timeout=300
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stderr if code else done.stdout
