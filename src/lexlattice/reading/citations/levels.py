"""Groups: a word for a level with its numbers, "points (a) and (b)", "5. és 6. cikk", "akapit pierwszy".

Some languages write the number before the word and some after it, some use ordinals, and lists and ranges occur in all
of these forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from lexlattice.reading.citations.tokens import (
    DASHES,
    Token,
    is_ordinal_figure,
    number_in,
    separator_after,
    separator_before,
    skip_stop,
)
from lexlattice.reading.citations.vocabulary import LEVELS, Vocabulary
from lexlattice.reading.languages.numbering import canonical, from_roman, letter_value, to_letters

# --- paths: provisions as a text names them, level by level -------------------------------------------------

Step = tuple[str, str]
"""A level and its number, which is empty for "this Article" and for "the Annex"."""
Path = tuple[Step, ...]

MAX_RANGE: Final = 120
"""A range with more numbers is a misreading; only its ends are taken."""


class Group(NamedTuple):
    """A word for a level with its numbers: "points (a) and (b)"."""

    paths: tuple[Path, ...]
    first: int
    """Index of its first token; `last` is the index after its last one."""
    last: int

    @property
    def rank(self) -> int:
        """The rank of its level: 0 for annexes, higher for inner levels."""
        return LEVELS.index(self.paths[0][0][0])

    @property
    def levels(self) -> set[str]:
        """All levels that it names."""
        return {level for path in self.paths for level, _ in path}


def have_same_numbering(before: Path, after: Path) -> bool:
    """Whether two items of a list are numbered alike: both by digits or both by letters."""
    for (level, number), (other, another) in zip(before, after, strict=False):
        if level == other and number[:1].isdigit() != another[:1].isdigit():
            return False
    return True


def expand_range(first: Path, last: Path) -> list[Path]:
    """The items of a range after its first one: digits, Roman numerals or letters."""
    (level, low), (_, high) = first[-1], last[-1]
    if len(first) != len(last) or first[:-1] != last[:-1]:
        return [last]
    if low.isdigit() and high.isdigit() and 0 < int(high) - int(low) <= MAX_RANGE:
        return [(*last[:-1], (level, str(n))) for n in range(int(low) + 1, int(high) + 1)]
    begin, end = from_roman(low), from_roman(high)
    if begin and end > begin and (len(low) > 1 or len(high) > 1 or level == "annex"):
        return [(*last[:-1], (level, _roman(n))) for n in range(begin + 1, end + 1)]
    # Letters come last: "(i) to (v)" is a range of Roman numerals, "(a) to (d)" one of letters.
    begin, end = letter_value(low), letter_value(high)
    if begin and begin < end <= begin + 30:
        return [(*last[:-1], (level, to_letters(n))) for n in range(begin + 1, end)] + [last]
    return [last]


def _roman(value: int) -> str:
    """A lower-case Roman numeral up to 89, enough for ranges.

    >>> _roman(4), _roman(19)
    ('iv', 'xix')
    """
    text = ""
    for worth, sign in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= worth:
            text, value = text + sign, value - worth
    return text


# --- numbers before their word, as in Hungarian, Finnish or Lithuanian --------------------------------------


def numbers_before(tokens: Sequence[Token], index: int, level: str, used: int) -> Group | None:
    """Read the numbers before a word, from right to left: "(1), (2) és (3) bekezdés"."""
    numbers: list[str] = []
    joints: list[str] = []
    begin = end = index
    while True:
        at = end - 1
        if at > used and tokens[at].text == "." and tokens[at].start == tokens[at - 1].end:
            at -= 1
        if at < used:
            break
        number = number_in(tokens[at], level)
        follows = at > used and tokens[at - 1].kind == "figure"
        if not number and level == "paragraph" and not numbers and not follows and not tokens[at].roman:
            number = number_in(tokens[at], "point")  # "c) punkts"
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
        joint, end = separator_before(tokens, at, used)
        if not joint or (joint == "comma" and not joints):
            break
        joints.append(joint)
    if not numbers:
        return None
    paths: list[Path] = [((level, numbers[-1]),)]
    for number, joint in zip(reversed(numbers[:-1]), reversed(joints[: len(numbers) - 1]), strict=True):
        path: Path = ((level, number),)
        paths += expand_range(paths[-1], path) if joint == "range" else [path]
    return Group(tuple(paths), begin, index + 1)


# --- groups -----------------------------------------------------------------------------------------------

ANNEX: Final[tuple[Path, ...]] = ((("annex", ""),),)
"""An annex without a number."""
SAME: Final = "^"
"""Stands for the number in "that paragraph": the provision that was named last."""
_SIGNS: Final = ("o", "º", "ª", "°", "a", "os")
_SHORT_MONTH: Final = 3
_RECALLED_LEVELS: Final = ("annex", "article", "paragraph", "subparagraph")


def is_filler(token: Token) -> bool:
    """Whether a word only connects its neighbours: "of", "the"."""
    return token.has("of") or token.has("the")


def find_groups(tokens: Sequence[Token], words: Vocabulary) -> Iterator[Group]:
    """Find the groups of a text, in order."""
    used = 0
    for index, token in enumerate(tokens):
        levels = token.role.levels
        group = _group(tokens, index, levels, used, words) if levels and index >= used else None
        if group is not None:
            yield group
            used = group.last


def _group(tokens: Sequence[Token], index: int, levels: Sequence[str], used: int, words: Vocabulary) -> Group | None:
    """The group whose word is at an index, with the numbers before or after it as the language has them."""
    if index > used and _ordinal(tokens[index - 1]):
        return _ordinals(tokens, index, min(levels, key=LEVELS.index), used, words)
    numbered = [level for level in levels if level not in ("subparagraph", "indent", "sentence")] or list(levels)
    for level in (*numbered, *levels):
        group = numbers_before(tokens, index, level, used) if level in words.before else None
        if group is None and (level not in words.before or level in words.either):
            group = _numbers_after(tokens, index, level, words)
        if group is not None:
            return group
    for level in sorted(levels, key=LEVELS.index):
        group = _ordinals(tokens, index, level, used, words)
        if group is not None:
            return group
    level = levels[0]
    if level not in words.before and is_ordinal_figure(tokens, index):
        return numbers_before(tokens, index, level, used)
    return _this(tokens, index, level, used)


def _numbers_after(tokens: Sequence[Token], index: int, level: str, words: Vocabulary) -> Group | None:
    """Read the numbers after a word: "Articles 12, 15 and 17 to 19".

    After a comma, a number may belong to something else. The group ends at the last item that is certain (`solid`):
    one in brackets, after "and" or "to", or where the list continues.
    """
    begin, bare = skip_stop(tokens, index + 1), words.bare_letters
    first = _item(tokens, begin, level, None, bare=bare)
    if first is None and begin < len(tokens) and is_filler(tokens[begin]):  # "articoli da 12 a 15"
        first = _item(tokens, begin + 1, level, None, bare=bare)
        ahead = separator_after(tokens, first[1]) if first is not None else None
        first = first if ahead is not None and ahead[0] == "range" else None
    if first is None:
        return None
    path, end = first
    paths: list[Path] = [path]
    solid, end_solid = 1, end
    while True:
        separator = separator_after(tokens, end)
        if separator is None:
            break
        joint, begin = separator
        following = _item(tokens, begin, level, paths[-1], bare=bare)
        if following is None or not have_same_numbering(paths[-1], following[0]):
            break
        if joint == "range" and _is_day(tokens, begin, words):
            break
        if joint == "comma" and len(paths) == 1 and _is_nested(paths[0], following[0]):  # "point a), ii)"
            paths, end = [(*paths[0], following[0][-1])], following[1]
            solid, end_solid = 1, end
            continue
        paths += expand_range(paths[-1], following[0]) if joint == "range" else [following[0]]
        end = following[1]
        if joint != "comma" or tokens[begin].kind in ("paren", "half") or _continues(tokens, end):
            solid, end_solid = len(paths), end
    return Group(tuple(paths[:solid]), index, end_solid)


def _is_day(tokens: Sequence[Token], index: int, words: Vocabulary) -> bool:
    """Whether a number is the day of a date: "paragraph 1 until 31 December 2027" is no range.

    A short name of a month can be another word ("may"), so a year has to follow it.
    """
    following = [token for token in tokens[index + 1 : index + 5] if not is_filler(token)][:2]
    if tokens[index].kind != "figure" or not following or following[0].text not in words.months:
        return False
    return len(following[0].text) > _SHORT_MONTH or (len(following) > 1 and following[1].kind == "figure")


def _is_nested(before: Path, after: Path) -> bool:
    """Whether a Roman numeral after a letter is a point of that point: "point a), ii)"."""
    letter, number = before[-1][1], after[-1][1]
    return (
        before[-1][0] == after[-1][0] == "point"
        and len(letter) == 1
        and letter_value(letter) > 0
        and not from_roman(letter)
        and from_roman(number) > 0
        and (len(number) > 1 or number == "i")
    )


def _continues(tokens: Sequence[Token], index: int) -> bool:
    """Whether a list continues, even without a number: "Articles 12, 15, 17 and Articles 19 to 32"."""
    return index < len(tokens) and (tokens[index].has("list") or tokens[index].text == ",")


def _item(
    tokens: Sequence[Token], index: int, level: str, before: Path | None, *, bare: bool
) -> tuple[Path, int] | None:
    """Read a number with the numbers attached to it: "5(1)(a)".

    Args:
        tokens: The tokens of the text.
        index: The index to read from.
        level: The level of the number.
        before: The item before it in a list; in "5(1) and (2)" the second item takes Article 5 from it.
        bare: Whether a letter without brackets after the number is a point.

    Returns:
        The path and the index after it, or None if there is no number.
    """
    if index >= len(tokens):
        return None
    token = tokens[index]
    lettered = token.kind == "word" and len(token.text) == 1 and not token.role
    lettered = lettered and before is not None and before[-1][0] == "point" and len(before) > 1
    attached = before is not None and len(before) > 1 and (token.kind == "paren" or lettered)
    if attached and before is not None:
        sub = _inline(token, before[:1])
        if sub is None:
            return None
        keep = [step for step in before if LEVELS.index(step[0]) < LEVELS.index(sub[0])]
        if sub[0] == "point":
            keep = list(before[:-1]) if before[-1][0] == "point" else list(before)
        path: list[Step] = [*keep, sub]
    else:
        number = number_in(token, level)
        if not number or (level == "article" and token.kind == "half"):
            return None
        if token.kind == "decimal" and level in ("article", "paragraph"):
            head, *inner = number.split(".")
            path = [
                (level, head),
                *(("paragraph" if n == 0 and level == "article" else "point", x) for n, x in enumerate(inner)),
            ]
        else:
            path = [(level, canonical(number) if token.kind == "figure" else number)]
    end = index + 1
    if not attached:
        path, end = _suffixed(tokens, end, path)
    kinds = ("paren", "half") if token.kind == "half" else ("paren",)
    while end < len(tokens) and tokens[end].kind in kinds and tokens[end].start - tokens[end - 1].end <= 1:
        inner_step = _inline(tokens[end], tuple(path))
        if inner_step is None:
            break
        path.append(inner_step)
        end += 1
    if bare and level == "article" and end < len(tokens):  # "artikel 5.1 a", "artikel 10 c ii"
        letter = tokens[end]
        if letter.kind == "word" and len(letter.text) == 1 and not letter.role and not letter.roman:
            path.append(("point", letter.text))
            end += 1
            if end < len(tokens) and tokens[end].kind == "word" and from_roman(tokens[end].text) > 1:
                path.append(("point", tokens[end].text))
                end += 1
    return tuple(path), skip_stop(tokens, end)


def _suffixed(tokens: Sequence[Token], end: int, path: list[Step]) -> tuple[list[Step], int]:
    """Extend a number by its ordinal sign and inserted letter: "5.o", "5 º", "5.o-A"."""
    if end < len(tokens) and tokens[end].text in ("º", "ª", "°"):
        end += 1
    if path[0][0] == "annex" and _is_lettered_annex(tokens, end):
        level, number = path[-1]
        return [*path[:-1], (level, number + tokens[end].text)], end + 1
    if end < len(tokens) and path[0][0] == "article" and tokens[end].roman and len(tokens[end].text) == 1:
        level, number = path[-1]  # "130 R"
        if number.isdigit() and tokens[end].start - tokens[end - 1].end <= 1:
            return [*path[:-1], (level, number + tokens[end].text)], end + 1
    if _attached(tokens, end, ".") and tokens[end + 1].text in _SIGNS:
        end += 2
    if _attached(tokens, end, "-") and len(tokens[end + 1].text) == 1 and tokens[end + 1].roman:
        level, number = path[-1]
        path, end = [*path[:-1], (level, number + tokens[end + 1].text)], end + 2
    return path, end


def _is_lettered_annex(tokens: Sequence[Token], index: int) -> bool:
    """Whether a capital letter belongs to the number of an annex: "Annex I B"; not one that begins the next phrase."""
    if index >= len(tokens) or not tokens[index].roman or len(tokens[index].text) != 1 or not tokens[index - 1].roman:
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    ended = following is None or bool(following.role) or following.kind == "rest"
    return tokens[index].text in "abcdefgh" and (
        ended or (tokens[index].text != "a" and tokens[index + 1].kind == "word")
    )


def _attached(tokens: Sequence[Token], index: int, sign: str) -> bool:
    """Whether there is a sign at an index without a space before or after it."""
    if index + 1 >= len(tokens) or tokens[index].text != sign:
        return False
    return tokens[index].start == tokens[index - 1].end and tokens[index + 1].start == tokens[index].end


def _inline(token: Token, path: Path) -> Step | None:
    """The level of a bracketed number attached to another one: a paragraph of an article, otherwise a point."""
    digits = token.text[0].isdigit()
    if path[-1][0] == "article" and digits:
        return ("paragraph", token.text)
    if path[0][0] == "recital" or len(path) > 5:
        return None
    number = number_in(token, "point")
    return ("point", number) if number else None


def _ordinals(tokens: Sequence[Token], index: int, level: str, used: int, words: Vocabulary) -> Group | None:
    """Read ordinals before the word ("first and second subparagraphs") or after it ("akapit pierwszy")."""
    values: list[int] = []
    begin = index
    at = index - 1
    while at >= used and (ordinal := _ordinal(tokens[at])):
        values.insert(0, ordinal)
        begin = at
        at -= 1
        while at >= used and (is_filler(tokens[at]) or tokens[at].text in ("-", ",")) and not tokens[at].has("list"):
            at -= 1
        if at >= used and tokens[at].has("list"):
            at -= 1
        elif at < used or len(values) < 2:
            break
    if values:
        return Group(tuple(((level, str(value)),) for value in values), begin, index + 1)
    end = index + 1
    while level not in words.before and end < len(tokens) and (ordinal := _ordinal(tokens[end])):
        values.append(ordinal)
        end += 1
        if end + 1 >= len(tokens) or not tokens[end].has("list") or not _ordinal(tokens[end + 1]):
            break
        end += 1
    return Group(tuple(((level, str(value)),) for value in values), index, end) if values else None


def _ordinal(token: Token) -> int:
    return token.role.ordinal if token.kind in ("word", "phrase") and not token.role.levels else 0


def _this(tokens: Sequence[Token], index: int, level: str, used: int) -> Group | None:
    """Read "this Article", "that paragraph", or an annex without a number."""
    if (
        index > used
        and tokens[index - 1].has("same")
        and level in _RECALLED_LEVELS
        and not tokens[index - 1].has("this")
    ):
        return Group((((level, SAME),),), index - 1, index + 1)
    if level == "annex":
        return Group(ANNEX, index - (index > used and tokens[index - 1].has("this")), index + 1)
    if level not in ("article", "paragraph", "subparagraph", "point"):
        return None
    if index > used and tokens[index - 1].has("this"):
        return Group((((level, ""),),), index - 1, index + 1)
    begin = index - 1
    while begin > used and index - begin < 3 and (is_filler(tokens[begin]) or tokens[begin].text in DASHES):
        begin -= 1
    if begin >= used and tokens[begin].has("this"):
        return Group((((level, ""),),), begin, index + 1)
    if index + 1 < len(tokens) and tokens[index + 1].has("this") and not is_filler(tokens[index + 1]):
        return Group((((level, ""),),), index, index + 2)
    return None
