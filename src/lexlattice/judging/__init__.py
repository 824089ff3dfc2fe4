"""A language model as a judge: how much of a summary a candidate holds, how much of it is to the point."""

from lexlattice.judging.asking import Document, estimate, judge
from lexlattice.judging.scores import Comparison, Judgement, Score

__all__ = ["Comparison", "Document", "Judgement", "Score", "estimate", "judge"]
