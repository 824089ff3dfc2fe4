"""The abstractive stage: an extract in other words, sentence by sentence, with what each sentence rests on.

What a model writes is believed only as far as it can be checked without one. A sentence that fails is not shown;
the provisions it cites stand in its place, word for word.
"""

from lexlattice.research.rewriting.checking import Checker
from lexlattice.research.rewriting.rewrite import Rejected, Rewritten, Sentence, rewrite, verify

__all__ = ["Checker", "Rejected", "Rewritten", "Sentence", "rewrite", "verify"]
