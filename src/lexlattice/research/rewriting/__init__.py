"""Abstractive rewriting: an extract paraphrased by a language model, with the provisions that support each sentence.

A sentence is shown only if checks without any model find it supported by the provisions that it cites. Otherwise these
provisions are shown verbatim instead.
"""

from lexlattice.research.rewriting.checking import Checker
from lexlattice.research.rewriting.rewrite import Rejected, Rewritten, Sentence, rewrite, verify

__all__ = ["Checker", "Rejected", "Rewritten", "Sentence", "rewrite", "verify"]
