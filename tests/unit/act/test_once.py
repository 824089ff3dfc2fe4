"""What several packages derive from an act is computed once for it, and belongs to no other act."""

from __future__ import annotations

import pickle
from dataclasses import replace

from lexlattice import Act, read
from lexlattice._internal.lazy import once
from lexlattice.reading.article_references import article_references
from lexlattice.reading.roles import groups_of

TEXT = "Article 1\nHives shall be registered.\nArticle 2\nArticle 1 applies from 2 May 2030."


def act() -> Act:
    return read(TEXT, language="en")


def test_a_function_of_an_act_is_computed_once_for_each_act() -> None:
    seen: list[Act] = []

    @once
    def counted(act: Act) -> int:
        seen.append(act)
        return len(seen)

    first, second = act(), act()
    assert [counted(first), counted(first), counted(second), counted(first)] == [1, 1, 2, 1]
    assert [one is other for one, other in zip(seen, (first, second), strict=True)] == [True, True]


def test_what_was_derived_from_an_act_is_not_that_of_a_changed_copy() -> None:
    one = act()
    assert groups_of(one)[-1] == "key_points"
    assert groups_of(replace(one, type="regulation"))[-1] == "application"
    assert groups_of(one)[-1] == "key_points"


def test_what_was_derived_from_an_act_is_neither_pickled_nor_compared() -> None:
    one, other = act(), act()
    article_references(one)
    assert pickle.dumps(one) == pickle.dumps(other)
    assert one == other
    assert repr(one) == repr(other)
