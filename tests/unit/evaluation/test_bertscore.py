from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
bert_score = pytest.importorskip("bert_score")

import transformers  # noqa: E402
from tokenizers import ByteLevelBPETokenizer  # noqa: E402

from helpers.tiny_models import LONG, TEXTS, _word_pieces  # noqa: E402
from lexlattice.errors import OptionError, WeightsError  # noqa: E402
from lexlattice.evaluation.metrics import bertscore  # noqa: E402
from lexlattice.evaluation.metrics.bertscore import BertScore  # noqa: E402

torch.set_num_threads(1)

LIMIT = 40
"""Tokens that the tiny models take, the two special ones included."""
SIZES = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
words = st.lists(st.sampled_from(" ".join(TEXTS).split()), min_size=1, max_size=40).map(" ".join)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("encoders")
    torch.manual_seed(0)
    pieces = _word_pieces()
    bert = transformers.BertConfig(vocab_size=pieces.get_vocab_size(), max_position_embeddings=LIMIT, **SIZES)
    transformers.BertModel(bert).save_pretrained(folder / "bert")
    transformers.BertTokenizerFast(tokenizer_object=pieces, model_max_length=LIMIT).save_pretrained(folder / "bert")

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learnt = ByteLevelBPETokenizer()
    learnt.train_from_iterator(TEXTS * 3, vocab_size=400, special_tokens=special, show_progress=False)
    (folder / "roberta").mkdir()
    learnt.save_model(str(folder / "roberta"))
    roberta = transformers.RobertaConfig(
        vocab_size=learnt.get_vocab_size(), max_position_embeddings=LIMIT + 2, type_vocab_size=1, **SIZES
    )
    transformers.RobertaModel(roberta).save_pretrained(folder / "roberta")
    transformers.RobertaTokenizer(
        *(str(folder / "roberta" / name) for name in ("vocab.json", "merges.txt")), model_max_length=LIMIT
    ).save_pretrained(folder / "roberta")
    return {kind: str(folder / kind) for kind in ("bert", "roberta")}


@pytest.fixture(scope="module")
def metric(models: dict[str, str]) -> BertScore:
    return BertScore(models["bert"], layers=2)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("layers", [1, 3])
def test_texts_of_one_chunk_score_as_in_the_package(models: dict[str, str], kind: str, layers: int) -> None:
    ours = BertScore(models[kind], layers)
    for candidate, reference in ((TEXTS[0], TEXTS[1]), (TEXTS[1], "Free of charge"), ("  beehive ", TEXTS[0])):
        theirs = bert_score.score([candidate], [reference], models[kind], layers, device="cpu")
        assert ours.score(candidate, reference) == pytest.approx([float(part) for part in theirs], abs=1e-6)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(words, words)
def test_a_text_is_like_itself_and_likeness_goes_both_ways(metric: BertScore, one: str, other: str) -> None:
    assert metric.score(one, one) == pytest.approx((1, 1, 1), abs=1e-5)
    there, back = metric.score(one, other), metric.score(other, one)
    assert (there.precision, there.recall) == pytest.approx((back.recall, back.precision), abs=1e-6)
    assert there.f1 == pytest.approx(back.f1, abs=1e-6)
    assert metric.score(one, other) == there


def test_text_beyond_the_first_chunk_counts(metric: BertScore, models: dict[str, str]) -> None:
    reference, candidate = LONG, TEXTS[0]
    other = f"{LONG} {' '.join(['Artykuł 5'] * 50)}"
    theirs = [bert_score.score([candidate], [text], models["bert"], 2, device="cpu")[1] for text in (reference, other)]
    assert theirs[0] == theirs[1]
    ours = [metric.score(candidate, text).recall for text in (reference, other)]
    assert abs(ours[0] - ours[1]) > 1e-3


def test_long_texts_are_matched_as_the_package_matches(metric: BertScore, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tokens with all, by the package's own function; and whatever the blocks are."""
    ours, theirs = metric._encoded(LONG), metric._encoded(" ".join(TEXTS[::-1] * 3))
    assert min(len(ours.counted), len(theirs.counted)) > 2 * LIMIT
    stats = [
        (part.vectors[None].clone(), torch.ones(1, len(part.counted)), part.counted.float()[None])
        for part in (theirs, ours)
    ]
    expected = [float(part) for part in bert_score.utils.greedy_cos_idf(*stats[0], *stats[1])]
    for rows in (7, 1024):
        monkeypatch.setattr(bertscore, "_ROWS_AT_ONCE", rows)
        assert metric.score(LONG, " ".join(TEXTS[::-1] * 3)) == pytest.approx(expected, abs=1e-6)


def test_chunks_are_all_of_a_text(metric: BertScore) -> None:
    tokens = metric._encoded(LONG)
    assert int(tokens.counted.sum()) == len(metric._ids(LONG, special=False))


@pytest.mark.parametrize(("candidate", "reference"), [("", TEXTS[0]), (TEXTS[0], " \n"), ("", "")])
def test_a_text_without_words_scores_nothing(metric: BertScore, candidate: str, reference: str) -> None:
    assert metric.score(candidate, reference) == (0, 0, 0)


def test_a_model_that_cannot_be_loaded_is_an_error(models: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        BertScore(models["bert"])
    with pytest.raises(WeightsError):
        BertScore("no/such/folder", 2)
    with pytest.raises(WeightsError):
        BertScore(models["bert"], 4)


def test_characters_that_are_no_text_do_no_harm(metric: BertScore) -> None:
    assert metric.score("bee \ud800 hive", TEXTS[0]).f1 > 0
