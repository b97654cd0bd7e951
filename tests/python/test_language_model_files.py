"""The example of a language model: files of other models and programs, and texts of other tokenizers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rushlight as rl
from example_modules import ROOT, modules
from rushlight import quantized

pytest.importorskip("tokenizers", reason="the package tokenizers is not installed (requirements-dev.txt)")


@pytest.fixture(scope="module")
def example() -> Iterator[SimpleNamespace]:
    with modules("language_model", ["llama", "hub", "train", "generate"]) as found:
        yield found


@pytest.fixture(scope="module")
def tokenizer(example: SimpleNamespace) -> Any:
    text = (ROOT / "docs" / "guide" / "saving.md").read_text(encoding="utf-8")
    return example.train.train_tokenizer([text], 320)


@pytest.fixture(scope="module")
def model(example: SimpleNamespace) -> Any:
    rl.manual_seed(0)
    return example.llama.Llama(example.llama.Config(320, 32, 32, 1, 4, 2, 64))


def test_files_of_an_earlier_model_are_removed(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path
) -> None:
    config = example.llama.Config(320, 32, 32, 1, 4, 2, 16)
    for shard_bytes in (8_000, None, 16_000):
        model = example.llama.Llama(config)
        example.hub.save_folder(model, tmp_path, tokenizer.to_str(), shard_bytes)
        weights = example.hub.load_folder(tmp_path)[1]
        assert all((weights[name] == x).all().item() for name, x in model.state_dict().items())
        assert len(weights) == len(model.state_dict())


def test_tables_of_angles_grow(example: SimpleNamespace) -> None:
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    rl.manual_seed(0)
    model = example.llama.Llama(example.llama.Config(20, **small, max_position_embeddings=1 << 31))
    assert model.model.cos.shape[0] == 4096
    with rl.no_grad():
        cos, sin = model.model.angles(5000, 5002)
    turns = np.arange(5000, 5002)[:, None] * 10000.0 ** (-np.arange(0, 8, 2) / 8)
    np.testing.assert_allclose(cos.numpy(), np.cos(turns), atol=1e-7)
    np.testing.assert_allclose(sin.numpy(), np.sin(turns), atol=1e-7)


def test_spaces_are_kept_where_a_decoder_strips_the_first(example: SimpleNamespace) -> None:
    from tokenizers import Tokenizer, decoders, models

    words = ["<unk>", "▁hello", "▁world", "▁a", "<0xE2>", "<0x82>", "<0xAC>"]
    tokenizer = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, [], byte_fallback=True))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    new = [2, 3, 4, 5, 6, 3]
    assert tokenizer.decode([1, *new]) == "hello world a€ a"
    parts = list(example.generate.texts(tokenizer, iter(new), [1]))
    assert "".join(parts) == " world a€ a"
    assert parts[:3] == [" world", " a", "€"]
    assert "".join(example.generate.texts(tokenizer, iter(new))) == "world a€ a"


def test_a_text_ends_at_each_of_several_ends(example: SimpleNamespace, model: Any) -> None:
    sampler = example.generate.Sampler()
    found = list(example.generate.generate(model, [5, 6], 12, sampler))
    keys = vars(model.config) | {"eos_token_id": [319, found[3]]}
    other = example.llama.Llama(example.llama.Config.from_keys(keys))
    other.load_state_dict(model.state_dict())
    assert list(example.generate.generate(other, [5, 6], 12, sampler)) == found[: found.index(found[3]) + 1]
    with pytest.raises(ValueError, match="a prompt of 64 tokens leaves no room in a context of 64"):
        next(example.generate.generate(model, [5] * 64, 1, sampler))


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("llama.rope.scaling.type", "linear", "rope.scaling.type = linear"),
        ("llama.attention.key_length", 16, "attention.key_length = 16"),
        ("tokenizer.ggml.pre", "llama-bpe", "tokenizer.ggml.pre = llama-bpe"),
        ("tokenizer.ggml.add_bos_token", True, "tokenizer.ggml.add_bos_token = True"),
    ],
)
def test_metadata_that_would_change_results_is_refused(
    example: SimpleNamespace,
    tokenizer: Any,
    model: Any,
    tmp_path: Path,
    key: str,
    value: Any,
    named: str,
) -> None:
    example.hub.save_gguf(model, tmp_path / "m.gguf", tokenizer.to_str())
    tensors, keys = quantized.load_gguf(tmp_path / "m.gguf")
    quantized.save_gguf(tensors, tmp_path / "other.gguf", keys | {key: value})
    with pytest.raises(ValueError, match=f"the Llama of this example has no {named}"):
        example.hub.load_gguf(tmp_path / "other.gguf")
