r"""Evaluation: systems compared on the same acts at the same length, with confidence intervals and paired tests.

>>> from lexlattice.evaluation import evaluate
>>> act = "Article 1\n1. Keepers shall register each beehive.\n2. Registration is free of charge."
>>> rows = [{"celex_id": "32024R9001", "reference": act, "summary": "Keepers must register each beehive."}]
>>> result = evaluate(rows, ["lead", "oracle"], budget="words:8")
>>> result.acts, round(result.systems["lead"]["unicode"]["rouge1"], 1)
(1, 72.7)
"""

from lexlattice.evaluation.run import Evaluation, evaluate
from lexlattice.evaluation.systems import SYSTEMS

__all__ = ["SYSTEMS", "Evaluation", "evaluate"]
