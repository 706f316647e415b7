"""Ray cluster: one worker per processor, and one actor that calls the models for all of them.

The workers share the work through the graph's server, like clients started by hand. The actor runs on the machine where
the command was started, whose workspace stores the calls.
"""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kbe_graph.errors import KbeError, ResourceError
from kbe_graph.execute.model_proxy import ModelActor
from kbe_graph.extras import require_extra
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.secret import refuse_secrets

LOOK = 1.0  # seconds between checks on the workers
LONGEST_END = 30.0  # seconds to wait for stopped workers
PATIENCE = 5.0  # seconds for a cluster to accept a connection
PASSED_ON = ("KBE_", "OPENAI_")  # prefixes of the variables that workers need
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ActorChannel:
    """Channel to the actor that calls the models."""

    actor: Any

    async def call(self, method: str, *arguments: object) -> Any:
        """Call a method of the actor and return its result."""
        return await getattr(self.actor, method).remote(*arguments)


class _ActorOfCommand(ModelActor):
    """Actor with the command's environment variables."""

    def __init__(self, environ: Mapping[str, str], *place: Any, **bounds: Any) -> None:
        os.environ.update(environ)
        super().__init__(*place, **bounds)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cluster that this process has joined, with the actor that calls the models."""

    ray: Any
    actor: Any

    @property
    def channel(self) -> ActorChannel:
        """The channel through which workers call the models."""
        return ActorChannel(self.actor)

    @property
    def spending(self) -> CallProgress:
        """The calls and cost so far."""
        spending: CallProgress = self.ray.get(self.actor.progress.remote())
        return spending

    def run(self, work: Callable[..., T | KbeError], *arguments: Any, watch: Callable[[CallProgress], None]) -> list[T]:
        """Have each worker do the work, and return their results.

        Raises the first error that a worker returns, after stopping the others.
        """
        ray, did = self.ray, list[T]()
        task = ray.remote(_work).options(num_cpus=1, max_retries=3)
        count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = [task.remote(_environment(), work, *arguments) for _ in range(count)]
        while waiting:
            ended, waiting = ray.wait(waiting, timeout=LOOK)
            watch(self.spending)
            for outcome in ray.get(ended):
                if isinstance(outcome, KbeError):
                    for worker in waiting:
                        ray.cancel(worker)
                    ray.wait(waiting, num_returns=len(waiting), timeout=LONGEST_END)
                    raise outcome
                did.append(outcome)
        return did


def _work(environ: Mapping[str, str], work: Callable[..., T], *arguments: Any) -> T | KbeError:
    os.environ.update(environ)
    try:
        return work(*arguments)
    except KbeError as error:
        return error


def _environment() -> Mapping[str, str]:
    """Collect the variables that workers need; they include keys, so they are not passed through ``runtime_env``.

    Ray writes ``runtime_env`` to its logs.
    """
    return {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}


@contextmanager
def open_cluster(folder: Path, flags: Mapping[str, Any], **bounds: Any) -> Iterator[Cluster]:
    """Join the cluster at ``RAY_ADDRESS``, or start one on this machine; its actor takes ``ModelActor``'s arguments.

    Raises ResourceError without ``ray``, and if no cluster is found.
    """
    ray = _ray()
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    this_machine = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(_ActorOfCommand).options(num_cpus=0, max_concurrency=100_000, scheduling_strategy=this_machine)
    opened = actor.remote(_environment(), folder, flags, **bounds)
    try:
        yield Cluster(ray, opened)
    finally:
        ray.get(opened.close.remote())
        ray.kill(opened)


def _ray() -> Any:
    require_extra("ray")
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not ray.is_initialized():
        _join(ray)
    return ray


def _join(ray: Any) -> None:
    place = os.environ.get("RAY_ADDRESS", "")
    refuse_secrets(place, "RAY_ADDRESS", "log in by RAY_AUTH_TOKEN")
    try:
        host, _, port = place.rpartition(":")
        if host and port.isdecimal() and "/" not in host:
            socket.create_connection((host, int(port)), PATIENCE).close()  # Ray itself retries for many minutes
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    except (OSError, ValueError) as error:
        raise ResourceError(
            f"no Ray cluster at RAY_ADDRESS {place!r} ({error}); start one there with 'ray start --head', "
            "set RAY_AUTH_MODE=token if it requires a token, or unset RAY_ADDRESS to use the processors of "
            "this machine"
        ) from None
