"""Mentions of provisions in a text: "Article 5(1), point (a)", "5 straipsnio 1 dalies a punktas".

There is no grammar of sentences; neighbourhood decides. A word for a level and its numbers are a group, adjacent groups
are a mention, and an act before or after a mention is the act it belongs to (its owner).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from typing import Final

from lexlattice.reading.citations.levels import ANNEX, Group, Path, find_groups, is_filler
from lexlattice.reading.citations.tokens import DASHES, DIVISIONS, CitedAct, Token
from lexlattice.reading.citations.vocabulary import LAST, LEVELS, Vocabulary

MAX_GAP: Final = 5
MAX_CHAIN: Final = 8
MAX_PATHS: Final = 200
"""The most tokens between two groups, groups of a mention and paths of a mention; only hostile texts have more."""
MAX_OPENING: Final = 3
"""An act among the first tokens, up to this index, is the one that the text is about."""


@dataclass(slots=True)
class Mention:
    """Provisions that are named together, and the act they belong to."""

    paths: tuple[Path, ...]
    first: int
    last: int
    outer_first: bool = True
    owner: str = ""
    """The act it belongs to: "this" one, an "external" one, a "treaty" or an "other" instrument; empty if not said."""
    act: CitedAct | None = None
    named: str = ""
    """The kind in "this Regulation"."""
    others: tuple[CitedAct, ...] = ()
    """Further acts: "Article 5 of Regulations (EU) No 1093/2010 and (EU) No 1094/2010"."""
    anaphor: str = ""
    """The kind of an act that is named without its number: "that Directive"; "any" for "thereof"."""


def find_mentions(tokens: Sequence[Token], words: Vocabulary) -> list[Mention]:
    """Find all mentions of provisions in a text, in order."""
    found = [_mention(chain, tokens) for chain in _chains(list(find_groups(tokens, words)), tokens, words)]
    for mention in found:
        (_owner_before if words.act_first else _owner_after)(mention, tokens)
        if not mention.owner and mention.first:
            _owner_ahead(mention, tokens)
    # Only now, since it needs the owners of all mentions.
    _share(found, tokens, forward=words.act_first)
    return found


def _chains(found: list[Group], tokens: Sequence[Token], words: Vocabulary) -> Iterator[list[tuple[Group, bool]]]:
    """Join groups that name one provision together; each comes with whether it encloses the ones before it."""
    chain: list[tuple[Group, bool]] = []
    levels: set[str] = set()
    for group in found:
        encloses = _joined(chain[-1][0], group, tokens, words) if chain else None
        full = len(chain) >= MAX_CHAIN
        if (
            encloses is None
            or full
            or (group.levels & levels) - {"point"}
            or not _fits(chain, group, encloses=encloses)
        ):
            if chain:
                yield chain
            chain, levels = [(group, False)], set(group.levels)
        else:
            chain.append((group, encloses))
            levels |= group.levels
    if chain:
        yield chain


def _fits(chain: list[tuple[Group, bool]], group: Group, *, encloses: bool) -> bool:
    """Whether a group can continue a chain: nothing encloses a recital, and only annexes enclose an article."""
    top = min(each.rank for each, _ in chain)
    if not encloses and group.rank <= top:
        return group.rank == top and "point" in group.levels
    return "recital" not in group.levels or encloses


def _joined(before: Group, after: Group, tokens: Sequence[Token], words: Vocabulary) -> bool | None:
    """Whether the second of two groups encloses the first one; None if they do not belong together."""
    gap = tokens[before.last : after.first]
    if len(gap) > MAX_GAP:
        return None
    linked = fillers = 0
    for token in gap:
        if token.has("of") or token.has("the"):
            linked, fillers = linked + token.has("of"), fillers + token.has("the")
        elif token.text not in (",", "'", "’", *DASHES) or (token.text == "," and linked):
            return None
    if after.rank < before.rank:
        return True if linked or not gap else None
    if before.paths == ANNEX and linked:  # in some languages it is also the word for "application"
        return None
    if linked and {"subparagraph", "point"} >= before.levels | after.levels and "point" in after.levels:
        return True
    return False if linked + fillers < 2 or words.act_first else None


def _mention(chain: list[tuple[Group, bool]], tokens: Sequence[Token]) -> Mention:
    """Turn a chain of groups into paths, from the outermost level inwards."""
    ordered: list[Group] = []
    for group, encloses in chain:
        ordered.insert(0, group) if encloses else ordered.append(group)
    ordered = _outermost_first(ordered)
    # "Articles 5 and 6, points (a) and (b)" names four provisions.
    combined = islice(product(*(group.paths for group in ordered)), MAX_PATHS)
    paths = tuple(tuple(step for path in paths for step in path) for paths in combined)
    return Mention(paths, chain[0][0].first, chain[-1][0].last, outer_first=not any(encloses for _, encloses in chain))


def _outermost_first(chain: list[Group]) -> list[Group]:
    """Put annex and article first, wherever the text has them: "paragraph 1, point a), of Article 5"."""
    tops = [group for group in chain if LEVELS[group.rank] in (*DIVISIONS, "article")]
    tops.sort(key=lambda group: group.rank)
    rest = [group for group in chain if group not in tops]
    paragraphs = [group for group in rest if LEVELS[group.rank] in ("paragraph", "recital")]
    return [*tops, *paragraphs, *(group for group in rest if group not in paragraphs)]


# --- the act that a mention belongs to ----------------------------------------------------------------------------


def _owner_after(mention: Mention, tokens: Sequence[Token]) -> None:
    """Find the act named after a mention: "of Directive 2004/39/EC", "of this Regulation", "thereof"."""
    index = mention.last
    if index < len(tokens) and tokens[index].text == "," and index + 1 < len(tokens) and is_filler(tokens[index + 1]):
        index += 1
    this = made = False
    for at, token in enumerate(tokens[index : index + 12], index):
        if token.kind == "act":
            mention.owner, mention.act = "external", token.act
            mention.others = _others(tokens, at, 1)
            return
        if _is_titled(tokens, at, mention):
            mention.owner = "other"
            return
        if (token.has("treaty") or token.has("other")) and not made:
            mention.owner = "this" if this else "treaty" if token.has("treaty") else "other"
            return
        if token.role.act:
            postponed = at + 1
            this = this or (
                postponed < len(tokens) and tokens[postponed].has("this") and not is_filler(tokens[postponed])
            )
            _set_owner_kind(mention, token.role.act, this=this)
            return
        if token.has("thereof"):
            mention.owner, mention.anaphor = "other", "any"
            return
        this, made = this or token.has("this"), made or (token.has("maker") and not is_filler(token))
        if token.role.ordinal == LAST and this is False and not token.role.levels:
            continue  # "de cette dernière directive"
        if not (is_filler(token) or token.role.flags & {"this", "same", "maker"} or token.text in ("'", "’", *DASHES)):
            return


def _others(tokens: Sequence[Token], index: int, step: int) -> tuple[CitedAct, ...]:
    """The acts that share the word of the act at an index; `step` is 1 to look after it, -1 to look before it."""
    found: list[CitedAct] = []
    before, last = tokens[index].act, index
    index += step
    while 0 <= index < len(tokens) and abs(index - last) <= MAX_GAP and before is not None:
        token = tokens[index]
        if token.act is not None:
            if not token.act.sharing and (step > 0 or not before.sharing):
                break
            found.append(token.act)
            before, last = token.act, index
        elif not (token.has("list") or token.text == "," or is_filler(token) or token.kind in ("paren", "note")):
            break
        index += step
    return tuple(found)


def _is_titled(tokens: Sequence[Token], index: int, mention: Mention) -> bool:
    """Whether an unknown name of an act begins here: "of ISF Regulation", "AMIF Regulation"."""
    token = tokens[index]
    if token.kind != "word" or not token.upper or token.role or token.roman or mention.paths[0][0][0] != "article":
        return False
    ahead = [each for each in tokens[index + 1 : index + 4] if each.text != "+"][:2]
    named = next((n for n, each in enumerate(ahead) if each.upper and (each.role.act or each.has("other"))), -1)
    return named >= 0 and all(each.kind == "word" and each.upper and not each.role for each in ahead[:named])


def _owner_ahead(mention: Mention, tokens: Sequence[Token]) -> None:
    """Find a treaty right before a mention, or the act a text begins with: "In Directive 2004/39/EC, Article 5 is"."""
    index = mention.first - 1
    if tokens[index].has("treaty"):
        mention.owner = "treaty"
        return
    if tokens[index].text == ",":
        index -= 1
    if index > 0 and tokens[index].kind in ("paren", "note"):
        index -= 1
    if 0 <= index <= MAX_OPENING and tokens[index].kind == "act":
        mention.owner, mention.act = "external", tokens[index].act


def _set_owner_kind(mention: Mention, kind: str, *, this: bool) -> None:
    """Record an act that is named by its kind alone."""
    if this:
        mention.owner, mention.named = "this", kind
    else:
        mention.owner, mention.anaphor = "other", kind


def _owner_before(mention: Mention, tokens: Sequence[Token]) -> None:
    """Find the act named before a mention: "direktiivin 2004/39/EY 5 artikla", "tämän asetuksen 5 artikla"."""
    index = mention.first - 1
    if index > 0 and tokens[index].kind in ("paren", "note") and tokens[index - 1].kind == "act":
        index -= 1  # a footnote
    if index < 0:
        return
    token = tokens[index]
    if token.kind == "act":
        mention.owner, mention.act = "external", token.act
        mention.others = _others(tokens, index, -1)
    elif token.has("treaty") or token.has("other"):
        mention.owner = "treaty" if token.has("treaty") else "other"
    elif token.role.act:
        this = any(tokens[at].has("this") for at in range(max(0, index - 2), index))
        _set_owner_kind(mention, token.role.act, this=this)
    elif token.has("this"):
        mention.owner = "this"


def _share(found: list[Mention], tokens: Sequence[Token], *, forward: bool) -> None:
    """Let mentions joined by "and" share the act, and the article if only one of them names it."""
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
    joined = any(token.has("list") or token.has("range") or token.text in (",", *DASHES) for token in gap)
    allowed = all(
        token.has("list") or token.has("range") or is_filler(token) or token.text in (",", "'", "’", *DASHES)
        for token in gap
    )
    return joined and allowed and len(gap) <= MAX_GAP
