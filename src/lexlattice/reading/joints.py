"""What stands between the numbers of a list, and between a number and its word: commas, dashes, "and", "to", stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lexlattice.reading.tokens import Token

DASHES: Final = ("-", "–", "—")


def joint_after(tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
    """What joins two numbers of a list, and where the second one begins."""
    if place >= len(tokens):
        return None
    token = tokens[place]
    if token.text == ",":
        following = joint_after(tokens, place + 1)
        return following if following is not None and following[0] != "comma" else ("comma", place + 1)
    if token.has("range") or token.text in DASHES:
        return "range", place + 1
    return ("list", place + 1) if token.has("list") else None


def joint_before(tokens: Sequence[Token], place: int, used: int) -> tuple[str, int]:
    """What joins a number to the one before it, and the place after that."""
    at = place - 1
    if at < used:
        return "", place
    token = tokens[at]
    if token.has("list"):
        return "list", at - 1 if at > used and tokens[at - 1].text == "," else at
    if token.text in DASHES or token.has("range"):
        return "range", at
    return ("comma", at) if token.text == "," else ("", place)


def skip_stop(tokens: Sequence[Token], place: int) -> int:
    """The place after a full stop that ends no sentence: "Art. 5", "stavka 1. točke"."""
    if place + 1 >= len(tokens) or tokens[place].text != "." or tokens[place].start > tokens[place - 1].end + 1:
        return place
    following = tokens[place + 1]
    if following.upper and not following.roman:  # "članka 5. Direktive", and no other sentence
        named = following.kind == "act" or following.role.act or following.role.flags & {"treaty", "other", "maker"}
        return place + 1 if named and tokens[place - 1].kind == "figure" else place
    goes_on = following.role or following.kind in ("figure", "paren", "half", "decimal") or following.text == ","
    return place + 1 if goes_on or following.roman else place


def is_ordinal_figure(tokens: Sequence[Token], place: int) -> bool:
    """Whether "5." stands before the word, as in "5. člena", and no sentence ends there."""
    return (
        place > 1
        and tokens[place - 1].text == "."
        and tokens[place - 2].kind == "figure"
        and tokens[place - 2].end == tokens[place - 1].start
    )
