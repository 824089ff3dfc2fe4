"""mT5 from what the hub has: pickled weights become safetensors, checked, and nothing in them is run."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from helpers.hub_server import Fault, HubServer, hub_server, use_hub
from helpers.tiny_models import TEXTS, tiny_mt5, tiny_pickled_mt5
from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError, load
from lexlattice.encoding.base import Vectors
from lexlattice.encoding.convert import ORIGIN, convert
from lexlattice.encoding.mt5 import MT5
from lexlattice.encoding.unpickle import write_encoder_half
from lexlattice.errors import FetchError

ID = "google/mt5-base"
QUERY = "encoder.block.1.layer.0.SelfAttention.q.weight"


@pytest.fixture(scope="module")
def pickled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_pickled_mt5(tmp_path_factory.mktemp("pickled"))


@pytest.fixture
def copy(pickled: Path, tmp_path: Path) -> Path:
    """A model that a test may change."""
    return Path(shutil.copytree(pickled, tmp_path / "copy"))


@pytest.fixture
def hub(pickled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path / "lexlattice"))
    with hub_server() as server:
        server.add("models", ID, {path.name: path.read_bytes() for path in pickled.iterdir()})
        use_hub(server, monkeypatch, tmp_path / "hub")
        yield server


def vectors_of_the_pickle(folder: Path) -> Vectors:
    """The texts encoded by the whole pickled model, straight from Transformers."""
    from transformers import AutoTokenizer, MT5Config, MT5ForConditionalGeneration

    model = MT5ForConditionalGeneration(MT5Config.from_pretrained(folder)).eval()
    model.load_state_dict(torch.load(folder / "pytorch_model.bin", weights_only=True))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        states = [model.encoder(**tokenizer(text, return_tensors="pt")).last_hidden_state[0] for text in TEXTS]
        return np.stack([np.asarray(state.mean(dim=0).numpy(), np.float32) for state in states])


def weights_of(path: Path) -> dict[str, Tensor]:
    return dict(load_file(path))


@pytest.mark.slow
@pytest.mark.parametrize("legacy", [False, True])
def test_the_converted_model_equals_the_pickled_one(tmp_path: Path, legacy: bool) -> None:
    source = tiny_pickled_mt5(tmp_path / "source", legacy)
    folder = convert(source, tmp_path / "made")
    np.testing.assert_allclose(MT5(folder).encode(TEXTS), vectors_of_the_pickle(source), atol=1e-5)
    assert {path.suffix for path in folder.iterdir()} == {".json", ".model", ".safetensors"}
    assert {path.name for path in tmp_path.iterdir()} == {"source", "made"}


def test_the_model_of_the_hub_is_found_by_its_name_once_it_is_converted(
    hub: HubServer, pickled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EncodingError, match=f"lexlattice encoder convert {ID}"):
        load("mt5")
    assert main(["encoder", "convert", ID]) == 0
    assert "use it as mt5;" in capsys.readouterr().err
    for name in ("mt5", f"mt5:{ID}"):
        encoder = load(name)
        assert encoder.name == "mt5"
        np.testing.assert_allclose(encoder.encode(TEXTS), vectors_of_the_pickle(pickled), atol=1e-5)
    hub.received.clear()
    assert main(["encoder", "convert", ID]) == 0, "it is there already"
    assert hub.received == []
    (made,) = (path.parent for path in tmp_path.rglob(ORIGIN))
    assert json.loads((made / ORIGIN).read_bytes())["commit"] == hub.repositories[f"models/{ID}"].commit
    assert load(f"mt5:{made}").fingerprint == encoder.fingerprint
    assert all(name.startswith(("encoder.", "shared.")) for name in weights_of(made / "model.safetensors"))


@pytest.mark.slow
def test_safetensors_are_preferred_and_several_files_are_joined(hub: HubServer, tmp_path: Path) -> None:
    from transformers import MT5Config, MT5ForConditionalGeneration

    source = tiny_mt5(tmp_path / "source")
    model = MT5ForConditionalGeneration(MT5Config.from_pretrained(source))
    model.save_pretrained(source, max_shard_size="50KB")
    (source / "model.safetensors").unlink(missing_ok=True)
    shards = {path.name: path.read_bytes() for path in source.iterdir()}
    assert sum(name.endswith(".safetensors") for name in shards) > 1
    hub.add("models", "team/small", {**shards, "pytorch_model.bin": b"is not needed"})
    made = convert("team/small", tmp_path / "made")
    assert not any("pytorch" in path for path in hub.downloads())
    np.testing.assert_allclose(MT5(made).encode(TEXTS), MT5(source).encode(TEXTS), atol=1e-6)
    assert (made / "model.safetensors").stat().st_size < sum(map(len, shards.values()))


class _Code:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("is_archive", [True, False])
def test_a_pickle_with_code_is_refused_and_does_not_run(tmp_path: Path, is_archive: bool) -> None:
    content = {"encoder.x": _Code(tmp_path / "was run")}
    path = tmp_path / "pytorch_model.bin"
    if is_archive:
        torch.save(content, path)
    else:
        path.write_bytes(pickle.dumps(content))
    with pytest.raises(EncodingError):
        write_encoder_half([path], tmp_path / "made.safetensors")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("legacy", [False, True])
def test_the_encoder_half_is_kept_in_both_formats_of_pytorch(tmp_path: Path, pickled: Path, legacy: bool) -> None:
    weights = torch.load(pickled / "pytorch_model.bin", weights_only=True)
    if legacy:
        del weights["shared.weight"]  # the encoder has a copy
    torch.save(weights, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=not legacy)
    write_encoder_half([tmp_path / "pytorch_model.bin"], tmp_path / "made.safetensors")
    made = weights_of(tmp_path / "made.safetensors")
    assert torch.equal(made.pop("shared.weight"), weights["encoder.embed_tokens.weight"])
    half = {name for name in weights if name.startswith("encoder.")} - {"encoder.embed_tokens.weight"}
    assert made.keys() == half
    assert all(torch.equal(made[name], weights[name]) for name in half)


@pytest.mark.parametrize("damage", ["truncated", "nan", "no encoder", "no table", "no weights"])
def test_damaged_weights_are_refused(copy: Path, damage: str) -> None:
    path = copy / "pytorch_model.bin"
    weights = torch.load(path, weights_only=True)
    if damage == "nan":
        weights[QUERY][0, 0] = float("nan")
    elif damage == "no encoder":
        weights = {name: weight for name, weight in weights.items() if not name.startswith("encoder.")}
    elif damage == "no table":
        weights = {name: weight for name, weight in weights.items() if "shared" not in name and "embed" not in name}
    torch.save([1] if damage == "no weights" else weights, path)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(EncodingError):
        write_encoder_half([path], copy / "made.safetensors")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "config.json", "spiece.model"])
def test_missing_files_are_named(copy: Path, tmp_path: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(EncodingError, match=r"weights|config|tokenizer"):
        convert(copy, tmp_path / "made")


@pytest.mark.slow
@pytest.mark.parametrize("shape", [0, 5])
def test_weights_that_do_not_fit_the_configuration_are_refused(copy: Path, tmp_path: Path, shape: int) -> None:
    weights = torch.load(copy / "pytorch_model.bin", weights_only=True)
    weights[QUERY] = weights[QUERY][:shape]
    if not shape:
        del weights[QUERY]
    torch.save(weights, copy / "pytorch_model.bin")
    with pytest.raises(EncodingError, match=r"SelfAttention\.q"):
        convert(copy, tmp_path / "made")
    assert {path.name for path in tmp_path.iterdir()} == {"copy"}


def test_places_that_cannot_be_written_are_refused(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for source, folder in ((copy, copy), (copy, None), (copy, tmp_path / "file"), (copy, tmp_path / "file" / "made")):
        with pytest.raises(EncodingError):
            convert(source, folder)


def test_models_that_the_hub_does_not_have_or_sends_damaged_are_refused(hub: HubServer, tmp_path: Path) -> None:
    for name in ("no/such-model", f"{ID}@no-such-revision"):
        with pytest.raises(FetchError):
            convert(name, tmp_path / "made")
    hub.faults["pytorch_model.bin"] = Fault("change", times=2)
    with pytest.raises(FetchError):
        convert(ID, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_a_folder_that_is_not_there_is_no_model_of_the_hub(tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="folder"):
        convert(tmp_path / "nothing", tmp_path / "new")
