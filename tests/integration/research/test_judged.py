"""The judge's tables: whose candidate is judged by which reference, who is left out, and who is compared with whom."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

from helpers.llm_server import KEY, KEY_FROM, FakeLLM, Received, Slowly, fake_llm
from lexlattice.errors import ConfigError, DataError
from lexlattice.evaluation.metrics.significance import wilcoxon
from lexlattice.research.experiments.judged import judged, paired
from lexlattice.research.experiments.runner import Results
from lexlattice.research.experiments.settings import Model, Settings
from lexlattice.research.experiments.tables import Source, Table, to_latex
from lexlattice.research.judging import Document
from lexlattice.research.llm import SpendingError

SYSTEMS = ("one", "two", "three", "four", "five")


def words(question: Received) -> str:
    """A judge to whom every word is a point, and a unit is relevant if it is one of them."""
    asked = json.loads(question.prompt.partition("\n\nYou were asked")[0])
    if "summary" in asked:
        return json.dumps({"points": asked["summary"].split()})
    points, units = asked["points"], asked["candidate"]
    return json.dumps(
        {
            "points": {n: "covered" if text in units.values() else "missing" for n, text in points.items()},
            "units": {n: "relevant" if text in points.values() else "irrelevant" for n, text in units.items()},
        }
    )


def results(chosen: Mapping[int, Mapping[str, str]]) -> Results:
    """Of systems on acts, by line."""
    lines = [
        {"line": n, "celex": f"3{n}", "systems": {name: {"texts": [text]} for name, text in systems.items()}}
        for n, systems in chosen.items()
    ]
    return Results((), {}, {}, lines)


class Room:
    """What an experiment works in, with results that were measured before."""

    def __init__(
        self, folder: Path, endpoint: Mapping[str, Any], found: Mapping[str, Results], *, systems: int, **others: Any
    ) -> None:
        """The first so many of `found` are systems, the others models."""
        names = list(found)
        models = {name: Model(Path()) for name in names[systems:]}
        self.settings = Settings(systems=tuple(names[:systems]), models=models, endpoint=endpoint, **others)
        self.notes: list[str] = []
        self.runner = SimpleNamespace(folder=folder, note=self.notes.append, progress=False)
        self._found, self._models = found, models

    def languages(self, split: str | None = None) -> list[str]:
        return ["en"]

    def systems(self, language: str) -> Results:
        own = [self._found[name] for name in self.settings.systems]
        lines = [
            {**one[0], "systems": {name: entry for line in one for name, entry in line["systems"].items()}}
            for one in zip(*(found.lines for found in own), strict=True)
        ]
        return Results((), {}, {}, lines)

    def train(self, names: Sequence[str], languages: Sequence[str]) -> dict[str, list[Any]]:
        return {name: [SimpleNamespace(on=lambda _, name=name: self._found[name])] for name in names}

    def summaries(self, language: str, found: Results) -> list[str]:
        return [reference(line["line"]) for line in found.lines]

    def references(self, language: str) -> list[str]:
        return [reference(line["line"]) for line in next(iter(self._found.values())).lines]

    def source(self, languages: Sequence[str], acts: int, seeds: Sequence[int]) -> Source:
        return Source("judge", ", ".join(languages), tuple(seeds), acts)


def reference(line: int) -> str:
    return " ".join(f"w{line}-{n}" for n in range(5))


def chosen(line: int, good: int) -> str:
    """So many words of the reference of a line, and as many that are not in it as make five."""
    return "\n".join([*reference(line).split()[:good], *("no" + "o" * n for n in range(5 - good))])


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FROM, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with fake_llm(words) as server:
        yield server


@pytest.fixture
def run(server: FakeLLM, tmp_path: Path) -> Callable[..., list[Table]]:
    def run(
        found: Mapping[str, Results], *, systems: int = 1, prices: Mapping[str, float] | None = None, **others: Any
    ) -> list[Table]:
        address: dict[str, Any] = {
            "kind": "openai",
            "url": server.config().url,
            "model": "little",
            "key_from": KEY_FROM,
        }
        address |= prices or {}
        room = Room(tmp_path, {**address, "max_tokens": 400}, found, systems=systems, **others)
        return judged(room)  # type: ignore[arg-type]

    return run


def test_an_act_that_one_system_lacks_does_not_shift_references() -> None:
    all_acts = results({n: {"lead": chosen(n, 5)} for n in (1, 2, 3, 4)})
    without_second = results({n: {"model": chosen(n, 5)} for n in (4, 1, 3)})
    for found in ([all_acts, without_second], [without_second, all_acts]):
        documents = paired("en", found, {n: reference(n) for n in (1, 2, 3, 4)})
        assert [document.id for document in documents] == ["en:1:31", "en:3:33", "en:4:34"]
        for document in documents:
            assert set(document.candidates) == {"lead", "model"}
            assert all(list(units) == document.reference.split() for units in document.candidates.values())


def test_a_line_that_is_two_acts_is_refused() -> None:
    one, other = results({1: {"a": "x"}}), results({1: {"b": "x"}})
    other.lines[0]["celex"] = "399"  # type: ignore[index]
    with pytest.raises(DataError):
        paired("en", [one, other], {1: "x"})


def test_acts_without_a_number_are_distinguished() -> None:
    found = results({n: {"a": "x"} for n in (1, 2)})
    for line in found.lines:
        line["celex"] = ""  # type: ignore[index]
    assert [document.id for document in paired("en", [found], {1: "x", 2: "y"})] == ["en:1", "en:2"]


def test_only_acts_with_results_of_all_systems_are_judged(run: Callable[..., list[Table]]) -> None:
    lead = results({n: {"lead": chosen(n, 5)} for n in (1, 2, 3)})
    model = results({n: {"model": chosen(n, 5)} for n in (1, 3)})
    table, pairs = run({"lead": lead, "model": model})
    assert [[cell.value for cell in line.cells] for line in table.rows] == [[100.0] * 3] * 2
    for each in (table, pairs):
        assert each.source.acts == 2
        assert "1 acts were left out" in each.note


def test_every_two_systems_are_compared_however_many_there_are(run: Callable[..., list[Table]]) -> None:
    good = {name: [(n + place) % 5 + (place == 4) for n in range(6)] for place, name in enumerate(SYSTEMS)}
    found = {name: results({n: {name: chosen(n, good[name][n])} for n in range(6)}) for name in SYSTEMS}
    table, pairs = run(found, systems=2)
    assert [line.name for line in table.rows] == list(SYSTEMS)
    assert len(pairs.rows) == 10
    assert len({line.name for line in pairs.rows}) == 10
    for line in pairs.rows:
        later, earlier = line.name.split(" − ")
        *_, change, p, acts = line.cells
        mean = sum(a - b for a, b in zip(good[later], good[earlier], strict=True)) / 6
        assert change.value == pytest.approx(100 * mean / 5)
        assert change.interval is not None
        assert change.value is not None
        assert change.interval[0] <= change.value <= change.interval[1]
        assert p.value == pytest.approx(wilcoxon(good[later], good[earlier]))
        assert acts.value == 6
    assert "five − four" in pairs.to_markdown()
    assert "95 % paired bootstrap interval" in pairs.to_markdown()


def test_every_measure_has_its_own_test_and_marks(run: Callable[..., list[Table]]) -> None:
    """Of five words 1D covers two and adds three others, 2D has three alone, and the last has four and two others."""
    acts = range(8)
    texts = {
        "1D": {n: chosen(n, 2) for n in acts},
        "2D": {n: "\n".join(reference(n).split()[:3]) for n in acts},
        "2D + RLOO": {n: "\n".join([*reference(n).split()[:4], "no", "noo"]) for n in acts},
    }
    found = {name: results({n: {name: text} for n, text in of.items()}) for name, of in texts.items()}
    table, pairs = run(found, systems=0)
    shown = {line.name: [cell.text for cell in line.cells] for line in table.rows}
    assert shown == {"1D": ["", "", ""], "2D": ["60.0†", "100.0†", "75.0†"], "2D + RLOO": ["80.0†‡", "66.7†", "72.7†"]}
    assert "† better than 1D, ‡ better than 2D" in table.note
    assert r"80.0$^{\dagger}$$^{\ddagger}$" in to_latex(table, "judge")
    last = pairs.rows[-1]
    assert last.name == "2D + RLOO − 2D"
    differences, ps = [cell.value for cell in last.cells[:-1:2]], [cell.value for cell in last.cells[1::2]]
    assert differences == pytest.approx([20, -100 / 3, 72.7272727 - 75])
    assert ps == pytest.approx([wilcoxon([1.0] * 8, [0.0] * 8)] * 3)
    assert [cell.paper for cell in table.rows[0].cells] == [37.3, 68.0, 45.1]


def test_requests_are_sent_at_once_up_to_a_number(run: Callable[..., list[Table]], server: FakeLLM) -> None:
    server.respond = slow = Slowly(words, 0.03)
    found = {
        name: results({n: {name: chosen(n, good)} for n in range(6)}) for name, good in (("lead", 2), ("model", 3))
    }
    run(found, requests=3)
    assert slow.most == 3
    assert len(server.received) == 3 * 6


def test_a_cap_is_for_each_language_and_holds_before_anything_is_measured(
    run: Callable[..., list[Table]], server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {"price_in": 1000.0, "price_out": 1000.0}
    found = {"lead": results({n: {"lead": chosen(n, 3)} for n in (1, 2)})}
    with monkeypatch.context() as patch, pytest.raises(SpendingError):
        patch.setattr(Room, "systems", lambda room, language: pytest.fail("it was measured"))
        run(found, cap=1.5, prices=prices)
    assert not server.received
    monkeypatch.setattr(Room, "languages", lambda room, split=None: ["en"] * 24)
    monkeypatch.setattr(Room, "references", lambda room, language: [reference(1)])
    monkeypatch.setattr("lexlattice.research.experiments.judged._acts", _of_languages(found["lead"]))
    table = run(found, cap=1.5, prices=prices)[0]
    assert table.source.acts == 24


def _of_languages(found: Results) -> Callable[..., tuple[list[Document], int]]:
    """Acts of one language after the other, each with a name of its own."""
    count = iter(range(100))

    def acts(study: object, language: str) -> tuple[list[Document], int]:
        document = paired(language, [found], {1: reference(1), 2: reference(2)})[0]
        return [document._replace(id=f"{next(count)}")], 0

    return acts


def test_a_finished_run_starts_again_however_small_its_cap(run: Callable[..., list[Table]], server: FakeLLM) -> None:
    prices = {"price_in": 1000.0, "price_out": 1000.0}
    found = {"lead": results({n: {"lead": chosen(n, 3)} for n in (1, 2)})}
    first = run(found, cap=10.0, prices=prices)
    sent = len(server.received)
    assert [table.rows for table in run(found, cap=0.1, prices=prices)] == [table.rows for table in first]
    assert len(server.received) == sent


def test_a_single_system_has_no_comparisons(run: Callable[..., list[Table]]) -> None:
    (table,) = run({"lead": results({1: {"lead": chosen(1, 3)}})})
    assert [line.name for line in table.rows] == ["lead"]


def test_a_table_mentions_acts_that_were_left_out(
    run: Callable[..., list[Table]], server: FakeLLM, tmp_path: Path
) -> None:
    server.respond = lambda question: "I would rather not." if "w2-0" in question.prompt else words(question)
    found = {name: results({n: {name: chosen(n, 3)} for n in (1, 2, 3)}) for name in ("lead", "model")}
    for table in run(found):
        assert table.source.acts == 2
        assert "1 of 3 acts were left out for all systems, because replies of the judge could not be" in table.note
    failures = json.loads((tmp_path / "judge" / "judgement.json").read_text("utf-8"))["failures"]
    assert list(failures) == ["en:2:32"]
    assert "not JSON" in failures["en:2:32"]


def test_without_any_usable_reply_there_is_no_table(run: Callable[..., list[Table]], server: FakeLLM) -> None:
    server.respond = lambda _: "I would rather not."
    found = {"lead": results({n: {"lead": chosen(n, 3)} for n in (1, 2)})}
    with pytest.raises(DataError) as error:
        run(found)
    assert len(re.findall(r"\.(?:\s|$)", str(error.value))) == 1, "one sentence"


def test_a_cap_without_prices_is_refused_before_anything_is_measured(
    run: Callable[..., list[Table]], server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Room, "systems", lambda room, language: pytest.fail("it was measured"))
    with pytest.raises(ConfigError):
        run({"lead": results({1: {"lead": "x"}})}, cap=5.0)
    assert not server.received
