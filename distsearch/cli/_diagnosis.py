"""What is wrong with the nodes of a cluster, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from distsearch._file_systems import is_network
from distsearch._wording import joined
from distsearch.backends._machine import MachineFacts, StoreFacts

if TYPE_CHECKING:
    from distsearch.backends.ray import Node

__all__ = ["COMPARED", "Finding", "compare_versions", "diagnose"]

COMPARED = ("numpy", "scipy", "scikit-learn", "pandas", "ray")
"""Packages that have to be the same on every node, besides Python and this one."""

_GIB = 2**30
_MOST_AHEAD = 1.0
_LEAST = (
    (1.0, "in memory", "End what uses it, or have fewer CPUs used there (ray start --num-cpus)"),
    (1.0, "in the folder of temporary files", "Ray puts there what memory cannot hold"),
    (0.25, "in /dev/shm", "Give it more; in a container by --shm-size=2g"),
)
_MOST_NAMED = 5

_Found = tuple[str, str]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, or worth knowing.

    Parameters
    ----------
    level : {"Error", "Warning", "Note"}
        Whether a study cannot run like that, might suffer, or is all right.
    text : str
        What it is and what to do.
    nodes : tuple of str
        Where it was found; none for what concerns no node.
    """

    level: str
    text: str
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = len(self.nodes) - _MOST_NAMED
        named = [*self.nodes[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])]
        return f"{self.level}: {joined(named)}{': ' if named else ''}{self.text}"


def diagnose(nodes: Sequence[Node], driver: MachineFacts, store: str | None) -> list[Finding]:
    """Return what was found, each thing once, the worst first.

    Parameters
    ----------
    nodes : sequence of Node
        What every node has.
    driver : dict
        What the machine has that drives the work.
    store : str or None
        The file of results, where one was named.
    """
    places: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for found in _examine(node, driver, store):
            places.setdefault(found, []).append(node.name)
    findings = [Finding(*found, tuple(names)) for found, names in places.items()]
    return sorted(findings, key=lambda each: ("Error", "Warning", "Note").index(each.level))


def _examine(node: Node, driver: MachineFacts, store: str | None) -> Iterator[_Found]:
    facts = node.facts
    if facts is None:
        yield _error(
            f"{node.trouble}. See whether it still runs, can be reached from this machine and has "
            f"room for another process ('ray status')."
        )
        return
    yield from _check_code(facts, driver)
    if node.ahead is not None and abs(node.ahead) - node.within > _MOST_AHEAD:
        way = "ahead of" if node.ahead > 0 else "behind"
        yield _warning(
            f"the clock is {abs(node.ahead):.1f} s {way} the driver's, so times of results "
            f"mislead. Synchronise it (NTP)."
        )
    sizes = (facts["memory"], facts["disk"], facts["shared_memory"])
    for size, (least, where, remedy) in zip(sizes, _LEAST, strict=True):
        if size is not None and size < least * _GIB:
            yield _warning(f"less than {least:g} GiB are free {where}. {remedy}.")
    if store is not None and facts["store"] is not None:
        yield from _check_store(node, facts["store"], store)


def _check_code(facts: MachineFacts, driver: MachineFacts) -> Iterator[_Found]:
    there, here = facts["versions"], driver["versions"]
    for name, version in there.items():
        if version != here[name] and not (name == "distsearch" and version is None):
            yield _error(
                f"{name} is {version or 'missing'}, and {here[name] or 'missing'} on the driver. "
                f"Results are the same from every node only if versions are. Install the same."
            )
    if facts["error"]:
        yield _error(
            f"distsearch cannot be used: {facts['error'].rstrip('.')}. Install it with what it "
            f"needs, or have it sent along: 'distsearch submit' does."
        )
    elif facts["content"] != driver["content"] and there["distsearch"] == here["distsearch"]:
        yield _error(
            "distsearch has the driver's version and other code. Install the same, or have it sent "
            "along: 'distsearch submit' does."
        )


def _check_store(node: Node, found: StoreFacts, store: str) -> Iterator[_Found]:
    if found["error"] and node.head:
        yield _error(
            f"{store} cannot be written: {found['error']}. Jobs are driven from here. Make the "
            f"folder writable, or name another one for --store."
        )
    elif found["error"]:
        yield _note(
            f"{store} cannot be written: {found['error']}. This matters only where a study is "
            f"driven from."
        )
    if node.head and is_network(found["file_system"]):
        yield _warning(
            f"{store} is on a network file system ({found['file_system']}), where SQLite is slow "
            f"and locks may fail. Keep it on a disk of this node and copy it afterwards."
        )


def _error(text: str) -> _Found:
    return "Error", text


def _warning(text: str) -> _Found:
    return "Warning", text


def _note(text: str) -> _Found:
    return "Note", text


def compare_versions(
    sender: Mapping[str, str | None], cluster: Mapping[str, str | None]
) -> list[Finding]:
    """Return what differs between the machine that submits and the cluster.

    Parameters
    ----------
    sender : mapping of str to str or None
        Versions on the machine that submits.
    cluster : mapping of str to str or None
        Versions on the machine that drives the job.
    """
    return [
        Finding(
            "Warning",
            f"{name} is {cluster[name] or 'missing'} on the cluster, and {here or 'missing'} where "
            f"this was submitted. Jobs use the cluster's; the results here may differ from theirs.",
        )
        for name, here in sender.items()
        if name in cluster and here != cluster[name]
    ]
