"""The server process of the local model."""

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve until the standard input is closed."""
    arguments = _arguments()
    answer = os.dup(1)
    os.dup2(2, 1)  # redirects the server's output to the log
    server = _serve(arguments)
    with suppress(BrokenPipeError), os.fdopen(answer, "w") as stream:
        stream.write(f"{server.listening_address}\n")
    sys.stdin.buffer.read()
    os._exit(0)  # without waiting for a reply in progress


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--projector", type=Path)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args()


def _serve(arguments: argparse.Namespace) -> Any:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = str(arguments.weights), {arguments.name}
    settings.mmproj.path = str(arguments.projector or "")
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.cors_origins = ""  # no web page may call it
    settings.ui = settings.endpoint_slots = settings.warmup = False
    settings.n_ctx, settings.n_parallel = arguments.context, 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = arguments.threads
    settings.cache_ram_mib = 512
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
