"""Classical summarizers, to be compared with at equal length: each gives every unit of an act a score."""

from lexlattice.baselines.graphs import centroid, lexrank, lexrank_of_vectors, textrank
from lexlattice.baselines.simple import lead, random

__all__ = ["centroid", "lead", "lexrank", "lexrank_of_vectors", "random", "textrank"]
