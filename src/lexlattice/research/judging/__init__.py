"""A language model as a judge: how much of a summary a candidate holds, how much of it is to the point."""

from lexlattice.research.judging.llm_judge import Comparison, Document, Judgement, Score, estimate, judge

__all__ = ["Comparison", "Document", "Judgement", "Score", "estimate", "judge"]
