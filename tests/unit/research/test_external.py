from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")

from transformers.modeling_outputs import BaseModelOutput  # noqa: E402

from helpers.tiny_generators import tiny_generator, tiny_marian  # noqa: E402
from lexlattice import Act, read  # noqa: E402
from lexlattice.errors import OptionError, WeightsError  # noqa: E402
from lexlattice.research import external  # noqa: E402
from lexlattice.research.external import Local, Prompted, Seq2Seq, Translated, Translator, seq2seq  # noqa: E402
from lexlattice.research.external.models import (  # noqa: E402
    GAP,
    first_words,
    sentences,
    shortened,
    tokens_at_most,
    tokens_of,
)
from lexlattice.research.external.translation import translated  # noqa: E402
from lexlattice.research.llm import Endpoint, EndpointConfig, ReplyCache  # noqa: E402
from lexlattice.research.llm.cost_ledger import max_tokens_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
torch.set_num_threads(1)

KINDS = ["t5", "longt5", "led", "bart"]
TEXT = """Regulation (EU) 2024/9001 on beehives

Article 1

Keepers of beehives register each beehive with the competent authority within 30 days. Registration is free of charge.

Article 2

Der Halter meldet jeden Bienenstock der zuständigen Behörde."""
texts = st.text(st.sampled_from("ab .;\nЯé…"), max_size=60)


