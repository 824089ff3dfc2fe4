"""Where a text names provisions: "Article 5(1), point (a)", "5 straipsnio 1 dalies a punktas", in 24 languages.

What stands next to what decides: a word for a level and its numbers make a group, groups that follow one another make
a mention, and an act before or behind it is the act it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, NamedTuple

from lexlattice.reading.cited_acts import CitedAct
from lexlattice.reading.numbering import canonical, from_roman, letter_value, to_letters
from lexlattice.reading.tokens import Token, number_of
from lexlattice.reading.wording import LEVELS, Wording

Step = tuple[str, str]
"""A level and its number; "" for the one the text itself stands in ("this Article") or that has none ("the Annex")."""
Path = tuple[Step, ...]

LONGEST_RANGE: Final = 120
LONGEST_GAP: Final = 5
_ANNEX: Final = ((("annex", ""),),)
_DASHES: Final = ("-", "–", "—")
_SIGNS: Final = ("o", "º", "ª", "°", "a", "os")


class Group(NamedTuple):
    """A word for a level with its numbers: "points (a) and (b)"."""

    paths: tuple[Path, ...]
    first: int
    """Its first token, and the one after its last."""
    last: int

    @property
    def rank(self) -> int:
        """How far out its level is: 0 for annexes."""
        return LEVELS.index(self.paths[0][0][0])

    @property
    def levels(self) -> set[str]:
        """All levels it names."""
        return {level for path in self.paths for level, _ in path}


@dataclass(slots=True)
class Mention:
    """Provisions that are named together, and the act they belong to."""

    paths: tuple[Path, ...]
    first: int
    last: int
    outer_first: bool = True
    owner: str = ""
    """"this" act, an "external" one, a "treaty", an "other" instrument; empty where nothing is said."""
    act: CitedAct | None = None
    named: str = ""
    """Kind of this act as it is named: "this Regulation"."""
    anaphor: str = ""
    """Kind of the act where it is named without its number: "that Directive"; "any" for "thereof"."""


def mentions(tokens: Sequence[Token], words: Wording) -> list[Mention]:
    """All mentions of provisions in a text."""
    found = [_mention(chain, tokens) for chain in _chains(list(_groups(tokens, words)), tokens, words)]
    for mention in found:
        (_owner_before if words.act_first else _owner_after)(mention, tokens)
        if not mention.owner and mention.first and tokens[mention.first - 1].has("treaty"):
            mention.owner = "treaty"
    _share(found, tokens, forward=words.act_first)
    return found


def _fills(token: Token) -> bool:
    """Whether a word only joins what stands beside it: "of", "the"."""
    return token.has("of") or token.has("the")


# --- groups -----------------------------------------------------------------------------------------------


def _groups(tokens: Sequence[Token], words: Wording) -> Iterator[Group]:
    used = 0
    for place, token in enumerate(tokens):
        levels = token.role.levels
        group = _group(tokens, place, levels, used, words) if levels and place >= used else None
        if group is not None:
            yield group
            used = group.last


def _group(tokens: Sequence[Token], place: int, levels: Sequence[str], used: int, words: Wording) -> Group | None:
    """The group whose word stands at a place, by whichever order of word and number the language has."""
    if place > used and _ordinal(tokens[place - 1]):
        return _ordinals(tokens, place, min(levels, key=LEVELS.index), used)
    numbered = [level for level in levels if level not in ("subparagraph", "indent", "sentence")] or list(levels)
    for level in (*numbered, *levels):
        group = _numbers_before(tokens, place, level, used) if level in words.before else None
        if group is None and (level not in words.before or level in words.either):
            group = _numbers_after(tokens, place, level, bare=words.bare_letters)
        if group is not None:
            return group
    for level in sorted(levels, key=LEVELS.index):
        group = _ordinals(tokens, place, level, used)
        if group is not None:
            return group
    level = levels[0]
    if level not in words.before and _is_ordinal_figure(tokens, place):
        return _numbers_before(tokens, place, level, used)
    return _this(tokens, place, level, used)


def _is_ordinal_figure(tokens: Sequence[Token], place: int) -> bool:
    """Whether "5." stands before the word, as in "5. člena", and no sentence ends there."""
    return (
        place > 1
        and tokens[place - 1].text == "."
        and tokens[place - 2].kind == "figure"
        and tokens[place - 2].end == tokens[place - 1].start
    )


def _numbers_after(tokens: Sequence[Token], place: int, level: str, *, bare: bool) -> Group | None:
    begin = _skip_stop(tokens, place + 1)
    first = _item(tokens, begin, level, None, bare=bare)
    if first is None and begin < len(tokens) and _fills(tokens[begin]):  # "articoli da 12 a 15"
        first = _item(tokens, begin + 1, level, None, bare=bare)
        joint = _separator(tokens, first[1]) if first is not None else None
        first = first if joint is not None and joint[0] == "range" else None
    if first is None:
        return None
    path, end = first
    paths: list[Path] = [path]
    solid, end_solid = 1, end
    while True:
        separator = _separator(tokens, end)
        if separator is None:
            break
        joint, begin = separator
        following = _item(tokens, begin, level, paths[-1], bare=bare)
        if following is None or not _alike(paths[-1], following[0]):
            break
        paths += _range(paths[-1], following[0]) if joint == "range" else [following[0]]
        end = following[1]
        if joint != "comma" or tokens[begin].kind in ("paren", "half"):
            solid, end_solid = len(paths), end
    return Group(tuple(paths[:solid]), place, end_solid)


def _item(
    tokens: Sequence[Token], place: int, level: str, before: Path | None, *, bare: bool
) -> tuple[Path, int] | None:
    """A number with the numbers attached to it: "5(1)(a)"; `before` is the item before it in a list.

    `bare` says that a letter without brackets behind the number is a point.
    """
    if place >= len(tokens):
        return None
    token = tokens[place]
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
        number = number_of(token, level)
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
    end = place + 1
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
    return tuple(path), _skip_stop(tokens, end)


def _suffixed(tokens: Sequence[Token], end: int, path: list[Step]) -> tuple[list[Step], int]:
    """The number with its ordinal sign and inserted letter: "5.o", "5 º", "5.o-A"."""
    if end < len(tokens) and tokens[end].text in ("º", "ª", "°"):
        end += 1
    if end < len(tokens) and path[0][0] == "article" and tokens[end].roman and len(tokens[end].text) == 1:
        level, number = path[-1]  # "130 R"
        if number.isdigit() and tokens[end].start - tokens[end - 1].end <= 1:
            return [*path[:-1], (level, number + tokens[end].text)], end + 1
    if end + 1 < len(tokens) and tokens[end].text == "." and tokens[end + 1].text in _SIGNS:
        if tokens[end].start == tokens[end - 1].end and tokens[end + 1].start == tokens[end].end:
            end += 2
    if end + 1 < len(tokens) and tokens[end].text == "-" and len(tokens[end + 1].text) == 1 and tokens[end + 1].roman:
        if tokens[end].start == tokens[end - 1].end and tokens[end + 1].start == tokens[end].end:
            level, number = path[-1]
            path, end = [*path[:-1], (level, number + tokens[end + 1].text)], end + 2
    return path, end


def _inline(token: Token, path: Path) -> Step | None:
    """The step that a bracketed number attached to another one is."""
    digits = token.text[0].isdigit()
    if path[-1][0] == "article" and digits:
        return ("paragraph", token.text)
    if path[0][0] == "recital" or len(path) > 5:
        return None
    number = number_of(token, "point")
    return ("point", number) if number else None


def _skip_stop(tokens: Sequence[Token], place: int) -> int:
    """The place after a full stop that ends no sentence: "Art. 5", "stavka 1. točke"."""
    if place + 1 >= len(tokens) or tokens[place].text != "." or tokens[place].start > tokens[place - 1].end + 1:
        return place
    following = tokens[place + 1]
    goes_on = following.role or following.kind in ("act", "figure", "paren", "half", "decimal") or following.text == ","
    return place + 1 if goes_on or following.roman else place


def _separator(tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
    """What joins two numbers of a list, and where the second one begins."""
    if place >= len(tokens):
        return None
    token = tokens[place]
    if token.text == ",":
        following = _separator(tokens, place + 1)
        return following if following is not None and following[0] != "comma" else ("comma", place + 1)
    if token.has("range") or token.text in _DASHES:
        return "range", place + 1
    return ("list", place + 1) if token.has("list") else None


def _alike(before: Path, after: Path) -> bool:
    """Whether two items count in the same way."""
    for (level, number), (other, another) in zip(before, after, strict=False):
        if level == other and number[:1].isdigit() != another[:1].isdigit():
            return False
    return True


def _numbers_before(tokens: Sequence[Token], place: int, level: str, used: int) -> Group | None:
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
        joint, end = _separator_before(tokens, at, used)
        if not joint or (joint == "comma" and not set(joints) & {"list", "range"} and len(numbers) > 0 and not joints):
            break
        joints.append(joint)
    if not numbers:
        return None
    paths: list[Path] = [((level, numbers[-1]),)]
    for number, joint in zip(reversed(numbers[:-1]), reversed(joints[: len(numbers) - 1]), strict=True):
        path: Path = ((level, number),)
        paths += _range(paths[-1], path) if joint == "range" else [path]
    return Group(tuple(paths), begin, place + 1)


def _separator_before(tokens: Sequence[Token], place: int, used: int) -> tuple[str, int]:
    """What joins a number to the one before it, and the place after that."""
    at = place - 1
    if at < used:
        return "", place
    token = tokens[at]
    if token.has("list"):
        return "list", at - 1 if at > used and tokens[at - 1].text == "," else at
    if token.text in _DASHES or token.has("range"):
        return "range", at
    return ("comma", at) if token.text == "," else ("", place)


def _ordinals(tokens: Sequence[Token], place: int, level: str, used: int) -> Group | None:
    """Ordinals before the word ("first and second subparagraphs") or behind it ("akapit pierwszy")."""
    values: list[int] = []
    begin = place
    at = place - 1
    while at >= used and (ordinal := _ordinal(tokens[at])):
        values.insert(0, ordinal)
        begin = at
        at -= 1
        while at >= used and (_fills(tokens[at]) or tokens[at].text in ("-", ",")) and not tokens[at].has("list"):
            at -= 1
        if at >= used and tokens[at].has("list"):
            at -= 1
        elif at < used or len(values) < 2:
            break
    if values:
        return Group(tuple(((level, str(value)),) for value in values), begin, place + 1)
    end = place + 1
    while end < len(tokens) and (ordinal := _ordinal(tokens[end])):
        values.append(ordinal)
        end += 1
        if end + 1 >= len(tokens) or not tokens[end].has("list") or not _ordinal(tokens[end + 1]):
            break
        end += 1
    return Group(tuple(((level, str(value)),) for value in values), place, end) if values else None


def _ordinal(token: Token) -> int:
    return token.role.ordinal if token.kind in ("word", "phrase") and not token.role.levels else 0


def _this(tokens: Sequence[Token], place: int, level: str, used: int) -> Group | None:
    """ "This Article", and an annex without a number."""
    if level == "annex":
        return Group(_ANNEX, place, place + 1)
    if level not in ("article", "paragraph", "subparagraph", "point"):
        return None
    if place > used and tokens[place - 1].has("this"):
        return Group((((level, ""),),), place - 1, place + 1)
    begin = place - 1
    while begin > used and place - begin < 3 and (_fills(tokens[begin]) or tokens[begin].text in _DASHES):
        begin -= 1
    if begin >= used and tokens[begin].has("this"):
        return Group((((level, ""),),), begin, place + 1)
    if place + 1 < len(tokens) and tokens[place + 1].has("this") and not _fills(tokens[place + 1]):
        return Group((((level, ""),),), place, place + 2)
    return None


def _range(first: Path, last: Path) -> list[Path]:
    """What a range holds after its first item."""
    (level, low), (_, high) = first[-1], last[-1]
    if len(first) != len(last) or first[:-1] != last[:-1]:
        return [last]
    if low.isdigit() and high.isdigit() and 0 < int(high) - int(low) <= LONGEST_RANGE:
        return [(*last[:-1], (level, str(n))) for n in range(int(low) + 1, int(high) + 1)]
    begin, end = from_roman(low), from_roman(high)
    if begin and end > begin and (len(low) > 1 or len(high) > 1 or level == "annex"):
        return [(*last[:-1], (level, _roman(n))) for n in range(begin + 1, end + 1)]
    begin, end = letter_value(low), letter_value(high)
    if begin and begin < end <= begin + 30:
        return [(*last[:-1], (level, to_letters(n))) for n in range(begin + 1, end)] + [last]
    return [last]


def _roman(value: int) -> str:
    """A lower-case Roman number, for the few that ranges need.

    >>> _roman(4), _roman(19)
    ('iv', 'xix')
    """
    text = ""
    for worth, sign in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= worth:
            text, value = text + sign, value - worth
    return text


# --- mentions ---------------------------------------------------------------------------------------------


def _chains(groups: list[Group], tokens: Sequence[Token], words: Wording) -> Iterator[list[tuple[Group, bool]]]:
    """Groups that name one provision together, each with whether it stands around those before it."""
    chain: list[tuple[Group, bool]] = []
    levels: set[str] = set()
    for group in groups:
        around = _joined(chain[-1][0], group, tokens, words) if chain else None
        if around is None or (group.levels & levels) - {"point"} or not _fits(chain, group, around=around):
            if chain:
                yield chain
            chain, levels = [(group, False)], set(group.levels)
        else:
            chain.append((group, around))
            levels |= group.levels
    if chain:
        yield chain


def _fits(chain: list[tuple[Group, bool]], group: Group, *, around: bool) -> bool:
    """Whether a group can go on with a chain: nothing stands around a recital, and an article inside annexes only."""
    top = min(each.rank for each, _ in chain)
    if not around and group.rank <= top:
        return group.rank == top and "point" in group.levels
    return "recital" not in group.levels or around


def _joined(before: Group, after: Group, tokens: Sequence[Token], words: Wording) -> bool | None:
    """Whether the second of two groups stands around the first one; None if they do not belong together."""
    gap = tokens[before.last : after.first]
    if len(gap) > LONGEST_GAP:
        return None
    linked = fillers = 0
    for token in gap:
        if token.has("of") or token.has("the"):
            linked, fillers = linked + token.has("of"), fillers + token.has("the")
        elif token.text not in (",", "'", "’", *_DASHES) or (token.text == "," and linked):
            return None
    if after.rank < before.rank:
        return True if linked or not gap else None
    if before.paths == _ANNEX and linked:  # in some languages it is also the word for "application"
        return None
    if linked and {"subparagraph", "point"} >= before.levels | after.levels and "point" in after.levels:
        return True
    return False if linked + fillers < 2 or words.act_first else None


def _mention(chain: list[tuple[Group, bool]], tokens: Sequence[Token]) -> Mention:
    """A chain of groups as paths from the outermost level inwards."""
    ordered: list[Group] = []
    for group, around in chain:
        ordered.insert(0, group) if around else ordered.append(group)
    ordered = _settled(ordered)
    paths = tuple(
        tuple(step for path in combination for step in path) for combination in product(*(g.paths for g in ordered))
    )
    return Mention(paths, chain[0][0].first, chain[-1][0].last, outer_first=not any(around for _, around in chain))


def _settled(groups: list[Group]) -> list[Group]:
    """Annex or article first, whatever stood around it in the text: "paragraph 1, point a), of Article 5"."""
    tops = [group for group in groups if LEVELS[group.rank] in ("annex", "part", "section", "article")]
    tops.sort(key=lambda group: group.rank)
    rest = [group for group in groups if group not in tops]
    paragraphs = [group for group in rest if LEVELS[group.rank] in ("paragraph", "recital")]
    return [*tops, *paragraphs, *(group for group in rest if group not in paragraphs)]


# --- whose provisions they are ----------------------------------------------------------------------------


def _owner_after(mention: Mention, tokens: Sequence[Token]) -> None:
    """The act that is named behind a mention: "of Directive 2004/39/EC", "of this Regulation", "thereof"."""
    place = mention.last
    if place < len(tokens) and tokens[place].text == "," and place + 1 < len(tokens) and _fills(tokens[place + 1]):
        place += 1
    this = made = False
    for token in tokens[place : place + 12]:
        if token.kind == "act":
            mention.owner, mention.act = "external", token.act
            return
        if (token.has("treaty") or token.has("other")) and not made:
            mention.owner = "treaty" if token.has("treaty") else "other"
            return
        if token.role.act:
            postponed = tokens.index(token) + 1
            this = this or (postponed < len(tokens) and tokens[postponed].has("this") and not _fills(tokens[postponed]))
            _name(mention, token.role.act, this=this)
            return
        if token.has("thereof"):
            mention.owner, mention.anaphor = "other", "any"
            return
        this, made = this or token.has("this"), made or (token.has("maker") and not _fills(token))
        if not (_fills(token) or token.role.flags & {"this", "same", "maker"} or token.text in ("'", "’", *_DASHES)):
            return


def _name(mention: Mention, kind: str, *, this: bool) -> None:
    """Put down that an act is named by its kind alone."""
    if this:
        mention.owner, mention.named = "this", kind
    else:
        mention.owner, mention.anaphor = "other", kind


def _owner_before(mention: Mention, tokens: Sequence[Token]) -> None:
    """The act that is named before a mention: "direktiivin 2004/39/EY 5 artikla", "tämän asetuksen 5 artikla"."""
    place = mention.first - 1
    if place > 0 and tokens[place].kind in ("paren", "note") and tokens[place - 1].kind == "act":
        place -= 1  # a footnote
    if place < 0:
        return
    token = tokens[place]
    if token.kind == "act":
        mention.owner, mention.act = "external", token.act
    elif token.has("treaty") or token.has("other"):
        mention.owner = "treaty" if token.has("treaty") else "other"
    elif token.role.act:
        this = any(tokens[at].has("this") for at in range(max(0, place - 2), place))
        _name(mention, token.role.act, this=this)
    elif token.has("this"):
        mention.owner = "this"


def _share(found: list[Mention], tokens: Sequence[Token], *, forward: bool) -> None:
    """Mentions joined by "and" share the act, and the article where only one of them names it."""
    pairs = list(pairwise(found))
    for before, after in pairs:
        if _conjoined(before, after, tokens):
            _share_top(before, after)
    for before, after in pairs if forward else reversed(pairs):
        if not _conjoined(before, after, tokens):
            continue
        source, target = (before, after) if forward else (after, before)
        if source.owner and not target.owner and _is_top(target.paths[0]):
            target.owner, target.act, target.anaphor = source.owner, source.act, source.anaphor


def _is_top(path: Path) -> bool:
    return path[0][0] in ("article", "annex") and path[0][1] != ""


def _share_top(before: Mention, after: Mention) -> None:
    top, other = before.paths[-1], after.paths[0]
    if _is_top(top) and not _is_top(other) and before.outer_first and len(top) > 1 and not before.owner:
        rank = LEVELS.index(other[0][0])
        kept = tuple(step for step in top if LEVELS.index(step[0]) < rank)
        if kept and any(LEVELS.index(level) >= rank for level, _ in top) and other[0][1]:
            after.paths = tuple(kept + path for path in after.paths)
    elif _is_top(other) and not _is_top(top) and not after.outer_first and len(other) > 1 and top[0][1]:
        rank = LEVELS.index(top[0][0])
        kept = tuple(step for step in other if LEVELS.index(step[0]) < rank)
        before.paths = tuple(kept + path for path in before.paths)


def _conjoined(before: Mention, after: Mention, tokens: Sequence[Token]) -> bool:
    gap = tokens[before.last : after.first]
    joined = any(token.has("list") or token.has("range") or token.text in (",", *_DASHES) for token in gap)
    allowed = all(
        token.has("list") or token.has("range") or _fills(token) or token.text in (",", "'", "’", *_DASHES)
        for token in gap
    )
    return joined and allowed and len(gap) <= LONGEST_GAP
