r"""``distsearch fit`` as a Ray job, from a checkout that need not be installed.

ray job submit --address http://HOST:8265 --working-dir . -- \
    python jobs/fit.py /shared/data.csv --target label -o /shared/model.skops

Options are those of ``distsearch fit``, with ``--backend ray`` as the default. Files to write need
absolute paths that the job can reach. The job has failed exactly if the fit has.
"""

import sys

from distsearch.cli import main

if __name__ == "__main__":
    main(["fit", *sys.argv[1:]], default_map={"fit": {"backend": "ray"}})
