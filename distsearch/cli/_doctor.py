"""``distsearch doctor``: what machines have, and whether work can run on them."""

from __future__ import annotations

from pathlib import Path

import click

from distsearch.cli._options import OUTPUT

__all__ = ["command"]


@click.command("doctor")
@click.option(
    "--backend",
    "backends",
    multiple=True,
    metavar="NAME",
    help="Try this one only, such as ray:HOST:PORT. Repeatable. [serial, processes and ray]",
)
@click.option("--skip-ray", is_flag=True, help="Do not try Ray, which takes a few seconds.")
@click.option(
    "--address",
    metavar="ADDRESS",
    help="Examine every node of this Ray cluster instead: HOST:PORT from one of its machines, or "
    "the URL of its job server from anywhere.",
)
@click.option(
    "--store",
    type=OUTPUT,
    help="With --address: a file of results, an absolute path, to see whether it can be there.",
)
@click.option("--submitted-from", hidden=True)
@click.pass_context
def command(
    ctx: click.Context,
    backends: tuple[str, ...],
    skip_ray: bool,
    address: str | None,
    store: Path | None,
    submitted_from: str | None,
) -> None:
    """Check the installation and every backend, or every node of a cluster.

    Shows versions and resources, and runs a little work on each.

    Ends with exit code 1 when a backend that should work does not, or a study could not run on the
    cluster as it is.

    \b
    distsearch doctor
    distsearch doctor --address http://HOST:8265 --store /data/study.sqlite
    """  # noqa: D301
    if address is None:
        if store is not None:
            raise click.UsageError("--store needs --address.", ctx)
        from distsearch.cli._examining import run

        names = backends or ("serial", "processes", "ray")
        if not run([name for name in names if not (skip_ray and name.startswith("ray"))]):
            ctx.exit(1)
        return
    if backends or skip_ray:
        raise click.UsageError("--backend and --skip-ray have no meaning with --address.", ctx)
    from distsearch.cli import _examining_cluster as cluster

    ctx.exit(cluster.run(address, store, submitted_from))
