"""``distsearch submit``: run a study on a Ray cluster, as a job of its own."""

from __future__ import annotations

from pathlib import Path

import click

from distsearch.cli._options import OUTPUT, trust_option
from distsearch.cli._sweep import ONLY

__all__ = ["command"]


@click.command("submit")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "--address",
    envvar="RAY_API_SERVER_ADDRESS",
    show_envvar=True,
    required=True,
    metavar="URL",
    help="The cluster's job server, such as http://HOST:8265.",
)
@click.option(
    "--store",
    type=OUTPUT,
    required=True,
    help="The file of results: an absolute path on storage that the cluster keeps.",
)
@click.option(
    "--backend",
    default="ray",
    show_default=True,
    metavar="NAME",
    help="Where the job's work runs; ray is the whole cluster.",
)
@ONLY
@click.option(
    "--keep-going/--fail-fast",
    default=True,
    show_default=True,
    help="Whether other units still run after one has failed.",
)
@click.option("--retry-failed", is_flag=True, help="Run units again that have failed before.")
@trust_option
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Files of trusted modules not to send, as in a .gitignore: *.csv, data/ or "
    "package/data/*.csv. Repeatable.",
)
@click.option(
    "--follow/--no-follow",
    default=False,
    show_default=True,
    help="Show what the job writes, and end with its exit code.",
)
@click.option("--name", metavar="ID", help="The job's submission id. [one that is new]")
def command(
    study: Path,
    address: str,
    store: Path,
    backend: str,
    only: tuple[str, ...],
    keep_going: bool,
    retry_failed: bool,
    trust: tuple[str, ...],
    exclude: tuple[str, ...],
    follow: bool,
    name: str | None,
) -> None:
    """Run a study on a Ray cluster, as a job.

    STUDY is a TOML file, as for 'distsearch sweep'. It is checked here before anything is sent.
    Its tables, data and splits go along, and so do this package and the trusted modules of the
    current folder; what they need in turn has to be installed on the cluster. Stopping this command
    does not stop the job. A job that ended early continues when it is submitted again.

    \b
    distsearch submit study.toml --address http://HOST:8265 --store /shared/study.sqlite --follow
    """  # noqa: D301
    from distsearch.cli._submitting import Request, run

    request = Request(
        study=study,
        address=address,
        store=store,
        backend=backend,
        only=only,
        fail_fast=not keep_going,
        retry_failed=retry_failed,
        trust=trust,
        exclude=exclude,
        name=name,
    )
    run(request, follow=follow)
