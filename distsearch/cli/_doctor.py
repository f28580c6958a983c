"""``distsearch doctor``: what this machine has, and whether work can run on it."""

from __future__ import annotations

import click

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
@click.pass_context
def command(ctx: click.Context, backends: tuple[str, ...], skip_ray: bool) -> None:
    """Check the installation and every backend.

    Shows versions and resources, and runs a little work on each.

    Ends with exit code 1 when a backend that should work does not.
    """
    from distsearch.cli._examining import run

    names = backends or ("serial", "processes", "ray")
    if not run([name for name in names if not (skip_ray and name.startswith("ray"))]):
        ctx.exit(1)