@pytest.fixture(scope="module")
def act() -> Act:
    return read(TEXT, language="en")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The folder of a tiny model of some kind, made once."""
    folder = tmp_path_factory.mktemp("models")

    def of(kind: str) -> str:
        path = folder / kind
        if not path.is_dir():
            tiny_marian(path) if kind == "marian" else tiny_generator(kind, path)
        return str(path)

    return of


# --- texts ------------------------------------------------------------------------------------------------


@given(texts, st.integers(-1, 20))
def test_first_words_are_at_most_the_requested_number(text: str, words: int) -> None:
    cut = first_words(text, words)
    assert cut.split() == text.split()[: max(0, words)]
    assert text.startswith(cut) or text.strip().startswith(cut)


@given(texts, st.integers(0, 40), st.sampled_from([len, tokens_at_most, lambda text: len(text.split())]))
def test_a_shortened_text_fits_and_has_both_ends(text: str, limit: int, count: Callable[[str], int]) -> None:
    short = shortened(text, limit, count)
    assert count(short) <= limit
    if short != text and short:
        head, tail = (part.split() for part in short.split(GAP, 1)) if GAP not in text else ([], [])
        words = text.split()
        assert words[: len(head)] == head
        assert words[len(words) - len(tail) :] == tail
        assert len(head) >= len(tail)


def test_as_much_is_kept_as_fits() -> None:
    words = [str(i) for i in range(1000)]
    assert len(shortened(" ".join(words), 500, lambda text: len(text.split())).split()) == 500


@given(texts)
def test_sentences_are_all_of_a_line(line: str) -> None:
    assert "".join("".join(sentences(line)).split()) == "".join(line.split())


# --- encoder-decoders -------------------------------------------------------------------------------------


@given(st.integers(1, 300), st.integers(1, 50), st.floats(0, 0.99))
def test_middles_of_windows_are_the_text(length: int, chunk: int, overlap: float) -> None:
    found = seq2seq.windows(length, chunk, overlap)
    assert [i for part in found for i in range(part.first, part.last)] == list(range(length))
    margin = min(int(chunk * overlap / 2), (chunk - 1) // 2)
    for part in found:
        assert part.end - part.start == min(chunk, length)
        assert part.start == 0 or part.first - part.start >= margin
        assert part.end == length or part.end - part.last >= margin


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["plain", "sled&chunk=16", "unlimiformer&chunk=16&k=3&beams=2"])
def test_encoder_decoders_respect_the_budget_and_are_deterministic(
    model: Callable[[str], str], act: Act, kind: str, method: str
) -> None:
    system = external.system(f"seq2seq:{model(kind)}?method={method}")
    said = system(act, 2)
    assert 0 < len(said.split()) <= 2
    assert system(act, 2) == said
    assert system(act, 0) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_one_window_is_the_plain_encoder(model: Callable[[str], str], kind: str) -> None:
    plain, sled = Seq2Seq(model(kind)), Seq2Seq(model(kind), method="sled", chunk=96)
    ids = plain.tokens(TEXT)[:80]
    assert torch.equal(plain.states(ids), sled.states(ids))


@pytest.mark.parametrize("kind", KINDS)
def test_sled_reads_to_the_end_and_plain_does_not(model: Callable[[str], str], kind: str) -> None:
    plain = Seq2Seq(model(kind), length=20)
    sled = Seq2Seq(model(kind), method="sled", chunk=16)
    other = TEXT.replace("Behörde", "30 days")
    assert len(plain.tokens(TEXT)) == 20
    assert plain.tokens(TEXT) == plain.tokens(other)
    states = sled.states(sled.tokens(TEXT))
    assert states.shape[1] == len(sled.tokens(TEXT)) > 40
    assert not torch.equal(states[:, -1], sled.states(sled.tokens(other))[:, -1])


@pytest.mark.parametrize("kind", KINDS)
def test_to_see_the_nearest_of_all_is_to_see_all(model: Callable[[str], str], kind: str) -> None:
    system = Seq2Seq(model(kind), method="sled", chunk=16)
    states = system.states(system.tokens(TEXT))
    full = _first_step(system, states)
    with seq2seq.nearest_only(system._model, states, 10_000):
        assert torch.allclose(_first_step(system, states), full, atol=1e-4)
    with seq2seq.nearest_only(system._model, states, 2):
        assert not torch.allclose(_first_step(system, states), full, atol=1e-2)
    assert torch.equal(_first_step(system, states), full)


def _first_step(system: Seq2Seq, states: Any) -> Any:
    with torch.inference_mode():
        start = torch.tensor([[system._model.config.decoder_start_token_id]])
        output = BaseModelOutput(last_hidden_state=states)
        return system._model(encoder_outputs=output, decoder_input_ids=start).logits


@pytest.mark.parametrize(("kind", "ends"), [("t5", "EncDecAttention"), ("led", "encoder_attn")])
def test_each_head_sees_the_states_that_answer_it_best(model: Callable[[str], str], kind: str, ends: str) -> None:
    """By hand: all scores of one head, the largest of them, and the softmax of those."""
    system = Seq2Seq(model(kind))
    part: Any = next(part for name, part in system._model.named_modules() if name.endswith(ends))
    states, asking = torch.randn(1, 30, 32), torch.randn(1, 1, 32)
    with torch.inference_mode(), seq2seq.nearest_only(system._model, states, 4):
        found = part(hidden_states=asking, key_value_states=states, past_key_values=None)[0]
    q, k, v, o = (getattr(part, name, None) or getattr(part, last) for name, last in _PROJECTIONS)
    with torch.inference_mode():
        query, keys, values = (
            layer(of)[0].view(-1, 4, 8).transpose(0, 1) for layer, of in ((q, asking), (k, states), (v, states))
        )
        scores = (query @ keys.transpose(1, 2)) * part.scaling
        least = scores.topk(4).values[..., -1:]
        weights = scores.masked_fill(scores < least, -torch.inf).softmax(dim=-1)
        assert torch.allclose(found, o((weights @ values).transpose(0, 1).reshape(1, 1, 32)), atol=1e-5)


_PROJECTIONS = [("q", "q_proj"), ("k", "k_proj"), ("v", "v_proj"), ("o", "out_proj")]


def test_a_longer_budget_gives_a_longer_summary(model: Callable[[str], str], act: Act) -> None:
    system = Seq2Seq(model("bart"), least=1.0)
    assert len(system(act, 2).split()) <= 2 < len(system(act, 6).split()) <= 6


# --- language models --------------------------------------------------------------------------------------


def test_prompts_contain_the_act_and_the_instructions(act: Act) -> None:
    system, prompt = Prompted(lambda system, prompt: "").prompts(act, 70)
    assert act.source in prompt
    assert "at most 70 words in English" in prompt
    assert "European Union" in system
    assert "in Spanish" in Prompted(lambda system, prompt: "", language="es").prompts(act, 70)[1]


@settings(max_examples=20)
@given(st.integers(400, 900))
def test_prompts_fit_into_the_context(context: int) -> None:
    act = read(TEXT + "\n\nThe end of it all is here." * 40, language="en")
    for count in (tokens_at_most, lambda text: len(text.split())):
        system, prompt = Prompted(lambda system, prompt: "", context=context, count=count).prompts(act, 70)
        assert count(system) + count(prompt) <= context


def test_an_act_beyond_the_context_keeps_both_ends(act: Act) -> None:
    long = replace(act, source=act.source + "\nPadding." * 3000 + "\nIt applies from 2026.")
    _, prompt = Prompted(lambda system, prompt: "", context=1000).prompts(long, 70)
    assert all(part in prompt for part in ("Regulation (EU) 2024/9001", GAP, "It applies from 2026."))
    with pytest.raises(OptionError):
        Prompted(lambda system, prompt: "", context=10)(act, 70)


def test_output_is_cut_and_the_chain_of_thought_is_removed(act: Act) -> None:
    system = Prompted(lambda system, prompt: "<think>Hm. A long act.</think>\n\nHives are registered. Bees stay free.")
    assert system(act, 4) == "Hives are registered. Bees"
    assert Prompted(lambda system, prompt: "<think>I will never end")(act, 4) == ""


def test_an_endpoint_can_be_used_like_a_function(act: Act) -> None:
    class Echo:
        def complete(self, system: str, prompt: str) -> Any:
            return SimpleNamespace(text=prompt)

        def estimate(self, requests: Any) -> Any:
            return None

    system = external.system("llm:echo", endpoint=lambda name: {"echo": Echo()}[name])
    assert system(act, 7) == first_words(Prompted(lambda system, prompt: "").prompts(act, 7)[1], 7)


def test_the_cost_of_an_endpoint_is_estimated(act: Act, tmp_path: Path) -> None:
    config = EndpointConfig("openai", "http://127.0.0.1:9", "m", price_in=1.0, price_out=2.0)
    with Endpoint(config, ReplyCache(tmp_path)) as endpoint:
        system = Prompted(endpoint)
        found = system.estimate([(act, 70), (act, 0)])
        assert found.requests == 1
        assert found.tokens_in == max_tokens_of(*system.prompts(act, 70))
        assert 70 < found.tokens_out < 70 * 8
        assert found.money == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e6)
    assert Prompted(lambda system, prompt: "").estimate([(act, 70)]) is None


def test_a_longer_extract_can_be_summarised_instead(act: Act) -> None:
    asked = []

    def extract(act: Act, words: int) -> str:
        asked.append(words)
        return act.units[-1].text

    system = external.system(
        "llm:somewhere?method=extract&times=2.5", endpoint=lambda name: lambda _, prompt: prompt, extract=extract
    )
    said = system(act, 100)
    assert asked == [250]
    assert "Bienenstock" in said
    assert "30 days" not in said
    with pytest.raises(OptionError):
        external.system("llm:somewhere?method=extract", endpoint=lambda name: lambda _, prompt: prompt)


def test_a_local_model_respects_the_budget_and_is_deterministic(model: Callable[[str], str], act: Act) -> None:
    system = external.system(f"local:{model('llama')}?tokens=24")
    said = system(act, 5)
    assert 0 < len(said.split()) <= 5
    assert system(act, 5) == said


def test_a_local_model_reads_prompts_as_its_template_has_them(model: Callable[[str], str]) -> None:
    local = Local(model("llama"), tokens=4)
    tokenizer = local._tokenizer
    assert (
        local._ids("Be brief.", "An act.")
        == tokenizer("<s>system: Be brief.</s><s>user: An act.</s><s>assistant:")["input_ids"]
    )
    tokenizer.chat_template = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('No') }}{% endif %}" + (
        tokenizer.chat_template
    )
    together = tokenizer("<s>user: Be brief.\n\nAn act.</s><s>assistant:")["input_ids"]
    assert local._ids("Be brief.", "An act.") == together


def test_prompts_name_all_languages(examples: Path) -> None:
    for path in sorted((examples / "short").glob("*.txt")):
        _, prompt = Prompted(lambda system, prompt: "").prompts(read(path), 70)
        assert f"in {path.stem}:" not in prompt


# --- translation ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator(model: Callable[[str], str]) -> Translator:
    return Translator(model("marian"))


def test_lines_are_translated_each_by_itself(translator: Translator) -> None:
    one, other = "Registration is free of charge.", "Free."
    both = translator(f"{one}\n\n{other}")
    assert both.split("\n") == [translator(one), "", translator(other)]
    assert translator("") == ""


@settings(max_examples=25)
@given(st.text(st.sampled_from("ab .É"), max_size=400))
def test_no_piece_is_longer_than_the_model_takes(line: str) -> None:
    translator = _TRANSLATORS[0]
    pieces = list(translator._pieces(line))
    assert all(len(tokens_of(translator._tokenizer, piece)) <= translator._limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(line.split())


_TRANSLATORS: list[Translator] = []


@pytest.fixture(autouse=True, scope="module")
def _shared(translator: Translator) -> None:
    _TRANSLATORS.append(translator)


def test_a_translated_act_is_the_same_act_in_other_words(translator: Translator, act: Act) -> None:
    other = translated(act, translator, "es")
    assert [unit.id for unit in other.units] == [unit.id for unit in act.units]
    assert [unit.text for unit in other.units] == [translator(unit.text) for unit in act.units]
    assert all(other.source[unit.start : unit.end] == unit.text for unit in other.units)
    assert all(unit.words == len(unit.text.split()) for unit in other.units)
    parts: list[Any] = [*other.units, *other.furniture]
    spans = sorted((part.start, part.end) for part in parts)
    outside = other.source
    for start, end in reversed(spans):
        outside = outside[:start] + outside[end:]
    assert not outside.strip()
    assert other.language == "es"


@pytest.mark.parametrize("order", ["first", "last"])
def test_translations_respect_the_budget_and_are_deterministic(translator: Translator, act: Act, order: str) -> None:
    system = Translated(translator, lambda act, words: act.source, order=order)
    said = system(act, 3)
    assert len(said.split()) == 3
    assert system(act, 3) == said
    assert len(system(act, 1000).split()) > 3


def test_any_system_can_be_translated_by_name(model: Callable[[str], str], translator: Translator, act: Act) -> None:
    name = f"translate:{model('marian')}?order=last&system="
    inner = f"seq2seq:{model('bart')}?method=sled&chunk=16"
    assert external.system(name + inner)(act, 8) == first_words(translator(external.system(inner)(act, 8)), 8)
    lead = external.system(f"{name}lead", other=lambda name: {"lead": lambda act, words: act.source}[name])
    assert lead(act, 8) == first_words(translator(first_words(act.source, 8)), 8)


# --- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bart:somewhere", "bart:somewhere"),
        ("seq2seq:", "seq2seq:"),
        ("seq2seq:somewhere?colour=red", "'colour'"),
        ("seq2seq:somewhere?chunk=many", "chunk=many"),
        ("seq2seq:somewhere?method=magic", "'magic'"),
        ("seq2seq:somewhere?chunk=0", "1"),
        ("seq2seq:somewhere?overlap=1", "overlap"),
        ("seq2seq:no/such/folder", "no/such/folder"),
        ("llm:somewhere", "llm:somewhere"),
        ("translate:somewhere?order=last", "translate:somewhere?order=last"),
    ],
)
def test_an_invalid_name_is_an_error_that_quotes_it(name: str, value: str) -> None:
    with pytest.raises((OptionError, WeightsError)) as error:
        external.system(name)
    assert value in str(error.value)


def test_chunks_beyond_the_model_are_refused(model: Callable[[str], str]) -> None:
    with pytest.raises(OptionError) as error:
        Seq2Seq(model("bart"), method="sled", chunk=97)
    assert "97" in str(error.value)


def test_a_model_without_all_its_weights_is_refused(model: Callable[[str], str], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for path in Path(model("t5")).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    del weights["decoder.block.0.layer.0.SelfAttention.q.weight"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(WeightsError) as error:
        Seq2Seq(str(tmp_path))
    assert "decoder.block.0.layer.0.SelfAttention.q.weight" in str(error.value)
