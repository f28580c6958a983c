r"""``distsearch sweep`` as a Ray job, from a checkout that need not be installed.

ray job submit --address http://HOST:8265 --working-dir . -- \
    python jobs/sweep.py study.toml --store /shared/study.sqlite

Options are those of ``distsearch sweep``, with ``--backend ray`` as the default. The store needs an
absolute path that outlives the job; the same job submitted again continues. ``distsearch submit``
does all this and ships the study's files.
"""

import sys

from distsearch.cli import main

if __name__ == "__main__":
    main(["sweep", *sys.argv[1:]], default_map={"sweep": {"backend": "ray"}})
