"""Batch sweeps: a study as a file, its units on any backend, its results in one store."""
