"""What an amending article says of the act it amends: which act, and which provision each of its points is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lexlattice.act import Section
from lexlattice.reading.cited_acts import CitedAct
from lexlattice.reading.groups import SAME, Path, Step
from lexlattice.reading.mentions import mentions
from lexlattice.reading.numbering import OPENING_QUOTES
from lexlattice.reading.tokens import tokenize
from lexlattice.reading.wording import LEVELS, Wording

_STEPS: Final = {"art": "article", "par": "paragraph", "sub": "subparagraph", "pt": "point", "anx": "annex"}
_TOP: Final = ("article", "annex")
_INNER: Final = ("article", "annex", "paragraph")
"""What stands around a point, whichever subparagraph it is in."""


def amended_by(section: Section, words: Wording) -> CitedAct | None:
    """The act that an article amends: its lead-in names one act alone, and what follows quotes the new wording."""
    if section.kind != "article" or len(section.units) < 2 or not section.units[0].text.endswith(":"):
        return None
    if not any(unit.text[0] in OPENING_QUOTES or is_quoted(unit.provision) for unit in section.units):
        return None
    acts = [token.act for token in tokenize(section.units[0].text, words) if token.act is not None]
    return acts[0] if acts else None


def amended_in(section: Section, title: str, celex: str, words: Wording) -> CitedAct | None:
    """The act that an annex with quoted text amends: the one it begins with, or the only one of the act's title."""
    if section.kind != "annex" or not any(is_quoted(unit.provision) for unit in section.units):
        return None
    for text in (section.units[0].text, title):
        acts = {token.act.celex: token.act for token in tokenize(text, words) if token.act is not None}
        acts.pop(celex, None)
        if len(acts) == 1:
            return next(iter(acts.values()))
    return None


def is_quoted(provision: str) -> bool:
    """Whether a provision is of the text that an amendment quotes."""
    return ".q" in provision


class Amended:
    """The act that an article amends, and where in it each of its points is at work."""

    def __init__(self, section: Section, act: CitedAct, words: Wording) -> None:
        self.act = act
        self._acts: dict[str, CitedAct] = {}
        """The acts that lead-ins below name, where an annex amends several."""
        self._homes: dict[str, Path] = {}
        last = ""
        for unit in section.units:
            if not is_quoted(unit.provision) and unit.text.endswith(":") and section.kind == "annex":
                acts = [token.act for token in tokenize(unit.text, words) if token.act is not None]
                last = acts[0].celex if len(acts) == 1 else last
                act = acts[0] if len(acts) == 1 else act
            if last:
                self._acts[unit.provision] = act
            if is_quoted(unit.provision) or unit.provision in self._homes:
                continue
            named = mentions(tokenize(unit.text, words), words)
            first = next((mention.paths[0] for mention in named if mention.paths[0][0][1] not in ("", SAME)), None)
            around = self.home(unit.provision)
            if first is not None and (around or first[0][0] in _TOP):
                self._homes[unit.provision] = within(around, first)

    def act_at(self, provision: str) -> CitedAct:
        """The act that is amended where a unit stands."""
        return self._acts.get(provision, self.act)

    def home(self, provision: str) -> Path:
        """The provision of the amended act that a unit is about, or, quoted, stands in."""
        steps = provision.split(".")
        own = next((n for n, step in enumerate(steps) if step[0] == "q" and step[:2] in ("q", "q-")), len(steps))
        base: Path = ()
        for end in range(own, 0, -1):
            name = ".".join(steps[:end])
            if name in self._homes:
                base = self._homes[name]
                break
        return _quoted(base, steps[own:]) if own < len(steps) else base


def _quoted(base: Path, steps: Sequence[str]) -> Path:
    """Where a quoted text stands that takes the place of `base`, or of something in it."""
    first = steps[0].removeprefix("q").removeprefix("-")
    for step in [first, *steps[1:]]:
        stem, _, number = step.partition("-")
        if stem not in _STEPS or not number:
            continue
        level = _STEPS[stem]
        if level == "point" and number[0].isdigit() and base and (len(base) == 1 or base[-1][0] == "paragraph"):
            level = "paragraph"  # a numbered paragraph that is quoted alone
        base = within(base, ((level, number.partition("~")[0]),))
    return base


def within(around: Path, path: Path) -> Path:
    """A path as seen from another one: "paragraph 2" in Article 5(1) is Article 5(2)."""
    level, number = path[0]
    if level in _TOP and number:
        return path
    rank = LEVELS.index(level)
    if not number:  # "this Article"
        kept = tuple(step for step in around if LEVELS.index(step[0]) <= rank)
        return kept + path[1:] if any(step[0] == level for step in kept) else ()
    kept = tuple(step for step in around if LEVELS.index(step[0]) < rank and _holds(step, level))
    return kept + path


def _holds(step: Step, level: str) -> bool:
    return level not in ("point", "indent") or step[0] in _INNER or (level == "indent" and step[0] == "point")
