"""Fuzz targets: for every parser a function of bytes that succeeds, or raises a `LexLatticeError` of one sentence.

Hypothesis (`tests/unit/project/test_fuzz.py`) and atheris (`fuzz/run.py`) use the same table. A target returns the act
that it read, if any, so that the caller can check the invariants of reading. Where a checksum or a compression would
reject every change, the bytes are inserted behind it: as a part of an archive, or as a file whose digest is adjusted.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from lexlattice._internal.files import sha256
from lexlattice._internal.shards import RUN
from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.act.document import Act
from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.encoding import require_builtin
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.rows import Rows
from lexlattice.lattice.features import features_of
from lexlattice.lattice.model import Network
from lexlattice.lattice.paper import Consolidator
from lexlattice.reading import read
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.research import COVERAGE, load, path_of
from lexlattice.research.coverage.model import LAYERS, Salience
from lexlattice.research.experiments.settings import read_settings
from lexlattice.research.experiments.tables import Column, Source, Table, row
from lexlattice.research.llm.replies import parse, schema_error
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH as SHIPPED
from lexlattice.training.config import read_config
from lexlattice.training.prepared import FORMAT, Example, Prepared, pack

ROOT: Final = Path(__file__).parent.parent
FORMATS: Final = ROOT / "examples" / "formats"
CORPUS: Final = ROOT / "fuzz" / "corpus"
"""A folder for each target, with small inputs that were findings once, or that reached code that no other reached."""
SMALL_ACT: Final = (
    b"# On bees\n\n## Article 1\n\nHives shall be registered.\n\n## Article 2\n\n1. Bees are free.\n\n(a) all;\n"
)
_SCHEMA: Final = {"type": "object", "required": ["marks"], "properties": {"marks": {"type": "array", "items": {}}}}


class Target(NamedTuple):
    """A parser, and small real files of its format."""

    run: Callable[[bytes], Act | None]
    seeds: Callable[[], list[bytes]]


# --- acts -------------------------------------------------------------------------------------------------


def _reader(format: str | None, language: str | None = None, profile: str = "provisions") -> Callable[[bytes], Act]:
    return lambda data: read(data, format=format, language=language, profile=profile)


def _repacked(path: Path, parts: tuple[str, ...], format: str) -> Callable[[bytes], Act | None]:
    """A reader of an archive in which one part, selected by the first byte, is replaced by the other bytes."""

    def run(data: bytes) -> Act | None:
        replaced = parts[data[0] % len(parts)] if data else parts[0]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in _members(path).items():
                archive.writestr(name, data[1:] if name == replaced else content)
        return read(packed.getvalue(), format=format)

    return run


@cache
def _members(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _parts(path: Path, names: tuple[str, ...]) -> Callable[[], list[bytes]]:
    return lambda: [bytes([number]) + _members(path)[name] for number, name in enumerate(names)]


def _files(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file()]


def _act_json(data: bytes) -> Act:
    return Act.from_json(data.decode("utf-8", "replace"))


# --- files parsed from disk -------------------------------------------------------------------------------


@cache
def _scratch() -> Path:
    """A temporary folder of this process."""
    memory = Path("/dev/shm")  # in memory, if possible: faster than a disk
    folder = tempfile.TemporaryDirectory(prefix="lexlattice-fuzz-", dir=memory if memory.is_dir() else None)
    _folders.append(folder)
    return Path(folder.name)


_folders: Final[list[tempfile.TemporaryDirectory[str]]] = []


def _from_file(name: str, parser: Callable[[Path], object]) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = _scratch() / f"{os.getpid()}-{name}"
        path.write_bytes(data)
        parser(path)

    return run


def _all_arrays(path: Path) -> None:
    for array in read_weights(path).arrays.values():
        array.tobytes()


def _judged(path: Path) -> None:
    """Weights that are accepted can be used: they score a small act, unless they name another encoder."""
    Salience.read(path)
    if require_builtin(read_weights(path).about.get("encoder") or "static") == "static":
        load(path).score(read(SMALL_ACT, language="en"))


def _scored(path: Path) -> None:
    """A network that is accepted scores a small act with finite numbers."""
    Network.read(path).scores(features_of(read(SMALL_ACT, language="en"), Static()))


def _consolidated(path: Path) -> None:
    model, act = Consolidator.read(path), read(SMALL_ACT, language="en")
    model.panels(act, np.zeros((len(act), 2), np.float32))


def _encoded(path: Path) -> None:
    Static(path).encode(["Hives shall be registered."])


def _all_rows(path: Path) -> None:
    rows = Rows(path)
    rows.count()
    for _ in rows:
        pass


def _all_entries(path: Path) -> None:
    """The entries of a corpus; an unreadable one has an error of one sentence."""
    inputs = Inputs((str(path),))
    inputs.check()
    for entry in inputs:
        assert entry.digest and "\n" not in entry.source
        assert not entry.fault or _is_sentence(entry.fault), entry.fault


def _checkpoint(data: bytes) -> None:
    """A checkpoint under a matching name, so that only parsing can fail."""
    from lexlattice.training.checkpoints import Checkpoints

    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        Path(folder, f"000001-{sha256(data)[:16]}.safetensors").write_bytes(data)
        Checkpoints(Path(folder), {}).load()


def _prepared(data: bytes) -> None:
    """A folder of prepared acts with one file replaced and matching digests, so that only parsing can fail."""
    folder = _scratch() / f"{os.getpid()}-prepared"
    (folder / RUN).mkdir(parents=True, exist_ok=True)
    names = list(_prepared_files({}))
    for name, content in _prepared_files({names[data[0] % len(names)]: data[1:]} if data else {}).items():
        (folder / name).write_bytes(content)
    for example in Prepared.open(folder, verify=True):
        assert len(example.act.units) == len(example.vectors)


def _prepared_files(changed: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the folder; sizes and digests are recomputed for the changed ones."""
    act, npy, index = "shard-00000.jsonl.gz", "shard-00000.npy", f"{RUN}/shard-00000.json"
    packed, manifest = _example(), f"{RUN}/manifest.json"
    line = gzip.compress(changed[act], 1, mtime=0) if act in changed else packed.content
    files = {act: line, npy: changed.get(npy, _npy(packed.vectors))}
    rows = [[packed.line, *packed.key, packed.chosen, len(packed.vectors), len(line)]]
    listed = {name: {"bytes": len(file), "sha256": sha256(file)} for name, file in files.items()}
    files[index] = changed.get(index, _json({"number": 0, "details": {"rows": rows}, "files": listed}))
    about = {"finished": True, "format": FORMAT, "shards": [{"index": sha256(files[index])}]}
    files[manifest] = changed.get(manifest, _json(about | {"checksum": sha256(_json(about))}))
    return files


