"""The web reader in Firefox: what people do most, in the other engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.firefox import FIREFOX, Firefox, firefox
from lexlattice.summarizer import summarize

pytestmark = pytest.mark.skipif(FIREFOX is None, reason="NO FIREFOX: install Debian's firefox-esr to test it there")

CHOSEN = "[...document.querySelectorAll('#act .unit.chosen')].map(unit => unit.dataset.id)"


@pytest.fixture(scope="module")
def window() -> Iterator[Firefox]:
    """A window of Firefox."""
    with firefox() as session:
        yield session


def test_an_act_is_opened_read_searched_and_compared(window: Firefox, service: str, examples: Path) -> None:
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))
    window.visit(service)
    window.wait_for("'ready' in document.documentElement.dataset")
    window.run("window.complaints = []; addEventListener('error', event => complaints.push(event.message))")
    window.type("#file", str(english))
    window.wait_for("document.querySelector('.item')")
    assert window.run(f"return {CHOSEN}") == [item.id for item in summarize(english)]

    window.click(".item .citation")
    window.wait_for("document.querySelector('#act .unit[aria-current]') === document.activeElement")
    window.run("dispatchEvent(new KeyboardEvent('keydown', {key: 'k', code: 'KeyK', ctrlKey: true}))")
    window.wait_for("document.getElementById('search').open")
    window.type("#search-text", "veterinary")
    window.wait_for("document.querySelector('#search-hits [role=option]')")
    window.type("#search-text", "\ue007")  # Enter
    window.wait_for("!document.getElementById('search').open")

    window.type("#more", str(german))
    window.wait_for("document.getElementById('text-of-act').lang === 'de'")
    window.click("#compare")
    window.wait_for("document.querySelector('#second .unit.chosen')")
    window.run("document.getElementById('act').dispatchEvent(new WheelEvent('wheel'))")
    window.run("document.getElementById('act').scrollTop = 2000")
    window.wait_for("document.getElementById('second').scrollTop > 500")
    assert window.run("return complaints") == []
