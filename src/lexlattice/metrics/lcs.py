"""Longest common subsequences of tokens, with Python's integers as very long machine words.

One text is laid out as bits, one per token, and the tokens of the other pass over it; after each of them a bit says
whether the classical table grows at that place (the bit-parallel recurrence of Hyyrö). All lines of a reference lie
side by side in one integer, with a gap after each that stops the carry, so that a line of the candidate meets them all
at once. Tokens that the other text does not have are left out beforehand: no common subsequence has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

_BLOCK: Final = 2048
"""States kept at once; a longer line is gone over twice instead of filling the memory."""


def length(reference: Sequence[str], candidate: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    >>> length("the register is public".split(), "a public register is the rule".split())
    2
    """
    board = _Board.of([reference], set(candidate))
    places = rest = board.places
    for mask in filter(None, map(board.masks.get, candidate)):
        found = rest & mask
        rest = ((rest + found) | (rest - found)) & places
    return (places ^ rest).bit_count()


def union(reference: Iterable[Sequence[str]], candidate: Sequence[Sequence[str]]) -> dict[str, int]:
    """How many places of each token lie on the longest common subsequence of two lines, one of each text.

    Among equally long subsequences the one is taken that `rouge-score` finds: from the end, a match is taken at once;
    else the reference's token is dropped, unless that costs a match.

    >>> union([["hives", "are", "registered"]], [["registered", "hives"], ["are", "they", "registered"]])
    {'hives': 1, 'are': 1, 'registered': 1}
    """
    board = _Board.of(reference, set().union(*candidate))
    matched = 0
    for line in candidate:
        matched |= board.matches(list(_without_runs(map(board.masks.get, line))))
    return {token: count for token, mask in board.masks.items() if (count := (matched & mask).bit_count())}


def _without_runs(masks: Iterable[int | None]) -> Iterator[int]:
    """Of neighbouring tokens that the reference does not have, one stands for all."""
    before: int | None = 1
    for mask in masks:
        if mask or before:
            yield mask or 0
        before = mask


class _Board(NamedTuple):
    """The lines of a reference, as far as they can match."""

    masks: dict[str, int]
    """For each token, the bits where it stands."""
    places: int
    smears: list[tuple[int, int]]
    """Shifts that spread the highest bit of each line down to its first, and the bits where they may arrive."""

    @classmethod
    def of(cls, lines: Iterable[Sequence[str]], vocabulary: Collection[str]) -> _Board:
        masks: dict[str, int] = {}
        spans = []
        bit = 1
        for line in lines:
            first = bit
            for token in line:
                if token in vocabulary:
                    masks[token] = masks.get(token, 0) | bit
                    bit <<= 1
            if bit != first:
                spans.append((first, bit))
                bit <<= 1
        widest = max((end.bit_length() - first.bit_length() for first, end in spans), default=0)
        smears = [
            (shift, sum((end >> shift) - first for first, end in spans if end >> shift > first))
            for shift in (1 << power for power in range(max(0, widest - 1).bit_length()))
        ]
        return cls(masks, sum(end - first for first, end in spans), smears)

    def matches(self, masks: list[int]) -> int:
        """The places on the longest common subsequences with a line of the candidate, given by its masks."""
        blocks = [masks[start : start + _BLOCK] for start in range(0, len(masks), _BLOCK)]
        starts = [self.places]
        for block in blocks[:-1]:
            starts.append(self._states(starts[-1], block)[-1])
        matched, still_open = 0, self.places
        for block in reversed(blocks):
            found, still_open = self._walk_back(still_open, self._states(starts.pop(), block), block)
            matched |= found
        return matched

    def _states(self, rest: int, masks: list[int]) -> list[int]:
        """After each token: a bit is 0 where the table grows from the place before it, 1 elsewhere."""
        places = self.places
        states = []
        for mask in masks:
            if mask:
                found = rest & mask
                rest = ((rest + found) | (rest - found)) & places
            states.append(rest)
        return states

    def _walk_back(self, still_open: int, states: list[int], masks: list[int]) -> tuple[int, int]:
        """From the last token to the first: the places that were matched, and what of each line is still open.

        A line is open up to a place that matches or where the table grows. Where it grows, it does so for all tokens
        before, too, until that place is matched: only after a match are new ends to be looked for.
        """
        _, places, smears = self
        matched = ends = 0
        is_moved = True
        for state, mask in zip(reversed(states), reversed(masks), strict=True):
            if is_moved:
                still_open &= (places ^ state) | mask
                for shift, inside in smears:
                    still_open |= (still_open >> shift) & inside
                ends = still_open ^ (still_open >> 1)
            hits = mask & ends
            is_moved = hits != 0
            if is_moved:
                matched |= hits
                still_open ^= hits
        return matched, still_open
