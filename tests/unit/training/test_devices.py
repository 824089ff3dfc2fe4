"""The device: which one is chosen, and that nothing in training and encoding stays on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from helpers import tiny_coverage, tiny_network
from helpers.acts import little_rows
from helpers.fake_gpu import DEVICE, OnGpu, fake_gpu
from lexlattice import evaluate, read
from lexlattice.apps.cli import main
from lexlattice.encoding import devices
from lexlattice.encoding.devices import choose_device
from lexlattice.encoding.torch_encoder import default_precision
from lexlattice.errors import OptionError
from lexlattice.research.coverage.training import TrainableCoverageModel
from lexlattice.training.config import PaperShape, read_config
from lexlattice.training.models.paper import TrainablePaperModel
from lexlattice.training.models.provisions import TrainableProvisionsModel
from lexlattice.training.parallel import ProcessGroup, backend_for
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Example
from lexlattice.training.schedule import EMA
from lexlattice.training.trainable import TrainableModel

Backend = Callable[..., None]


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Backend:
    """Makes PyTorch claim to have these devices."""

    def claim(*names: str, gpus: int = 1) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in names)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in names)

    return claim


# --- which one --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "chosen"), [(("cuda", "mps"), "cuda:0"), (("cuda",), "cuda:0"), (("mps",), "mps"), ((), "cpu")]
)
def test_auto_is_the_first_of_cuda_mps_and_cpu(backend: Backend, there: tuple[str, ...], chosen: str) -> None:
    backend(*there)
    assert str(choose_device()) == chosen
    assert str(choose_device("cpu")) == "cpu"


@pytest.mark.parametrize("name", ["cuda", "mps", "tpu", ""])
def test_a_device_that_is_not_there_is_refused_in_one_sentence(backend: Backend, name: str) -> None:
    backend()
    with pytest.raises(OptionError, match=r"^[^\n]+\.$"):
        choose_device(name)


def test_each_process_of_torchrun_has_its_own_gpu(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    backend("cuda", gpus=2)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert str(choose_device("cuda")) == "cuda:1"
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(OptionError, match="2"):
        choose_device("cuda")


@pytest.mark.parametrize(("kind", "has_bf16", "precision"), [("cuda", True, "bf16"), ("cuda", False, "fp16")])
def test_a_gpu_encodes_in_half_precision(
    monkeypatch: pytest.MonkeyPatch, kind: str, has_bf16: bool, precision: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: has_bf16)
    assert default_precision(torch.device(kind)) == precision
    assert default_precision(torch.device("cpu")) == "fp32"


@pytest.mark.parametrize(
    "command",
    [
        ["encode", "lines.txt", "-o", "vectors.npy", "--encoder", "mt5:folder"],
        ["train", "--config", "paper-static", "--data", "data.jsonl", "-o", "model"],
        ["experiment", "main", "--config", "main"],
    ],
)
def test_commands_refuse_a_device_that_is_not_there(
    command: list[str], backend: Backend, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any
) -> None:
    backend()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lines.txt").write_text("A line.\n")
    (tmp_path / "folder").mkdir()
    assert main([*command, "--device", "cuda"]) == 2
    assert not (tmp_path / "model").exists()
    assert capsys.readouterr().err.count("\n") == 1


# --- several GPUs -----------------------------------------------------------------------------------------


def test_gpus_of_nvidia_use_nccl_and_all_others_gloo(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [backend_for(torch.device(kind)) for kind in ("cuda", "mps", "cpu")] == ["nccl", "gloo", "gloo"]
    called: dict[str, Any] = {}
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: called.update(device=device))
    monkeypatch.setattr("torch.distributed.init_process_group", lambda name, **_: called.update(backend=name))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    ProcessGroup(1, 2, None).connect(torch.device("cuda", 1))  # type: ignore[arg-type]
    assert called == {"device": torch.device("cuda", 1), "backend": "nccl"}


def test_tensors_are_summed_where_the_backend_is(monkeypatch: pytest.MonkeyPatch) -> None:
    group = ProcessGroup(0, 2, None)  # type: ignore[arg-type]
    group._device, met = DEVICE, []

    def double(values: torch.Tensor) -> None:
        met.append(type(values))
        values.mul_(2)

    monkeypatch.setattr("torch.distributed.all_reduce", double)
    values = torch.arange(3.0)
    with fake_gpu():
        group.all_reduce(values)
    assert met == [OnGpu]
    assert values.tolist() == [0, 2, 4]


# --- nothing stays on the CPU -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    folder = tmp_path_factory.mktemp("prepared")
    return list(prepare([little_rows(2)], folder / "out", profile="paper"))


def paper(geometry: str, prepared: list[Example]) -> TrainablePaperModel:
    config = read_config("paper-static")
    assert isinstance(config.model, PaperShape)
    shape = replace(config.model, geometry=geometry, steps=0 if geometry == "none" else 2, language_embedding=True)
    return TrainablePaperModel(replace(config, model=shape), prepared)


def check(build: Callable[[], TrainableModel], examples: list[Example]) -> None:
    """Losses, rollouts and extracts on the fake GPU equal those on the CPU."""

    def results(model: TrainableModel) -> list[Any]:
        model.module.eval()
        torch.manual_seed(0)
        sampled = model.rollouts(examples[0], 3, torch.Generator().manual_seed(0))
        assert type(sampled.log_likelihoods) is torch.Tensor
        loss = model.loss(examples).item()
        return [loss, sampled.log_likelihoods.tolist(), sampled.texts, model.extract(examples[0], 40)]

    expected, on_gpu = results(build()), build()
    with fake_gpu(on_gpu.module):
        assert results(on_gpu) == expected


@pytest.mark.parametrize("geometry", ["grid", "line", "none"])
def test_the_papers_model_runs_on_its_device(geometry: str, prepared: list[Example]) -> None:
    check(lambda: paper(geometry, prepared), prepared)


def test_the_coverage_model_runs_on_its_device(tmp_path: Path) -> None:
    examples = list(tiny_coverage.little_examples(tmp_path, 2))
    config = tiny_coverage.little_config(tmp_path)
    check(lambda: tiny_coverage.stirred(TrainableCoverageModel(config, examples)), examples)
    model = TrainableCoverageModel(config, examples)
    with fake_gpu(model.module.train()):
        assert isinstance(model.loss(examples), OnGpu)  # with dropout


def test_the_provisions_model_runs_on_its_device(tmp_path: Path, examples: Path) -> None:
    acts = [tiny_network.example_of(read(examples / "short" / f"{code}.txt"), n) for n, code in enumerate(("en", "fr"))]
    config = tiny_network.small_config(tmp_path)
    check(lambda: tiny_network.stirred(TrainableProvisionsModel(config, acts)), acts)
    model = TrainableProvisionsModel(config, acts)
    with fake_gpu(model.module):
        assert isinstance(model.silver_loss(acts), OnGpu)


def test_an_average_of_weights_is_restored_where_the_weights_are() -> None:
    module = torch.nn.Linear(2, 2)
    ema = EMA(module, 0.5)
    state = {"steps": 3, "weights": {name: tensor.clone() for name, tensor in module.state_dict().items()}}
    with fake_gpu(module):
        on_gpu = EMA(module, 0.5)
        on_gpu.load_state_dict(state)
        assert all(isinstance(tensor, OnGpu) for tensor in on_gpu._weights.values())
    ema.load_state_dict(state)
    assert all(type(tensor) is torch.Tensor for tensor in ema._weights.values())


def test_seeds_and_states_of_the_cpu_are_those_of_pytorch() -> None:
    cpu = torch.device("cpu")
    with torch.random.fork_rng(devices=[]):
        devices.seed(cpu, 5)
        first = torch.rand(3)
        torch.manual_seed(5)
        assert torch.equal(first, torch.rand(3))
    assert devices.random_state(cpu) is None
    devices.set_random_state(cpu, None)


def test_scores_from_float16_vectors_agree_with_those_from_float32(prepared: list[Example]) -> None:
    model = paper("grid", prepared)
    generator = np.random.default_rng(0)
    exact = [
        replace(example, vectors=generator.normal(size=example.vectors.shape).astype(np.float32))
        for example in prepared
    ]
    stored = [replace(example, vectors=example.vectors.astype(np.float16).astype(np.float32)) for example in exact]
    model.module.eval()
    with torch.no_grad():
        scores, rounded = model.scores(exact), model.scores(stored)
    assert (scores - rounded).abs().max() < 1e-3 * scores.std()


def test_a_device_that_is_not_there_is_an_error_even_if_nothing_needs_it() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    row = {"reference": "Article 1\n1. Hives are registered.", "summary": "Hives are registered."}
    with pytest.raises(OptionError):
        evaluate([row], "lead", budget=4, device="cuda")
