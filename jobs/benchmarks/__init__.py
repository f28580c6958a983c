"""The tables of ``jobs/benchmark.py``, a module each."""
