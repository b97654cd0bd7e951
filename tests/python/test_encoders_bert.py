"""The example of a BERT: training, folders, and its uses.

Vectors and logits are compared with a forward pass in NumPy's float64, written here from the paper's
formulas, with candle-transformers' code, and with `transformers` where it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from scipy import special

import rushlight as rl
from encoder_models import IDS, LENGTHS, bert, check_candle_texts, compare, encoders, forward, save_bert
from example_modules import ROOT, close, run_example
from rushlight import quantized

pytest.importorskip("tokenizers", reason="the package tokenizers is not installed (requirements-dev.txt)")
DOCUMENTS = [ROOT / "docs" / "guide" / name for name in ("saving.md", "training.md", "gpus.md")]


@pytest.fixture(scope="module")
def example() -> Iterator[SimpleNamespace]:
    with encoders() as found:
        yield found


@pytest.fixture(scope="module")
def sections(example: SimpleNamespace) -> list[tuple[str, str]]:
    return example.train_bert.read_sections(DOCUMENTS)


@pytest.fixture(scope="module")
def tokenizer(example: SimpleNamespace, sections: list[tuple[str, str]]) -> Any:
    return example.wordpiece.train_tokenizer([text for section in sections for text in section], 320)


@pytest.fixture(scope="module")
def trained(
    example: SimpleNamespace, sections: list[tuple[str, str]], tokenizer: Any
) -> tuple[Any, list[float], list[float]]:
    """A small model, and the losses of both parts of its training.

    The trainer of tokenizers does not always find the same vocabulary, so results differ between runs.
    """
    rl.manual_seed(0)
    model = example.bert.Bert(
        example.bert.Config(320, 48, 1, 4, 96, max_position_embeddings=64, initializer_range=0.1)
    )
    coded = [
        tuple(tokenizer.encode(text, add_special_tokens=False).ids for text in pair) for pair in sections
    ]
    # Few of them, which the model soon knows by heart.
    text = rl.tensor([token for _, text in coded for token in text][:100])
    masked, pairs = example.train_bert.train(model, text, coded, 800, 200, 8, 48, lr=5e-3, report_every=0)
    return model, masked, pairs


def numpy_forward(config: Any, weights: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The last layer's vectors of the two texts and their logits in float64."""
    w = {name: x.astype(np.float64) for name, x in weights.items()}
    ids, seen = np.array(IDS), np.arange(9) < np.array(LENGTHS)[:, None]
    d = config.hidden_size // config.num_attention_heads

    def norm(x: np.ndarray, at: str) -> np.ndarray:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + config.layer_norm_eps)
        return x * w[f"{at}.LayerNorm.weight"] + w[f"{at}.LayerNorm.bias"]

    def dense(x: np.ndarray, at: str) -> np.ndarray:
        return x @ w[f"{at}.weight"].T + w[f"{at}.bias"]

    def activation(x: np.ndarray) -> np.ndarray:
        if config.hidden_act == "relu":
            return np.maximum(x, 0.0)
        if config.hidden_act == "gelu_new":
            return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))
        return x * special.ndtr(x)

    table = w["bert.embeddings.word_embeddings.weight"]
    x = table[ids] + w["bert.embeddings.position_embeddings.weight"][:9]
    x = norm(x + w["bert.embeddings.token_type_embeddings.weight"][0], "bert.embeddings")
    for i in range(config.num_hidden_layers):
        at = f"bert.encoder.layer.{i}"
        q, k, v = (
            dense(x, f"{at}.attention.self.{part}").reshape(2, 9, -1, d) for part in ("query", "key", "value")
        )
        scores = np.einsum("blhd,bmhd->bhlm", q, k) / np.sqrt(d)
        scores = np.where(seen[:, None, None, :], scores, -np.inf)
        y = np.einsum("bhlm,bmhd->blhd", special.softmax(scores, -1), v).reshape(x.shape)
        x = norm(dense(y, f"{at}.attention.output.dense") + x, f"{at}.attention.output")
        y = dense(activation(dense(x, f"{at}.intermediate.dense")), f"{at}.output.dense")
        x = norm(y + x, f"{at}.output")
    head = "cls.predictions"
    y = norm(activation(dense(x, f"{head}.transform.dense")), f"{head}.transform")
    return x, y @ table.T + w[f"{head}.bias"]


@pytest.mark.parametrize("act", ["gelu", "gelu_new", "relu"])
def test_saved_model_has_the_vectors_and_logits_of_numpy(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path, act: str
) -> None:
    model = bert(example, hidden_act=act, layer_norm_eps=1e-3)
    save_bert(example, model, tmp_path, tokenizer.to_str())
    expected = numpy_forward(model.config, load_file(tmp_path / "model.safetensors"))
    compare(forward(model), expected)
    loaded = example.hub.load(tmp_path)
    assert loaded.config == model.config
    compare(forward(loaded), expected)