@cache
def _example() -> Any:
    act = read(SMALL_ACT, language="en")
    vectors = np.ones((len(act), 2), np.float32)
    return pack(Example(1, "32024R0001", act, vectors, (0,), "Bees.", 1), act.source)


def _npy(array: Any) -> bytes:
    with io.BytesIO() as file:
        np.save(file, array)
        return file.getvalue()


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n"


def _prepared_seeds() -> list[bytes]:
    first, *others = _prepared_files({}).values()
    return [bytes([number]) + part for number, part in enumerate((gzip.decompress(first), *others))]


# --- user input and model replies -------------------------------------------------------------------------


def _budget(data: bytes) -> None:
    Budget.parse(data.decode("utf-8", "replace")).of(1_000, "a reference")


def _reference(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    is_celex(text)
    is_url(text)


def _reply(data: bytes) -> None:
    """A language model's reply, for which `parse` may raise `ValueError`."""
    text = data.decode("utf-8", "replace")
    try:
        value = parse(text)
    except ValueError:
        return
    schema_error(value, _SCHEMA)


def _table(data: bytes) -> None:
    Table.from_json(data)


# --- generated seeds -------------------------------------------------------------------------------------


def _json_seeds() -> list[bytes]:
    return [read(SMALL_ACT, language="en").to_json().encode()]


def _written(arrays: Mapping[str, Any], about: Mapping[str, str]) -> bytes:
    path = _scratch() / "seed.safetensors"
    write_weights(path, arrays, about)
    return path.read_bytes()


def _weights_seeds() -> list[bytes]:
    arrays = {"bytes": np.arange(12, dtype=np.uint8).reshape(3, 4), "single": np.array([0.5, -0.0, 3e38], np.float32)}
    return [_written(arrays, {"format": "a test"})]


def _salience_seeds() -> list[bytes]:
    """The model of `coverage`, with every free dimension reduced to two."""
    shipped, about = read_weights(path_of(COVERAGE))
    arrays = {name: np.array(array) for name, array in shipped.items() if name.startswith("scales.")}
    act, units, words, bigrams = (len(arrays[f"scales.{name}.mean"]) for name in ("act", "units", "words", "bigrams"))
    takes = {
        **{"word_meaning": 256, "word_topic": 1280, "unit_meaning": 256, "unit_topic": 1280, "unit_message": 4},
        **{
            "word_first": act + words + 4,
            "unit_first": act + units + 6,
            "word_third": 8,
            "bigram_first": act + bigrams + 10,
        },
    }
    gives = {name: len(shipped[f"{name}.bias"]) for name in ("word_logits", "bigram_logits")}
    shapes = {name: (gives.get(name, 2), takes.get(name, 2)) for name in LAYERS}
    shapes |= {
        "automaton.hidden": (2, 4),
        "automaton.change": (2, 2),
        "readout.hidden": (2, 4),
        "readout.score": (1, 2),
    }
    for name, shape in shapes.items():
        arrays |= {f"{name}.weight": np.ones(shape, np.float32), f"{name}.bias": np.zeros(shape[0], np.float32)}
    arrays["automaton.perception.weight"] = np.ones((2, 1, 3, 3), np.float32)
    arrays["automaton.perception.bias"] = np.zeros(2, np.float32)
    return [_written(arrays, {**about, "steps": "2"})]


def _network_seeds() -> list[bytes]:
    """The shipped network, with every free dimension reduced."""
    shipped, about = read_weights(SHIPPED)
    arrays = {name: np.array(array) for name, array in shipped.items() if ".scales." in name}
    features = sum(len(array) for name, array in arrays.items() if name.endswith(".mean"))
    names = {name.rpartition(".")[0] for name in shipped if name not in arrays}
    projected = sum(".meanings." in name or ".topics." in name for name in names)
    takes = {"first": features + projected, "automaton.hidden": 16, "readout.hidden": 4}
    for name in names:
        short = name.removeprefix("members.0.")
        one = short.startswith(("meanings.", "topics."))
        width = shipped[f"{name}.weight"].shape[1] if one else takes.get(short, 2)
        shape = (2, 1, 3, 3) if short == "automaton.perception" else (1 if one else 2, width)
        arrays |= {f"{name}.weight": np.full(shape, 0.1, np.float32), f"{name}.bias": np.zeros(shape[0], np.float32)}
    return [_written(arrays, about)]


def _consolidator_seeds() -> list[bytes]:
    about = {"format": "lexlattice consolidator 1", "geometry": "grid", "rows": "4", "columns": "3", "steps": "2"}
    shapes = {
        **{"automaton.perception": (2, 1, 3, 3), "automaton.hidden": (2, 4), "automaton.change": (2, 2)},
        **{"readout.hidden": (2, 4), "readout.score": (1, 2)},
    }
    arrays = {f"{name}.weight": np.ones(shape, np.float32) for name, shape in shapes.items()}
    arrays |= {f"{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items()}
    languages = {"languages.weight": np.zeros((2, 2), np.float32)}
    return [_written(arrays, about), _written(arrays | languages, {**about, "languages": "en fr"})]


def _static_seeds() -> list[bytes]:
    arrays = {
        "hashes": np.arange(1, 5, dtype=np.uint32),
        "numbers": np.arange(24, dtype=np.uint8).reshape(6, 4),
        "scales": np.ones(6, np.float16),
    }
    return [
        _written(
            arrays,
            {"format": "lexlattice embedded encoder 1", "spelling": '{"prefixes": [4], "folded": [4], "skeleton": []}'},
        )
    ]


def _tar_seeds() -> list[bytes]:
    """With names of all kinds: plain, long, and in a separate record."""
    seeds = []
    for format, packing in ((tarfile.GNU_FORMAT, ""), (tarfile.PAX_FORMAT, ""), (tarfile.PAX_FORMAT, "gz")):
        with io.BytesIO() as file:
            with tarfile.open(fileobj=file, mode=f"w:{packing}", format=format) as archive:  # type: ignore[call-overload]
                for name in ("act.txt", f"{'long/' * 30}ä.txt", "rows.jsonl"):
                    member = tarfile.TarInfo(name)
                    member.size = len(SMALL_ACT)
                    archive.addfile(member, io.BytesIO(SMALL_ACT))
            seeds.append(file.getvalue())
    return seeds


def _zip_seeds() -> list[bytes]:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            for number, packing in enumerate((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)):
                archive.writestr(f"acts/{number}.txt", SMALL_ACT, packing)
            archive.writestr("acts/ä.txt", SMALL_ACT * 50, zipfile.ZIP_LZMA)
        return [file.getvalue()]


def _checkpoint_seeds() -> list[bytes]:
    import torch

    from lexlattice.training.checkpoints import pack_state

    state = {"step": 3, "loss": [0.5, float("inf")], "at": (1, None), "weights": {"a": torch.ones(2, 3)}}
    return [pack_state({**state, "identity": {}})]


_ROW: Final = {"celex_id": "32024R0001", "reference": SMALL_ACT.decode(), "summary": "Bees.", "language": "en"}
_LINES: Final = b"".join(json.dumps(record).encode() + b"\n" for record in (_ROW, {**_ROW, "summary": ""}, _ROW))


def _parquet_seeds() -> list[bytes]:
    import pyarrow
    import pyarrow.parquet

    with io.BytesIO() as file:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([_ROW, _ROW]), file)
        return [file.getvalue()]


def _reply_seeds() -> list[bytes]:
    openai = {"choices": [{"message": {"content": '{"marks": []}'}, "finish_reason": "stop"}], "usage": {}}
    anthropic = {"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn", "usage": {"input_tokens": 1}}
    return [b'Here:\n```json\n{"marks": [1, "a"]}\n```', json.dumps(openai).encode(), json.dumps(anthropic).encode()]


def _table_seeds() -> list[bytes]:
    source = Source("lexlattice experiment main", "eur-lex-sum", (0,), 3)
    table = Table("T", "A table.", (Column("a"), Column("b")), (row("lead", 1.5, "text"),), source, "", paper="None.")
    return [table.to_json().encode()]


_WORD: Final = ("word/document.xml", "word/numbering.xml", "word/footnotes.xml")
_DOCX: Final = FORMATS / "act.docx"
_FORMEX_ZIP: Final = FORMATS / "act.fmx4.zip"


def _present(path: Path, names: tuple[str, ...] | None = None) -> tuple[str, ...]:
    with zipfile.ZipFile(path) as archive:
        return tuple(name for name in archive.namelist() if names is None or name in names)


_WORD_PARTS, _FORMEX_PARTS = _present(_DOCX, _WORD), _present(_FORMEX_ZIP)

TARGETS: Final[dict[str, Target]] = {
    "any": Target(_reader(None), _files("examples/formats/*.html", "examples/formats/*.xml", "examples/formats/*.md")),
    "text": Target(_reader("text"), _files("examples/short/en.txt", "examples/short/el.txt", "examples/short/fr.txt")),
    "paper": Target(_reader("text", profile="paper"), _files("examples/short/en.txt", "examples/short/bg.txt")),
    "markdown": Target(_reader("text", language="en"), lambda: [SMALL_ACT, *_files("examples/formats/act.md")()]),
    "html": Target(_reader("html"), _files("examples/formats/*html")),
    "formex": Target(_reader("formex"), _files("examples/formats/act.fmx.xml", "examples/formats/act.fmx4.zip")),
    "formex-parts": Target(_repacked(_FORMEX_ZIP, _FORMEX_PARTS, "formex"), _parts(_FORMEX_ZIP, _FORMEX_PARTS)),
    "akoma-ntoso": Target(_reader("akoma-ntoso"), _files("examples/formats/act.akn.xml")),
    "docx": Target(_reader("docx"), _files("examples/formats/act.docx")),
    "docx-parts": Target(_repacked(_DOCX, _WORD_PARTS, "docx"), _parts(_DOCX, _WORD_PARTS)),
    "pdf": Target(_reader("pdf"), _files("examples/formats/*.pdf")),
    "act-json": Target(_act_json, _json_seeds),
    "weights": Target(_from_file("w.safetensors", _all_arrays), _weights_seeds),
    "salience": Target(_from_file("s.safetensors", _judged), _salience_seeds),
    "network": Target(_from_file("n.safetensors", _scored), _network_seeds),
    "consolidator": Target(_from_file("c.safetensors", _consolidated), _consolidator_seeds),
    "static": Target(_from_file("e.safetensors", _encoded), _static_seeds),
    "json-lines": Target(_from_file("rows.jsonl", _all_rows), lambda: [_LINES]),
    "gzip-lines": Target(_from_file("rows.jsonl.gz", _all_rows), lambda: [gzip.compress(_LINES, mtime=0)]),
    "parquet": Target(_from_file("rows.parquet", _all_rows), _parquet_seeds),
    "tar": Target(_from_file("corpus.tar", _all_entries), _tar_seeds),
    "zip": Target(_from_file("corpus.zip", _all_entries), _zip_seeds),
    "list": Target(_from_file("list.txt", _all_entries), lambda: [b"32016R0679\n\nCELEX:32022R2554\r\n12012M/TXT\n"]),
    "prepared": Target(_prepared, _prepared_seeds),
    "config": Target(_from_file("config.toml", read_config), _files("src/lexlattice/training/configs/*.toml")),
    "experiment": Target(
        _from_file("experiment.toml", read_settings), _files("src/lexlattice/research/experiments/configs/*.toml")
    ),
    "table": Target(_table, _table_seeds),
    "reply": Target(_reply, _reply_seeds),
    "budget": Target(_budget, lambda: [b"medium", b"words:400", b"ratio:0.05", b"reference"]),
    "reference": Target(_reference, lambda: [b"32016R0679", b"https://eur-lex.europa.eu/eli/reg/2016/679/oj"]),
}


if find_spec("torch"):
    TARGETS["checkpoint"] = Target(_checkpoint, _checkpoint_seeds)


def _is_sentence(text: str) -> bool:
    return text.endswith((".", "?")) and "\n" not in text


def check(name: str, data: bytes, laws: Callable[[Act], None]) -> None:
    """Run a target: acts satisfy the invariants, errors are one sentence."""
    try:
        act = TARGETS[name].run(data)
    except LexLatticeError as error:
        assert _is_sentence(str(error)), f"not one sentence in one line: {str(error)!r}"
        return
    if act is not None:
        laws(act)
