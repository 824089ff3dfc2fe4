"""Randomly damaged files for every parser: each is read, or refused in one sentence, within seconds.

The targets are those of `fuzz/`, which `make fuzz` runs with a coverage-guided fuzzer. Findings of both are kept here
as small regression tests.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from helpers import ROOT
from helpers.laws import assert_laws
from lexlattice import Act, LexLatticeError, read
from lexlattice.errors import DataError, ReadingError, WeightsError
from lexlattice.evaluation import sources
from lexlattice.evaluation.rows import BadRow, Rows
from lexlattice.lattice.paper import Consolidator
from lexlattice.research.coverage.model import Salience

sys.path.insert(0, str(ROOT / "fuzz"))
import mutate
from mutations import KINDS, damaged
from targets import CORPUS, SMALL_ACT, TARGETS, check

SLOW = {"docx", "docx-parts", "pdf", "salience", "network"}
"""Targets that take a hundredth of a second or more for each file."""
MAX_SECONDS = 10.0
"""Of CPU time; no file is larger than about ten kilobytes."""


@cache
def seeds(name: str) -> list[bytes]:
    found: list[bytes] = TARGETS[name].seeds()
    return found


def run(name: str, data: bytes) -> None:
    start = time.process_time()
    check(name, data, assert_laws)
    assert time.process_time() - start < MAX_SECONDS


# --- damage -----------------------------------------------------------------------------------------------

place = st.floats(0, 1, exclude_max=True)
length = st.integers(1, 64)
damage = st.one_of(
    st.tuples(st.just("flip"), place, st.integers(1, 255)),
    st.tuples(st.just("cut"), place, length),
    st.tuples(st.just("end"), place, length),
    st.tuples(st.just("double"), place, length),
    st.tuples(st.just("repeat"), place, length),
    st.tuples(st.just("nest"), place, length),
    st.tuples(st.just("splice"), place, length),
    st.tuples(st.just("write"), place, st.sampled_from([0, 9, 10, 34, 38, 40, 45, 57, 60, 91, 92, 123, 127, 128, 255])),
)


def test_every_kind_of_damage_changes_something() -> None:
    content, other = b"<a>some text</a>", b"<b>another</b>"
    for how in KINDS:
        assert damaged(content, other, how, 0.5, 3) != content
    assert damaged(content, other, "nest", 0.1, 3).count(b"<a") > 100


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_read_or_refused_in_one_sentence(name: str) -> None:
    @settings(
        max_examples=15 if name in SLOW else 60,
        phases=[phase for phase in Phase if name not in SLOW or phase is not Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(number=st.integers(0, 30), other=st.integers(0, 30), steps=st.lists(damage, min_size=1, max_size=4))
    def damages(number: int, other: int, steps: list[tuple[str, float, int]]) -> None:
        files = seeds(name)
        content = files[number % len(files)]
        for step in steps:
            content = damaged(content, files[other % len(files)], *step)
        run(name, content)

    damages()


@pytest.mark.parametrize("name", mutate.FORMATS)
def test_mutated_acts_are_read_without_a_loss_or_refused(name: str) -> None:
    """`python fuzz/mutate.py --times 20000` does the same with more files."""
    outcomes = [mutate.outcome(name, mutate.file_of(name, 2, number)) for number in range(20 if name in SLOW else 60)]
    assert [found for found in outcomes if found.startswith("FOUND")] == []
    assert {"read", "warnings"} & set(outcomes)


def test_the_same_seed_gives_the_same_files() -> None:
    for name in mutate.FORMATS:
        assert mutate.file_of(name, 1, 5) == mutate.file_of(name, 1, 5) != mutate.file_of(name, 2, 5)


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.iterdir()))
def test_the_corpus_is_read_or_refused_in_one_sentence(name: str) -> None:
    for path in sorted((CORPUS / name).iterdir()):
        run(name, path.read_bytes())


def test_the_corpus_stays_small() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert sum(path.stat().st_size for path in files) < 1_000_000
    assert {path.parent.name for path in files} <= set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_accepts_its_seeds(name: str) -> None:
    """Otherwise every damaged file would be refused for another reason."""
    contents = seeds(name)
    assert contents
    for content in contents:
        act = TARGETS[name].run(content)
        if act is not None:
            assert_laws(act)


# --- earlier findings -------------------------------------------------------------------------------------


def small_act() -> dict[str, Any]:
    return read(SMALL_ACT, language="en").to_dict()


def with_unit(**changes: object) -> dict[str, Any]:
    data = small_act()
    data["sections"][1]["units"][0] |= changes
    return data


ACTS: dict[str, object] = {
    "nothing": None,
    "a list": [],
    "a text": "sections",
    "no field": {},
    "no units": small_act() | {"sections": [{"enclosing": []}]},
    "an unknown field": small_act() | {"unknown": 1},
    "an unknown field of a unit": with_unit(unknown=1),
    "no warnings": {key: value for key, value in small_act().items() if key != "warnings"},
    "a number as title": small_act() | {"title": 5},
    "a list as date": small_act() | {"consolidated": []},
    "a unit that is a text": small_act() | {"sections": [small_act()["sections"][0] | {"units": ["unit"]}]},
    "an unknown kind": with_unit(kind="proverb"),
    "another text": with_unit(text="Hives are forbidden."),
    "a text from another place": with_unit(start=0, end=9),
    "an end before the start": with_unit(start=30, end=20),
    "a place below zero": with_unit(start=-5),
    "a place that is a fraction": with_unit(position=0.0),
    "a place that is true": with_unit(position=False),
    "an id twice": with_unit(id="art-2.par-1", provision="art-2.par-1"),
    "another number of words": with_unit(words=1_000_000),
    "another section": with_unit(section=7),
    "furniture over text": small_act() | {"furniture": [{"kind": "page", "start": 0, "end": 60}]},
    "text that no unit covers": small_act() | {"source": small_act()["source"] + "\nBees are forbidden."},
    "a lone surrogate": small_act() | {"celex": "\ud800"},
}


@pytest.mark.parametrize("name", ACTS)
def test_a_modified_act_is_refused(name: str) -> None:
    with pytest.raises(DataError):
        Act.from_json(json.dumps(ACTS[name]))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a":' * 100_000, '{"a": ' + "9" * 5_000 + "}", "\0"])
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        Act.from_json(text)


def with_metadata(seed: bytes, **metadata: str) -> bytes:
    """A file of weights with other metadata."""
    size = int.from_bytes(seed[:8], "little")
    header = json.loads(seed[8 : 8 + size])
    header["__metadata__"] |= metadata
    content = json.dumps(header).encode()
    return len(content).to_bytes(8, "little") + content + seed[8 + size :]


MODEL = "[models.a]\nconfig = 'x'\n"
ODD = b"{'descr': ',f2', 'fortran_order': False, 'shape': (2, 2), }"
FOUND: list[tuple[str, Any]] = [
    ("budget", b"words\n:400"),
    ("budget", b"\x1b[2Jwords:400"),
    *(("experiment", text.encode()) for text in ("languages = [[1]]", "a = " + "[" * 5_000, '"a\\nb" = 1')),
    *(("experiment", f"{MODEL}{text}".encode()) for text in ("stages = 5", "stages = [[1]]", "after = ['a']")),
    ("config", b'"a\\nb" = 1'),
    ("table", b"[" * 100_000),
    ("salience", {"steps": "9" * 5_000}),
    *(("salience", {key: "a\nb"}) for key in ("format", "geometry", "fingerprint")),
    ("salience", {"encoder": "a\nb:c"}),
    *(("network", {"members": text}) for text in ("[" * 9_000, "[]", "[1]", '[{"steps": 999999999}]', "a\nb")),
    *(("network", {key: "a\nb"}) for key in ("format",)),
    *(("consolidator", {key: "9" * 4_000}) for key in ("rows", "columns")),
    *(("consolidator", {key: "-1"}) for key in ("rows", "columns", "steps")),
    ("consolidator", {"format": "another"}),
    ("prepared", b"\x01\x93NUMPY\x01\x00\x0a\x00{'descr':("),
    ("prepared", b"\x01\x93NUMPY\x01\x00\x06\x00((((((" + b"(" * 9_000),
    ("prepared", b"\x01\x93NUMPY\x01\x00v\x00" + ODD.ljust(117) + b"\n" + bytes(16)),
    ("prepared", b'\x00{"act": {}, "order": [], "summary": ""}'),
    ("prepared", b"\x00" + b"[" * 100_000),
    ("prepared", b"\x02[]"),
]


@pytest.mark.parametrize(("name", "what"), FOUND, ids=lambda value: str(value)[:30])
def test_earlier_findings_are_refused_in_one_sentence(name: str, what: Any) -> None:
    data = what if isinstance(what, bytes) else with_metadata(seeds(name)[0], **what)
    run(name, data)
    with pytest.raises(LexLatticeError):
        TARGETS[name].run(data)


@pytest.mark.parametrize(("name", "model"), [("salience", Salience), ("consolidator", Consolidator)])
def test_weights_that_would_take_days_to_compute_are_refused(
    name: str, model: type[Salience | Consolidator], tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(with_metadata(seeds(name)[0], steps="9" * 18))
    with pytest.raises(WeightsError):
        model.read(path)


def test_a_parquet_file_with_invalid_column_names_is_refused() -> None:
    data = seeds("parquet")[0].replace(b"celex_id", b"celex\xff\xfed")
    run("parquet", data)
    with pytest.raises(DataError):
        TARGETS["parquet"].run(data)


def test_a_line_that_unpacks_to_more_than_an_act_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LINE", 1_000_000)
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"reference": "' + b"a" * 50_000_000))
    (only,) = Rows(path)
    assert isinstance(only, BadRow)
    assert only.is_end
    assert "1 MB" in only.reason


@pytest.mark.parametrize("address", ["htps://user:secret@host/a?key=secret", "ftp://user:secret@host/"])
def test_an_address_that_cannot_be_opened_is_not_repeated(address: str) -> None:
    with pytest.raises(ReadingError) as error:
        read(address)
    assert "secret" not in str(error.value)