def test_padding_changes_no_vector(example: SimpleNamespace) -> None:
    model = bert(example)
    hidden = forward(model)[0]
    with rl.no_grad():
        alone = model.bert(rl.tensor([IDS[1][:7]])).numpy()
        blind = model.bert(rl.tensor(IDS)).numpy()
    close(alone[0], hidden[1, :7])
    assert abs(blind[1, :7] - hidden[1, :7]).max() > 0.01


def test_files_of_hubs_have_other_names_and_several_files(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path
) -> None:
    """Old names of norms, a pooler, copies; shards; names without `bert.`, as a BertModel has."""
    model = bert(example)
    save_bert(example, model, tmp_path, tokenizer.to_str())
    file = tmp_path / "model.safetensors"
    weights = load_file(file)
    file.unlink()
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): x
        for name, x in weights.items()
    }
    extra = np.zeros((48, 48), np.float32)
    old |= {"bert.pooler.dense.weight": extra, "cls.seq_relationship.weight": extra}
    old["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"]
    names = sorted(old)
    shards = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for name, part in shards.items():
        save_file({key: old[key] for key in part}, tmp_path / name)
    places = {key: name for name, part in shards.items() for key in part}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    for found, expected in zip(forward(example.hub.load(tmp_path)), forward(model), strict=True):
        np.testing.assert_array_equal(found, expected)

    (tmp_path / "model.safetensors.index.json").unlink()
    plain = {name.removeprefix("bert."): x for name, x in weights.items() if name.startswith("bert.")} | {
        "pooler.dense.weight": extra
    }
    save_file(plain, file)
    loaded = example.hub.load(tmp_path)
    with rl.no_grad():
        hidden = loaded.bert(rl.tensor(IDS), rl.tensor(IDS) != 0)
    np.testing.assert_array_equal(hidden.numpy(), forward(model)[0])
    with pytest.raises(ValueError, match="this model has no head"):
        loaded.logits(hidden)


def test_saved_model_has_the_vectors_and_logits_of_transformers(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model = bert(example, vocab_size=320)
    save_bert(example, model, tmp_path, tokenizer.to_str())
    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path)
    ids = torch.tensor(IDS)
    with torch.no_grad():
        hidden = theirs.bert(ids, attention_mask=(ids != 0).long()).last_hidden_state
        compare(forward(model), (hidden.numpy(), theirs.cls(hidden).numpy()))
    # And the other way: their files, in several parts.
    theirs.save_pretrained(tmp_path / "theirs", max_shard_size="50KB")
    assert len(list((tmp_path / "theirs").glob("*.safetensors"))) > 1
    compare(forward(example.hub.load(tmp_path / "theirs")), forward(model))
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    assert fast("Tensors, [MASK]!").input_ids == tokenizer.encode("Tensors, [MASK]!").ids


