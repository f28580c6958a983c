"""Cluster-based boosting, and the four boosters that it is compared with."""
