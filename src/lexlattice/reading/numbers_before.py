"""Numbers that stand before their word, as in Hungarian, Finnish or Lithuanian: "(1), (2) és (3) bekezdés"."""

from __future__ import annotations

from collections.abc import Sequence

from lexlattice.reading.joints import joint_before
from lexlattice.reading.provision_paths import Group, Path, through
from lexlattice.reading.tokens import Token, number_of


def numbers_before(tokens: Sequence[Token], place: int, level: str, used: int) -> Group | None:
    """Numbers that stand before their word, found backwards: "(1), (2) és (3) bekezdés"."""
    numbers: list[str] = []
    joints: list[str] = []
    begin = end = place
    while True:
        at = end - 1
        if at > used and tokens[at].text == "." and tokens[at].start == tokens[at - 1].end:
            at -= 1
        if at < used:
            break
        number = number_of(tokens[at], level)
        follows = at > used and tokens[at - 1].kind == "figure"
        if not number and level == "paragraph" and not numbers and not follows and not tokens[at].roman:
            number = number_of(tokens[at], "point")  # "c) punkts"
            level = "point" if number else level
        if not number and tokens[at].kind == "word" and len(tokens[at].text) == 1 and level in ("article", "paragraph"):
            before = at - 2 if at > used and tokens[at - 1].text == "." else at - 1
            if before >= used and tokens[before].kind == "figure":  # "5 a artikla", "5.a pants"
                number, at = tokens[before].text + tokens[at].text, before
        if not number or (numbers and number[0].isdigit() != numbers[-1][0].isdigit()):
            break
        if tokens[at].kind == "decimal" and level == "article":
            break
        numbers.append(number)
        begin = at
        joint, end = joint_before(tokens, at, used)
        if not joint or (joint == "comma" and not joints):
            break
        joints.append(joint)
    if not numbers:
        return None
    paths: list[Path] = [((level, numbers[-1]),)]
    for number, joint in zip(reversed(numbers[:-1]), reversed(joints[: len(numbers) - 1]), strict=True):
        path: Path = ((level, number),)
        paths += through(paths[-1], path) if joint == "range" else [path]
    return Group(tuple(paths), begin, place + 1)