def test_training_has_the_losses_of_transformers(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rl.manual_seed(1)
    config = example.bert.Config(320, 32, 2, 4, 64, max_position_embeddings=16)
    model, text = example.bert.Bert(config), rl.tensor([i * i % 300 + 5 for i in range(200)])
    save_bert(example, model, tmp_path, tokenizer.to_str())
    steps, batch, length, lr = 8, 4, 16, 5e-3
    ours = example.train_bert.train(
        model, text, [], steps, 0, batch // 2, 2 * length, lr, seed=4, report_every=0
    )[0]

    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path).train()
    groups = [
        {"params": [p for p in theirs.parameters() if (p.ndim == 2) == matrix], "weight_decay": decay}
        for matrix, decay in ((True, 0.01), (False, 0.0))
    ]
    optimizer, generator, losses = torch.optim.AdamW(groups, lr=lr), rl.Generator().manual_seed(4), []
    for step in range(steps):
        # A warmup of one step, and then a cosine from 1 to 0.05.
        share = max(0.0, (step - 1) / (steps - 1))
        for group in optimizer.param_groups:
            group["lr"] = lr * (0.05 + 0.95 * (1.0 + np.cos(np.pi * share)) / 2.0)
        at = rl.randint(0, 200 - length + 3, (batch, 1), generator=generator)
        ids = rl.concat([rl.full((batch, 1), 2), text[at + rl.arange(length - 2)], rl.full((batch, 1), 3)], 1)
        masked, places = example.train_bert.mask_tokens(ids, 320, generator, example.train_bert.SHARE)
        labels = torch.full((batch, length), -100)
        rows, chosen = np.arange(batch)[:, None], places.numpy()
        labels[rows, chosen] = torch.tensor(ids.numpy()[rows, chosen])
        loss = theirs(torch.tensor(masked.numpy()), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    np.testing.assert_allclose(ours, losses, rtol=2e-4)
    assert ours[-1] < 0.97 * ours[0]


def test_candle_transformers_computes_the_same(example: SimpleNamespace, tmp_path: Path) -> None:
    check_candle_texts(example, tmp_path, "cpu")


def test_losses_fall(trained: tuple[Any, list[float], list[float]]) -> None:
    _, masked, pairs = trained
    assert abs(masked[0] - np.log(320)) < 0.6  # all tokens are equally probable at first
    assert np.mean(masked[-5:]) < 0.4 * masked[0]
    assert pairs[-1] < 0.7 * pairs[0]


def test_masks_are_those_of_the_paper(example: SimpleNamespace) -> None:
    ids = rl.randint(5, 300, (500, 42), generator=rl.Generator().manual_seed(1))
    masked, places = example.train_bert.mask_tokens(ids, 300, rl.Generator().manual_seed(2))
    old, new, at = ids.numpy(), masked.numpy(), places.numpy()
    assert at.shape == (500, 6)  # 15 % of the 40 between the first and the last
    assert all(len(set(row)) == 6 for row in at.tolist())
    assert at.min() == 1
    assert at.max() == 40
    rows = np.arange(500)[:, None]
    untouched = np.ones(old.shape, bool)
    untouched[rows, at] = False
    np.testing.assert_array_equal(new[untouched], old[untouched])
    chosen, before = new[rows, at], old[rows, at]
    assert abs((chosen == 4).mean() - 0.8) < 0.03
    assert abs((chosen == before).mean() - 0.1) < 0.02
    other = chosen[(chosen != 4) & (chosen != before)]
    assert other.min() >= 5
    assert len(set(other.tolist())) > 100


def test_uses_find_what_was_learned(
    example: SimpleNamespace,
    sections: list[tuple[str, str]],
    tokenizer: Any,
    trained: tuple[Any, list[float], list[float]],
    tmp_path: Path,
) -> None:
    model, use = trained[0].eval(), example.use_bert
    save_bert(example, model, tmp_path, tokenizer.to_str())
    loaded, own = use.load(tmp_path)
    texts = [text for _, text in sections]
    vectors = use.embed(loaded, own, texts, batch=3).numpy()
    np.testing.assert_allclose((vectors * vectors).sum(1), 1.0, rtol=1e-5)
    alone = use.embed(loaded, own, texts, batch=1).numpy()
    np.testing.assert_allclose(vectors, alone, rtol=0, atol=1e-5)
    ranks = example.train_bert.ranks(
        model, [[own.encode(x, add_special_tokens=False).ids for x in s] for s in sections], 64
    )
    first = [use.search(loaded, own, heading, texts, 3)[0][0] for heading, _ in sections]
    assert np.mean(np.array(first) == np.arange(len(texts))) > 0.6
    assert [rank == 0 for rank in ranks] == [i == at for at, i in enumerate(first)]
    (i, cosine), (_, less), _ = use.search(loaded, own, "quantized", texts, 3)
    assert cosine >= less
    assert abs(cosine - float(use.embed(loaded, own, ["quantized"]).numpy()[0] @ vectors[i])) < 1e-5
    guesses = use.fill(loaded, own, "a [MASK] and [MASK]", 4)
    assert [len(row) for row in guesses] == [4, 4]
    for row in guesses:
        p = [p for _, p in row]
        assert p == sorted(p, reverse=True)
        assert 0.0 < sum(p) <= 1.0


@pytest.mark.parametrize("kind", ["F32", "Q8_0", "Q4_0", "Q6K"])
def test_gguf_file_has_the_vectors_of_its_numbers(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path, kind: str
) -> None:
    sizes = {"hidden_size": 256, "intermediate_size": 288, "num_hidden_layers": 1, "layer_norm_eps": 1e-3}
    model, path = bert(example, vocab_size=320, **sizes), tmp_path / "model.gguf"
    example.bert_gguf.save_gguf(model, path, tokenizer, kind)
    tensors, metadata = quantized.load_gguf(path)
    assert metadata["bert.attention.head_count"] == 4
    # 288 elements are not whole blocks of 256.
    for name, of_block in (("attn_q", kind), ("ffn_down", "F32" if kind.endswith("K") else kind)):
        x = tensors[f"blk.0.{name}.weight"]
        assert (x.dtype if isinstance(x, quantized.QTensor) else "F32") == of_block
    if kind == "F32":
        layer = model.bert.encoder.layer[0]
        for name, module in (
            ("attn_q", layer.attention.self.query),
            ("attn_k", layer.attention.self.key),
            ("attn_output_norm", layer.attention.output.LayerNorm),
            ("layer_output_norm", layer.output.LayerNorm),
        ):
            np.testing.assert_array_equal(
                tensors[f"blk.0.{name}.weight"].numpy(), module.weight.detach().numpy()
            )
    numbers = {
        example.bert_gguf.hub_name(name): x.dequantize() if isinstance(x, quantized.QTensor) else x
        for name, x in tensors.items()
    }
    weights = {name: x.numpy() for name, x in model.state_dict().items() if name.startswith("cls.")}
    expected = numpy_forward(model.config, weights | {name: x.numpy() for name, x in numbers.items()})[0]
    loaded, again = example.use_bert.load(path)
    layer = loaded.bert.encoder.layer[0].intermediate.dense
    assert isinstance(layer, rl.nn.QuantizedLinear) == (kind != "F32")
    with rl.no_grad():
        found = loaded.bert(rl.tensor(IDS), rl.tensor(IDS) != 0).numpy()
    compare((found,), (expected,))
    # And the error of the quantization itself, for weights that are random numbers.
    least, most = {"Q8_0": (0.002, 0.03), "Q6K": (0.004, 0.1), "Q4_0": (0.05, 0.4)}.get(kind, (0.0, 4e-6))
    before = forward(model)[0][0]
    assert least <= np.linalg.norm(before - expected[0]) / np.linalg.norm(expected[0]) <= most
    for text in ("Tensors, [MASK]! été", "quantized\n files"):
        assert again.encode(text).ids == tokenizer.encode(text).ids
    with pytest.raises(ValueError, match="a GGUF file of a BERT means gelu, and the model has relu"):
        example.bert_gguf.save_gguf(bert(example, hidden_act="relu"), path, tokenizer)


def test_gguf_file_has_the_names_of_llama_cpp(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path
) -> None:
    gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
    model, path = bert(example, vocab_size=320), tmp_path / "m.gguf"
    example.bert_gguf.save_gguf(model, path, tokenizer, "F32")
    reader, names = gguf.GGUFReader(path), gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, 2)
    wanted = {
        names.get_name(name.removeprefix("bert."), (".weight", ".bias")): x.numpy()
        for name, x in model.state_dict().items()
        if name.startswith("bert.")
    }
    assert {t.name for t in reader.tensors} == wanted.keys()
    for t in reader.tensors:
        np.testing.assert_array_equal(t.data, wanted[t.name])
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    assert tokens[:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert len(tokens) == 320


def test_errors_say_what_does_not_fit(example: SimpleNamespace, tokenizer: Any, tmp_path: Path) -> None:
    model = bert(example)
    with pytest.raises(ValueError, match="does not have is_decoder True, hidden_act 'mish'"):
        example.bert.Config.from_keys(model.config.keys() | {"is_decoder": True, "hidden_act": "mish"})
    with pytest.raises(ValueError, match="25 tokens, and the model has 24 positions"):
        model(rl.zeros((1, 25), dtype=rl.int64))
    save_bert(example, model, tmp_path, tokenizer.to_str())
    (tmp_path / "config.json").write_text(json.dumps(model.config.keys() | {"vocab_size": 161}))
    with pytest.raises(ValueError, match=r"bias is \(160,\), the model's \(161,\)"):
        example.hub.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "roberta"}))
    with pytest.raises(ValueError, match=r"expected a model of the type bert or vit.*got 'roberta'"):
        example.hub.load(tmp_path)


def test_programs_run(tmp_path: Path) -> None:
    out = tmp_path / "bert"
    sizes = "--vocab 300 --width 32 --layers 1 --context 32 --length 24 --batch 8 --steps 12 --pair-steps 3"
    done = run_example("encoders", "train_bert.py", *map(str, DOCUMENTS), "--out", str(out), *sizes.split())
    assert "step    12  losses of masked tokens and pairs" in done.stdout
    names = ["config.json", "model-Q8_0.gguf", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
    assert sorted(file.name for file in out.iterdir()) == names
    assert json.loads((out / "config.json").read_text())["model_type"] == "bert"
    done = run_example("encoders", "use_bert.py", str(out), "fill", "A [MASK] is [MASK].", "--count", "3")
    assert [line.count("%") for line in done.stdout.splitlines()] == [3, 3]
    texts = ["--texts", *map(str, DOCUMENTS), "--dtype", "bfloat16"]
    done = run_example("encoders", "use_bert.py", str(out), "search", "saving", *texts)
    assert len(done.stdout.splitlines()) == 5
    file = str(out / "model-Q8_0.gguf")
    done = run_example("encoders", "use_bert.py", file, "search", "saving", *texts[:-2])
    assert len(done.stdout.splitlines()) == 5
