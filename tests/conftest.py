"""What the tests share: the data folder, the examples, a browser, and how Hypothesis runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CI = os.environ.get("CI", "").lower() in ("true", "1")
DATA = os.environ.get("LEXLATTICE_DATA", "")
HAS_DATA = bool(DATA) and Path(DATA).is_dir()
NO_DATA = (
    f"NO DATA: LEXLATTICE_DATA names '{DATA}', which is no folder"
    if DATA
    else "NO DATA: set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md)"
)
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
NO_BROWSER = "NO BROWSER: install Chromium (Debian: apt-get install chromium) to test pages as people see them"

# Exports say when they were made: the same day in all tests, and in the processes they start.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1795000000")

untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a machine may be slow
settings.register_profile("ci", untimed, derandomize=True, max_examples=30)
settings.register_profile("dev", untimed)
settings.register_profile("quick", untimed, derandomize=True, max_examples=5)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if CI else "dev"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The data folder; a test that asks for it is marked `data`."""
    if not HAS_DATA:
        pytest.fail(f"{NO_DATA}; mark the test with @pytest.mark.data, so that it is skipped without")
    return Path(os.environ["LEXLATTICE_DATA"])


@pytest.fixture(scope="session")
def examples() -> Path:
    """The example acts."""
    return Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started by the first test of a process that asks for it; where there is none the test is skipped.

    In CI too: a machine that may not install one still tests the rest, and the header of its report says so. While it
    is open an event loop runs in this thread, so `asyncio.run` in a test needs a thread of its own.
    """
    if BROWSER is None:
        pytest.skip(NO_BROWSER)
    playwright = pytest.importorskip("playwright.sync_api")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"] if is_root else [])
        yield chromium
        chromium.close()


def pytest_report_header() -> list[str]:
    return [
        f"data: {DATA}" if HAS_DATA else f"data: {NO_DATA}; the tests marked 'data' are left out",
        f"browser: {BROWSER}" if BROWSER else f"browser: {NO_BROWSER}; the tests that need one are left out",
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not HAS_DATA:
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(pytest.mark.skip(reason=NO_DATA), append=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI the data is always there: a test marked `data` that is skipped, for any reason, has failed."""
    report = yield
    if item.get_closest_marker("data") and not hasattr(report, "wasxfail"):
        fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that is skipped as a whole and has such tests."""
    report = yield
    if isinstance(collector, pytest.Module) and "mark.data" in collector.path.read_text("utf-8"):
        fail_if_skipped(report)
    return report


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if CI and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"what is marked 'data' may not be skipped in CI: {reason}"
