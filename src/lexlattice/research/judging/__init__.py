"""Judges of extracts: a language model (`llm_judge`) or people with blind packets (`blind`)."""

from lexlattice.research.judging.llm_judge import Comparison, Document, Judgement, Score, estimate, forecast, judge

__all__ = ["Comparison", "Document", "Judgement", "Score", "estimate", "forecast", "judge"]
