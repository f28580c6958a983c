"""Compare distsearch with what people use today, side by side in one run.

Usage: ``python jobs/benchmark.py backends``. A figure means something only beside its peers of the
same run, so every table has them; absolute times are there for orientation.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module

TABLES = {
    "backends": "serial, processes and Ray beside joblib and one Ray task a unit",
    "boosting": "boosters by resampling beside AdaBoostClassifier",
    "encoding": "ordered target statistics beside category_encoders",
    "odd": "ODD beside the criterion and the search of its paper",
    "scale": "many simulated workers, and what a unit costs the driver",
    "speculation": "the iterative search on many workers, scoring ahead or not",
    "sweep": "sweeps with a store beside Ray Tune, Optuna and a grid search",
}


def main() -> None:
    """Run the benchmark that the command line names."""
    # One thread each, before anything loads a BLAS: the comparison is of the fan-out.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    tables = parser.add_subparsers(dest="table", required=True, metavar="TABLE")
    for name, summary in TABLES.items():
        module = import_module(f"benchmarks.{name}")
        module.add_options(tables.add_parser(name, help=summary, description=module.__doc__))
    options = parser.parse_args()
    import_module(f"benchmarks.{options.table}").run(options)


if __name__ == "__main__":
    main()
