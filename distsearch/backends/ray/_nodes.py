"""Every node of a Ray cluster examined, each by a task that is pinned to it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from distsearch import _file_systems
from distsearch.backends import _machine
from distsearch.backends._machine import MachineFacts
from distsearch.backends.ray._backend import RayBackend
from distsearch.backends.ray._session import ray

__all__ = ["Node", "examine_nodes"]

ANSWER_SECONDS = 30.0
_CLOCK_SECONDS = 5.0
_CLOCK_TRIPS = 3


@dataclass(frozen=True)
class Node:
    """A node of a Ray cluster, and what was found there.

    Parameters
    ----------
    name : str
        Its address, with a part of its id where several nodes have one address.
    head : bool
        Whether it is the head.
    cpus : float
        The CPUs that Ray hands out there.
    facts : dict or None
        What it has; None if it did not answer.
    trouble : str
        Why it did not.
    ahead : float or None
        Seconds by which its clock is ahead of this machine's, as far as is known.
    within : float
        How far that may be off: half of what asking took.
    """

    name: str
    head: bool
    cpus: float
    facts: MachineFacts | None = None
    trouble: str = ""
    ahead: float | None = None
    within: float = 0.0


def examine_nodes(
    address: str,
    packages: Sequence[str],
    module: str,
    store: str | None = None,
    *,
    seconds: float = ANSWER_SECONDS,
) -> list[Node]:
    """Examine all nodes of a cluster at once.

    The tasks need no CPU, so they do not wait for those that run, and no distsearch on the nodes.

    Parameters
    ----------
    address : str
        "HOST:PORT" of the cluster.
    packages, module, store
        See `distsearch.backends._machine.examine_machine`.
    seconds : float
        How long the nodes have to answer.

    Returns
    -------
    list of Node
        The head first.

    Raises
    ------
    BackendError
        When there is no Ray at the address.
    """
    with RayBackend(address) as backend, ExitStack() as stack:
        backend.start()
        for each in (_machine, _file_systems):
            stack.enter_context(_sent_whole(each))
        alive = [node for node in ray.nodes() if node["Alive"]]
        nodes = [_node(each) for each in alive]
        shared = Counter(each.name for each in nodes)
        nodes = [
            replace(node, name=f"{node.name} {each['NodeID'][:6]}")
            if shared[node.name] > 1
            else node
            for node, each in zip(nodes, alive, strict=True)
        ]
        pins = [_pinned(each["NodeID"]) for each in alive]
        examine = ray.remote(num_cpus=0, max_retries=0)(_machine.examine_machine)
        refs = [examine.options(**pin).remote(packages, module, store) for pin in pins]
        ray.wait(refs, num_returns=len(refs), timeout=seconds)
        nodes = [_answered(node, ref, seconds) for node, ref in zip(nodes, refs, strict=True)]
        tell = ray.remote(num_cpus=0, max_retries=0)(_machine.clock)
        nodes = [
            _timed(node, tell.options(**pin)) if node.facts else node
            for node, pin in zip(nodes, pins, strict=True)
        ]
    return sorted(nodes, key=lambda node: (not node.head, node.name))


@contextmanager
def _sent_whole(module: ModuleType) -> Iterator[None]:
    """Have tasks carry a module's functions with them; their node may not have the module."""
    ray.cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        ray.cloudpickle.unregister_pickle_by_value(module)


def _node(found: dict[str, Any]) -> Node:
    resources = found["Resources"]
    return Node(
        name=found["NodeManagerAddress"],
        head="node:__internal_head__" in resources,
        cpus=resources.get("CPU", 0.0),
    )


def _pinned(node: str) -> dict[str, Any]:
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
    return {"scheduling_strategy": strategy}


def _answered(node: Node, ref: Any, seconds: float) -> Node:
    try:
        return replace(node, facts=ray.get(ref, timeout=0))
    except ray.exceptions.GetTimeoutError:
        ray.cancel(ref, force=True)
        return replace(node, trouble=f"no answer within {seconds:.0f} seconds")
    except ray.exceptions.RayError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return replace(node, trouble=f"{type(error).__name__}: {lines[-1]}")


def _timed(node: Node, tell: Any) -> Node:
    """Ask a node's clock a few times; the quickest answer says most."""

    def ask() -> float:
        return float(ray.get(tell.remote(), timeout=_CLOCK_SECONDS))

    try:
        trips = [compare_clocks(ask) for _ in range(_CLOCK_TRIPS)]
    except ray.exceptions.RayError:  # it has gone since, or is too slow to tell
        return node
    ahead, within = min(trips, key=lambda trip: trip[1])
    return replace(node, ahead=ahead, within=within)


def compare_clocks(
    ask: Callable[[], float], now: Callable[[], float] = time.time
) -> tuple[float, float]:
    """Return how far another clock is ahead of this one, and by how much that may be wrong.

    The other is taken to have been read halfway between the question and its answer.

    Parameters
    ----------
    ask : callable
        Returns what the other clock says.
    now : callable
        Returns what this one says.
    """
    asked = now()
    told = ask()
    answered = now()
    return told - (asked + answered) / 2, (answered - asked) / 2
