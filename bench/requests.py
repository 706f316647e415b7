"""Requests a second against a server on loopback (0.5 s latency, a picture of about 20 KB in each request).

``python bench/requests.py`` measures, each in a process of its own, this package, the plain ``openai`` client and
``inspect-ai`` (where it is installed) at 64, 256 and 1,024 calls in flight. It prints requests/s, CPU milliseconds a
call and the most memory. Requests/s are of the clock and end at what client and server together get of the processor;
CPU milliseconds are the client's own, and bear a machine that does much else.
``--peer-python`` names the Python that has inspect-ai.
"""

import argparse
import asyncio
import base64
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

LATENCY = 0.5
IN_FLIGHT = (64, 256, 1024)
PROMPT = "Name what is to be seen. " * 40


def picture(folder: Path) -> Path:
    """Return a picture that is about 20 KB when it is sent."""
    from PIL import Image

    file = folder / "noise.png"
    if not file.exists():
        Image.effect_noise((200, 160), 60).convert("RGB").save(file)
    return file


def jpeg(folder: Path) -> Path:
    """Return the same picture as it is sent."""
    from kbe_graph.models.images import Encoding, encode_jpeg

    file = folder / "noise.jpg"
    file.write_bytes(encode_jpeg(picture(folder), Encoding(768, 85)))
    return file


def data_uri(folder: Path) -> str:
    """Return the picture as the other clients take it."""
    return f"data:image/jpeg;base64,{base64.b64encode((folder / 'noise.jpg').read_bytes()).decode()}"


async def ours(url: str, count: int, in_flight: int, folder: Path) -> int:
    from kbe_graph.models import CallStore, DirectModel, ModelBook, Request

    section = {"base_url": url, "model": "m", "in_flight": in_flight}
    store = CallStore(folder / f"calls-{os.getpid()}.sqlite")
    file = picture(folder)
    async with DirectModel(ModelBook(section, environ={}), store) as model:

        async def call(number: int) -> None:
            await model.ask(Request("bench", (("system", PROMPT), ("user", f"{number}")), images=(file,)))

        good = await bounded(call, count, in_flight)
    store.close()
    return good


async def plain(url: str, count: int, in_flight: int, folder: Path) -> int:
    from openai import AsyncOpenAI

    uri = data_uri(folder)
    async with AsyncOpenAI(base_url=url, api_key="none") as client:

        async def call(number: int) -> None:
            content = [{"type": "image_url", "image_url": {"url": uri}}, {"type": "text", "text": f"{number}"}]
            messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": content}]
            await client.chat.completions.create(model="m", messages=messages, max_tokens=1024)  # type: ignore[arg-type]

        return await bounded(call, count, in_flight)


async def inspect_ai(url: str, count: int, in_flight: int, folder: Path) -> int:
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        ContentImage,
        ContentText,
        GenerateConfig,
        get_model,
    )

    config = GenerateConfig(max_connections=in_flight, max_tokens=1024)
    model = get_model("openai-api/bench/m", base_url=url, api_key="none", config=config)
    image = ContentImage(image=data_uri(folder))

    async def call(number: int) -> None:
        user = ChatMessageUser(content=[image, ContentText(text=f"{number}")])
        await model.generate([ChatMessageSystem(content=PROMPT), user])

    return await bounded(call, count, in_flight)


async def bounded(call: Callable[[int], Awaitable[None]], count: int, in_flight: int) -> int:
    """Make so many calls, so many at once; return how many did not fail."""
    numbers = iter(range(count))
    good = 0
    errors: Counter[str] = Counter()

    async def worker() -> None:
        nonlocal good
        for number in numbers:
            try:
                await call(number)
            except Exception as error:  # noqa: BLE001 - whatever a client raises is a failed call
                errors[f"{type(error).__name__} {error}"[:200]] += 1
            else:
                good += 1

    await asyncio.gather(*(worker() for _ in range(in_flight)))
    for error, times in errors.most_common(3):
        print(f"{times} times {error}", file=sys.stderr)
    return good


CLIENTS = {"kbe-graph": ours, "openai": plain, "inspect-ai": inspect_ai}


def runner() -> Callable[..., int]:
    """Return how this package runs its event loop."""
    from kbe_graph.models import run

    return run


def client(arguments: argparse.Namespace) -> None:
    """Measure one client in this process."""
    go = CLIENTS[arguments.client]
    folder = Path(arguments.folder)
    asyncio.run(go(arguments.url, min(64, arguments.in_flight), min(64, arguments.in_flight), folder))
    start, cpu = time.perf_counter(), time.process_time()
    run = runner() if arguments.client == "kbe-graph" else asyncio.run
    good = run(go(arguments.url, arguments.calls, arguments.in_flight, folder))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = {
        "client": arguments.client,
        "in flight": arguments.in_flight,
        "requests/s": round(good / seconds, 1),
        "failed": arguments.calls - good,
        "CPU ms a call": round(1000 * cpu / arguments.calls, 2),
        "memory MB": memory,
    }
    print(json.dumps(figures))


def serve() -> None:
    """Be the server until standard input ends."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from loopback_server import LoopbackServer

    with LoopbackServer(latency=LATENCY, record=False) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        print(json.dumps(dict(server.statuses)), flush=True)


def measure(arguments: argparse.Namespace, name: str, in_flight: int, calls: int, folder: str) -> dict[str, object]:
    """Start a server and a client, and return the client's figures."""
    serving = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert serving.stdin is not None  # noqa: S101
    assert serving.stdout is not None  # noqa: S101
    url = serving.stdout.readline().strip()
    python = arguments.peer_python if name == "inspect-ai" else sys.executable
    command = [python, __file__, "--client", name, "--url", url, "--in-flight", str(in_flight), "--calls", str(calls)]
    done = subprocess.run([*command, "--folder", folder], stdout=subprocess.PIPE, text=True, check=False)
    serving.stdin.close()
    statuses = json.loads(serving.stdout.readline())
    serving.wait()
    return (
        {**json.loads(done.stdout), "statuses": statuses} if done.returncode == 0 else {"client": name, "failed": "all"}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--client", choices=CLIENTS)
    parser.add_argument("--url")
    parser.add_argument("--folder")
    parser.add_argument("--in-flight", type=int, help="measure at this number alone")
    parser.add_argument("--calls", type=int, default=0, help="of each measurement (default: for a few seconds)")
    parser.add_argument("--only", choices=CLIENTS)
    parser.add_argument("--peer-python", default="")
    arguments = parser.parse_args()
    if arguments.serve or arguments.client:
        serve() if arguments.serve else client(arguments)
        return
    with tempfile.TemporaryDirectory() as folder:
        jpeg(Path(folder))
        for name in [arguments.only] if arguments.only else CLIENTS:
            if name == "inspect-ai" and not arguments.peer_python:
                continue
            for in_flight in [arguments.in_flight] if arguments.in_flight else IN_FLIGHT:
                calls = arguments.calls or 4 * in_flight + 1024
                print(json.dumps(measure(arguments, name, in_flight, calls, folder)), flush=True)


if __name__ == "__main__":
    main()
