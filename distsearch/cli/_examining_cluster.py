"""The work of ``distsearch doctor --address``."""

from __future__ import annotations

import json
import re
import secrets
import shlex
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import click

from distsearch._installed import installed_versions
from distsearch._wording import count
from distsearch.backends._machine import MachineFacts, examine_machine
from distsearch.backends.ray import JobServer, Node, examine_nodes
from distsearch.cli._cluster import check_kept, is_url
from distsearch.cli._console import columns, facts
from distsearch.cli._diagnosis import COMPARED, Finding, compare_versions, diagnose
from distsearch.cli._errors import Interrupted, one_line
from distsearch.errors import InvalidInputError
from distsearch.sweep import pack_package

__all__ = ["run"]

_MODULE = "distsearch.sweep._unit"  # what the workers of a study import
_CLUSTER = re.compile(r"auto|[^/\s]+:[0-9]+")
_GIB = 2**30


def run(address: str, store: Path | None, submitted_from: str | None = None) -> int:
    """Examine a cluster, from one of its machines or by a job; return the exit code.

    Parameters
    ----------
    address : str
        "HOST:PORT" or the URL of a job server.
    store : Path or None
        A file of results that is to be written.
    submitted_from : str or None
        Versions where the job was submitted that this runs in, as JSON.
    """
    if store is not None:
        check_kept(store)
    if is_url(address):
        return _by_job(address, store)
    if not _CLUSTER.fullmatch(address):
        raise InvalidInputError(
            f"--address must be HOST:PORT of a Ray cluster that this machine is part of, or the "
            f"URL of its job server, such as http://HOST:8265. Got {address!r} instead."
        )
    return _here(address, store, json.loads(submitted_from or "{}"))


def _here(address: str, store: Path | None, sender: Mapping[str, str | None]) -> int:
    file = None if store is None else str(store)
    driver = examine_machine(COMPARED, _MODULE, file)
    nodes = examine_nodes(address, COMPARED, _MODULE, file)
    findings = [*diagnose(nodes, driver, file), *compare_versions(sender, driver["versions"])]
    click.echo(_told(nodes, driver, store, findings))
    return int(any(each.level == "Error" for each in findings))


def _told(
    nodes: Sequence[Node],
    driver: MachineFacts,
    store: Path | None,
    findings: Collection[Finding],
) -> str:
    versions = [(name, found or "not installed") for name, found in driver["versions"].items()]
    header = ("node", "result", "CPUs", "memory GiB", "disk GiB", "/dev/shm GiB", "clock s")
    parts = [
        facts([*versions, *([("store", _place(nodes, store))] if store is not None else [])]),
        columns(header, [_row(node, findings) for node in nodes], left=2),
    ]
    if findings:
        parts.append("\n".join(one_line(str(each)) for each in findings))
    wrong = {name for each in findings if each.level == "Error" for name in each.nodes}
    number, cpus = count(len(nodes), "node"), int(sum(node.cpus for node in nodes))
    parts.append(
        f"Not fit for a study as they are: {len(wrong)} of {number}."
        if wrong
        else f"A study can run on {number} with {count(cpus, 'CPU')}."
    )
    return "\n\n".join(parts)


def _place(nodes: Sequence[Node], store: Path) -> str:
    for node in nodes:
        found = node.facts and node.facts["store"]
        if node.head and found:
            return f"{store} on {node.name}, {found['file_system'] or 'unknown file system'}"
    return str(store)


def _row(node: Node, findings: Collection[Finding]) -> tuple[str, ...]:
    levels = {each.level for each in findings if node.name in each.nodes}
    result = "error" if "Error" in levels else "warning" if "Warning" in levels else "ok"
    name = f"{node.name} (head)" if node.head else node.name
    if node.facts is None:
        return name, result, f"{node.cpus:g}", "", "", "", ""
    sizes = (node.facts["memory"], node.facts["disk"], node.facts["shared_memory"])
    return (
        name,
        result,
        f"{node.cpus:g}",
        *("" if size is None else f"{size / _GIB:.1f}" for size in sizes),
        "" if node.ahead is None else f"{node.ahead:+.2f}",
    )


def _by_job(address: str, store: Path | None) -> int:
    """Send this package to the job server, and show what it finds there."""
    job = f"distsearch-doctor-{secrets.token_hex(4)}"
    versions = json.dumps(installed_versions(COMPARED))
    command = shlex.join([
        *("python", "-u", "-m", "distsearch.cli", "doctor", "--address=auto"),
        f"--submitted-from={versions}",
        *([] if store is None else [f"--store={store}"]),
    ])  # fmt: skip
    written: list[str] = []

    def write(text: str) -> None:
        written.append(text)
        click.echo(text, nl=False)

    with tempfile.TemporaryDirectory() as folder:
        server = JobServer(address)
        server.submit(pack_package(Path(folder, "package.zip")), command, job=job)
    try:
        end = server.follow(job, write)
    except KeyboardInterrupt as error:
        raise Interrupted(f"the job {job} ends by itself within a minute.") from error
    if end.status != "SUCCEEDED" and not any(map(str.strip, written)):
        click.echo(f"Error: the job {job} did not run. {one_line(end.message)}".rstrip(), err=True)
    return end.exit_code
