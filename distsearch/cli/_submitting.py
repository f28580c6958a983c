"""The work of ``distsearch submit``."""

from __future__ import annotations

import re
import secrets
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from distsearch._installed import installed_versions
from distsearch._wording import bytes_text, count, joined, listed, quoted
from distsearch.backends.ray import JobEnd, JobServer
from distsearch.cli._cluster import check_kept, is_url
from distsearch.cli._errors import Interrupted, one_line
from distsearch.errors import InvalidInputError
from distsearch.sweep import Bundle, Only, make_bundle, read_plan
from distsearch.sweep.spec import Spec

__all__ = ["Request", "run"]

_BACKEND = re.compile(r"ray|serial|processes(:[0-9]+)?")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch submit`` was asked; the names are those of its options."""

    study: Path
    address: str
    store: Path
    backend: str
    only: tuple[str, ...]
    fail_fast: bool
    retry_failed: bool
    trust: tuple[str, ...]
    exclude: tuple[str, ...]
    name: str | None

    def check(self) -> None:
        """Refuse what cannot work, whatever the study is."""
        check_kept(self.store)
        if not is_url(self.address):
            raise InvalidInputError(
                f"--address must be the URL of a Ray job server, such as http://HOST:8265. Got "
                f"{self.address!r} instead."
            )
        if not _BACKEND.fullmatch(self.backend):
            raise InvalidInputError(
                f"--backend must be 'ray', which is the whole cluster, or 'serial', 'processes' or "
                f"'processes:8' for one node of it. Got {self.backend!r} instead."
            )
        if self.name is not None and not _NAME.fullmatch(self.name):
            raise InvalidInputError(
                f"--name must be letters, digits, '_', '.' and '-', the first a letter, a digit or "
                f"'_'. Got {self.name!r} instead."
            )

    def job(self, spec: Spec) -> str:
        """Return the id of the job."""
        return self.name or f"distsearch-{spec.study}-{secrets.token_hex(4)}"

    def entrypoint(self, bundle: Bundle) -> str:
        """Return the job's command."""
        return shlex.join([
            *("python", "-u", "-m", "distsearch.cli", "sweep", bundle.study),
            f"--relocated={bundle.relocated}",
            f"--store={self.store}",
            f"--backend={self.backend}",
            *(f"--only={each}" for each in self.only),
            *(["--fail-fast"] if self.fail_fast else []),
            *(["--retry-failed"] if self.retry_failed else []),
            *(f"--trust={each}" for each in self.trust),
        ])  # fmt: skip


def run(request: Request, *, follow: bool) -> None:
    """Check the study, send it, and show what its job writes or say how to see it."""
    request.check()
    spec = _check_study(request)
    job = request.job(spec)
    with tempfile.TemporaryDirectory() as folder:
        bundle = make_bundle(spec, Path(folder, "study.zip"), exclude=request.exclude)
        _tell_contents(bundle)
        server = JobServer(request.address)
        _tell_version(server)
        server.submit(
            bundle.path, request.entrypoint(bundle), job=job, metadata={"study": spec.study}
        )
    if not follow:
        click.echo(_submitted(request, job))
        return
    click.echo(f"Following the job {job}.", err=True)
    _follow(server, request, job)


def _check_study(request: Request) -> Spec:
    """Read the study with its data, as the job will, and let go of the data."""
    only = Only.parse(request.only)
    plan = read_plan(request.study, trust=request.trust)
    only.check(plan.study)
    return plan.spec


def _tell_contents(bundle: Bundle) -> None:
    parts = ["the study"]
    if bundle.files:
        parts.append(f"{count(bundle.files, 'file')} that it names")
    parts += ["distsearch", *map(quoted, bundle.modules)]
    if bundle.elsewhere:
        _note(
            f"not sent, because not in the current folder: {listed(bundle.elsewhere)}. The cluster "
            f"must have them installed."
        )
    if bundle.unmatched:
        _note(f"no file of a trusted module is meant by --exclude {listed(bundle.unmatched)}.")
    _note(f"sending {bytes_text(bundle.size)}: {joined(parts)}.")


def _tell_version(server: JobServer) -> None:
    here, there = installed_versions(["ray"])["ray"], server.ray_version
    if there is not None and there != here:
        _note(
            f"the cluster has Ray {there}, and here is {here}. The job runs with the cluster's; "
            f"'distsearch doctor --address {server.address}' tries it."
        )


def _note(text: str) -> None:
    click.echo(f"Note: {text}", err=True)


def _follow(server: JobServer, request: Request, job: str) -> None:
    try:
        end = server.follow(job, lambda text: click.echo(text, nl=False))
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"the job goes on. '{_ray('logs --follow', request, job)}' shows what it writes, "
            f"'{_ray('stop', request, job)}' stops it."
        ) from error
    if end.status != "SUCCEEDED":
        click.echo(f"Error: {one_line(_ended(end, job))}", err=True)
        raise click.exceptions.Exit(end.exit_code)


def _ended(end: JobEnd, job: str) -> str:
    if end.status == "STOPPED":
        return f"the job {job} was stopped; submitted again, it continues."
    return f"the job {job} failed. {end.message}"


def _submitted(request: Request, job: str) -> str:
    return "\n".join([
        f"Submitted the job {job}, with its results in {request.store} on the cluster.",
        f"  {_ray('logs --follow', request, job)}",
        f"  {_ray('stop', request, job)}",
    ])  # fmt: skip


def _ray(verb: str, request: Request, job: str) -> str:
    return f"ray job {verb} --address {shlex.quote(request.address)} {job}"
