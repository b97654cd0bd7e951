"""The example of a language model: training, files, generation and quantized weights.

Logits are compared with a forward pass in NumPy's float64, written here from the papers' formulas, and with
`transformers` where it is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import rushlight as rl
from example_modules import ROOT, modules, run_example
from rushlight import quantized

pytest.importorskip("tokenizers", reason="the package tokenizers is not installed (requirements-dev.txt)")
Weights = dict[str, np.ndarray]
IDS = [[5, 7, 100, 120, 2, 9, 11, 140, 33], [1, 2, 3, 4, 5, 6, 7, 8, 9]]


@pytest.fixture(scope="module")
def example() -> Iterator[SimpleNamespace]:
    with modules("language_model", ["llama", "hub", "train", "generate"]) as found:
        yield found


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """A document of the project, and characters of several bytes."""
    return [(ROOT / "docs" / "guide" / "saving.md").read_text(encoding="utf-8"), "äöü €"]


@pytest.fixture(scope="module")
def tokenizer(example: SimpleNamespace, texts: list[str]) -> Any:
    return example.train.train_tokenizer(texts, 320)


@pytest.fixture(scope="module")
def trained(example: SimpleNamespace, texts: list[str], tokenizer: Any) -> tuple[Any, list[float]]:
    """A small model, and the losses of its training."""
    rl.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "rms_norm_eps": 1e-6}
    model = example.llama.Llama(
        example.llama.Config(320, **sizes, max_position_embeddings=64, rope_theta=500.0)
    )
    # Few of them, which the model soon knows by heart.
    tokens = rl.tensor(tokenizer.encode(texts[0]).ids[:300])
    return model, example.train.train(model, tokens, 120, batch=8, length=32, lr=1e-2, report_every=0)


def untrained(example: SimpleNamespace, **sizes: Any) -> Any:
    rl.manual_seed(3)
    model = example.llama.Llama(example.llama.Config(**sizes))
    with rl.no_grad():
        for p in model.parameters():
            # Norms that differ from 1, and weights that keep the size of what they multiply.
            p.copy_(1.0 + 0.2 * rl.randn(p.shape) if p.ndim == 1 else p.shape[1] ** -0.5 * rl.randn(p.shape))
    return model


def numpy_logits(config: Any, ids: Any, weights: Callable[[str], np.ndarray], pairs: str) -> np.ndarray:
    """The logits of `ids` in float64; pairs of the rotary embedding are "halves" or "neighbours"."""
    ids = np.asarray(ids)
    heads, kv = config.num_attention_heads, config.num_key_value_heads
    d, length = config.hidden_size // heads, ids.shape[1]
    angle = np.arange(length)[:, None] * config.rope_theta ** (-np.arange(0, d, 2) / d)
    turn = np.exp(1j * angle)[None, :, None, :]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + config.rms_norm_eps) * weights(name)

    def rotated(x: np.ndarray) -> np.ndarray:
        if pairs == "halves":
            z = (x[..., : d // 2] + 1j * x[..., d // 2 :]) * turn
            return np.concatenate([z.real, z.imag], -1)
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
        return np.stack([z.real, z.imag], -1).reshape(x.shape)

    table = weights("model.embed_tokens.weight")
    x = table[ids]
    for i in range(config.num_hidden_layers):
        at = f"model.layers.{i}"
        h = norm(x, f"{at}.input_layernorm.weight")
        q, k, v = (
            (h @ weights(f"{at}.self_attn.{p}_proj.weight").T).reshape(*ids.shape, -1, d) for p in "qkv"
        )
        k, v = (np.repeat(t, heads // kv, axis=2) for t in (rotated(k), v))
        scores = np.einsum("blhd,bmhd->bhlm", rotated(q), k) / np.sqrt(d)
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        y = np.einsum("bhlm,bmhd->blhd", p, v).reshape(*ids.shape, -1)
        x = x + y @ weights(f"{at}.self_attn.o_proj.weight").T
        h = norm(x, f"{at}.post_attention_layernorm.weight")
        gate, up, down = (weights(f"{at}.mlp.{p}_proj.weight") for p in ("gate", "up", "down"))
        g = h @ gate.T
        x = x + (g / (1.0 + np.exp(-g)) * (h @ up.T)) @ down.T
    x = norm(x, "model.norm.weight")
    return x @ (table if config.tie_word_embeddings else weights("lm_head.weight")).T


def logits(model: Any, ids: Any) -> np.ndarray:
    with rl.no_grad():
        return model(rl.tensor(ids).to(model.model.cos.device)).cpu().numpy()


def close(found: np.ndarray, expected: np.ndarray) -> None:
    """Errors are those of float32: at most 4e-6 of the greatest logit (seen: 8e-7)."""
    assert found.dtype == np.float32
    assert abs(expected).max() > 0.5
    assert abs(found - expected).max() <= 4e-6 * abs(expected).max()


def test_loss_falls(trained: tuple[Any, list[float]]) -> None:
    losses = trained[1]
    assert abs(losses[0] - np.log(320)) < 0.3  # all tokens are equally probable at first
    assert np.mean(losses[-5:]) < 0.4 * losses[0]


@pytest.mark.parametrize("shard_bytes", [None, 50_000])
@pytest.mark.parametrize("tied", [True, False])
def test_saved_model_has_the_logits_of_numpy(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path, tied: bool, shard_bytes: int | None
) -> None:
    sizes = {"hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2, "num_attention_heads": 6}
    model = untrained(
        example, vocab_size=160, **sizes, rms_norm_eps=1e-3, rope_theta=50.0, tie_word_embeddings=tied
    )
    example.hub.save_folder(model, tmp_path, tokenizer.to_str(), shard_bytes)
    files = sorted(tmp_path.glob("*.safetensors"))
    assert len(files) == 1 if shard_bytes is None else len(files) > 2
    weights: Weights = {}
    for file in files:
        weights |= load_file(file)
    assert ("lm_head.weight" in weights) == (not tied)
    expected = numpy_logits(model.config, IDS, lambda name: weights[name].astype(np.float64), "halves")
    close(logits(model, IDS), expected)
    config, tensors, _ = example.hub.load_folder(tmp_path)
    assert config == model.config
    close(logits(example.hub.build(config, tensors), IDS), expected)


def test_saved_model_has_the_logits_of_transformers(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model = trained[0]
    example.hub.save_folder(model, tmp_path, tokenizer.to_str(), 100_000)
    theirs = transformers.LlamaForCausalLM.from_pretrained(tmp_path)
    with torch.no_grad():
        close(logits(model, IDS), theirs(torch.tensor(IDS)).logits.numpy())
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    assert fast("A tensor €").input_ids == tokenizer.encode("A tensor €").ids


@pytest.mark.parametrize("kind", ["F32", "Q8_0", "Q4_0", "Q4K", "Q6K"])
@pytest.mark.parametrize("tied", [True, False])
def test_gguf_file_has_the_logits_of_its_numbers(
    example: SimpleNamespace, tokenizer: Any, tmp_path: Path, kind: str, tied: bool
) -> None:
    sizes = {"hidden_size": 256, "intermediate_size": 288, "num_hidden_layers": 1, "vocab_size": 320}
    model = untrained(example, **sizes, tie_word_embeddings=tied)
    path = tmp_path / "model.gguf"
    example.hub.save_gguf(model, path, tokenizer.to_str(), kind)
    tensors, metadata = quantized.load_gguf(path)
    assert metadata["llama.attention.head_count_kv"] == 2
    if kind != "F32":
        assert tensors["blk.0.attn_q.weight"].dtype == kind
        # 288 elements are not whole blocks of 256.
        assert tensors["blk.0.ffn_down.weight"].dtype == ("Q8_0" if kind.endswith("K") else kind)
    hub_names = example.hub.gguf_names(model.config)
    numbers = {
        hub_names[name]: (x.dequantize() if isinstance(x, quantized.QTensor) else x)
        .numpy()
        .astype(np.float64)
        for name, x in tensors.items()
    }
    expected = numpy_logits(model.config, IDS, numbers.__getitem__, "neighbours")
    config, weights, _ = example.hub.load_gguf(path)
    loaded = example.hub.build(config, weights)
    layer = loaded.model.layers[0].mlp.down_proj
    assert isinstance(layer, rl.nn.QuantizedLinear) == (kind != "F32")
    close(logits(loaded, IDS), expected)
    # And the error of the quantization itself, for weights that are random numbers.
    least, most = {"Q8_0": (0.002, 0.03), "Q6K": (0.01, 0.1), "Q4K": (0.05, 0.4), "Q4_0": (0.05, 0.4)}.get(
        kind, (0.0, 4e-6)
    )
    error = np.linalg.norm(logits(model, IDS) - expected) / np.linalg.norm(expected)
    assert least <= error <= most


def test_gguf_file_has_what_other_readers_expect(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")
    path = tmp_path / "model.gguf"
    example.hub.save_gguf(trained[0], path, tokenizer.to_str(), "Q4_0")
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    assert tokens == [tokenizer.id_to_token(i) for i in range(len(tokens))]
    assert fields["llama.embedding_length"].contents() == 64
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    for name in trained[0].state_dict():
        assert names.get_name(name, (".weight",)) in {t.name for t in gguf.GGUFReader(path).tensors}


def test_gguf_file_has_the_logits_of_transformers(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for name in ("gguf", "accelerate"):
        pytest.importorskip(name, reason=f"transformers reads GGUF files with the package {name}")
    example.hub.save_gguf(trained[0], tmp_path / "m.gguf", tokenizer.to_str(), "Q4_0")
    theirs = transformers.LlamaForCausalLM.from_pretrained(tmp_path, gguf_file="m.gguf")
    config, weights, _ = example.hub.load_gguf(tmp_path / "m.gguf")
    with torch.no_grad():
        close(logits(example.hub.build(config, weights), IDS), theirs(torch.tensor(IDS)).logits.numpy())


def test_training_has_the_losses_of_torch(
    example: SimpleNamespace, tokenizer: Any, texts: list[str], tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    steps, batch, length, lr = 12, 4, 16, 1e-2
    config = example.llama.Config(320, 64, 96, 2, max_position_embeddings=32)
    model = example.llama.Llama(config)
    example.hub.save_folder(model, tmp_path, tokenizer.to_str())
    tokens = tokenizer.encode(texts[0]).ids[:500]
    ours = example.train.train(model, rl.tensor(tokens), steps, batch, length, lr, seed=4, report_every=0)

    theirs = transformers.LlamaForCausalLM.from_pretrained(tmp_path).train()
    groups = [
        {"params": [p for p in theirs.parameters() if (p.ndim == 2) == matrix], "weight_decay": decay}
        for matrix, decay in ((True, 0.1), (False, 0.0))
    ]
    optimizer = torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))
    generator = rl.Generator().manual_seed(4)
    losses = []
    for step in range(steps):
        # A warmup of one step, and then a cosine from 1 to 0.1.
        share = max(0.0, (step - 1) / (steps - 1))
        for group in optimizer.param_groups:
            group["lr"] = lr * (0.1 + 0.9 * (1.0 + np.cos(np.pi * share)) / 2.0)
        at = rl.randint(0, len(tokens) - length, (batch, 1), generator=generator).tolist()
        pieces = torch.tensor([tokens[i : i + length + 1] for (i,) in at])
        logits = theirs(pieces[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, 320), pieces[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    np.testing.assert_allclose(ours, losses, rtol=2e-4)
    assert ours[-1] < 0.9 * ours[0]


CANDLE = ROOT / "target" / "release" / "candle-generate"
needs_candle = pytest.mark.skipif(
    not CANDLE.exists(), reason="`cargo xtask candle-ecosystem` builds the program"
)
GREEDY = ["--temperature", "0", "--repeat-penalty", "1"]


def candle(path: Path, *arguments: str) -> tuple[str, str]:
    """Run `examples/candle/generate.rs`; return its output and its messages.

    Its products by blocks round the other factor to 8 bits by default, those of the Python module do not.
    """
    command = [str(CANDLE), str(path), *arguments]
    env = {**os.environ, "RUSHLIGHT_ACTIVATIONS": "float32"}
    done = subprocess.run(command, capture_output=True, timeout=300, env=env, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def candle_tokens(path: Path, prompt: list[int], *arguments: str) -> tuple[np.ndarray, list[int]]:
    """The logits that follow a prompt, and the tokens that are drawn."""
    found = candle(path, "--tokens", ",".join(map(str, prompt)), *arguments)[0]
    lines = dict(line.split(" ", 1) for line in found.splitlines())
    return np.array(lines["logits"].split(), np.float32), [int(token) for token in lines["tokens"].split()]


@needs_candle
@pytest.mark.parametrize("device", ["cpu", "rocm:0"])
def test_candle_transformers_computes_the_same(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path, device: str
) -> None:
    """The same files, by candle's code on Rushlight. It computes the rotary embedding's angles in float32."""
    if device != "cpu" and not rl.rocm.is_available():
        pytest.skip("no AMD GPU here; make test runs these on the virtual one")
    folder, prompt, count = tmp_path / "model", [4, 9, 2, 30], 12 if device == "cpu" else 4
    example.hub.save_folder(trained[0], folder, tokenizer.to_str(), 100_000)
    for kind in ("Q8_0", "Q4_0"):
        example.hub.save_gguf(trained[0], tmp_path / f"{kind}.gguf", tokenizer.to_str(), kind)
    options = ["-n", str(count), "--device", device]
    for path in (folder, tmp_path / "Q8_0.gguf", tmp_path / "Q4_0.gguf"):
        theirs, drawn = candle_tokens(path, prompt, *GREEDY, *options)
        model, _ = example.generate.load(path, device)
        ours = logits(model, [prompt])[0, -1]
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=2e-5 * abs(ours).max())
        tokens = list(example.generate.generate(model, prompt, count, example.generate.Sampler()))
        assert drawn == tokens
    flash, drawn_flash = candle_tokens(folder, prompt, *GREEDY, *options, "--use-flash-attn")
    whole, drawn = candle_tokens(folder, prompt, *GREEDY, *options)
    np.testing.assert_allclose(flash, whole, rtol=0, atol=2e-5 * abs(whole).max())
    assert drawn_flash == drawn


@needs_candle
@pytest.mark.parametrize("kind", ["mistral", "qwen2"])
def test_candle_transformers_computes_other_kinds_of_models(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path, kind: str
) -> None:
    """With these keys and tensors they are the Llama model: no window, and biases of 0."""
    example.hub.save_folder(trained[0], tmp_path, tokenizer.to_str())
    expected, drawn = candle_tokens(tmp_path, [4, 9, 2, 30], *GREEDY, "-n", "12")
    keys = json.loads((tmp_path / "config.json").read_text()) | {"model_type": kind}
    weights: Weights = load_file(tmp_path / "model.safetensors")
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    if kind == "mistral":
        keys |= {"sliding_window": None}
    else:
        keys |= {"sliding_window": 8, "max_window_layers": 0, "use_sliding_window": False}
        for name in list(weights):
            if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
                bias = np.zeros(weights[name].shape[0], np.float32)
                weights[name.replace("weight", "bias")] = bias
    (tmp_path / "config.json").write_text(json.dumps(keys))
    rl.save_file({name: rl.tensor(x) for name, x in weights.items()}, tmp_path / "model.safetensors")
    found, tokens = candle_tokens(tmp_path, [4, 9, 2, 30], *GREEDY, "-n", "12")
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * abs(expected).max())
    assert tokens == drawn
    assert len(set(tokens)) > 3


@needs_candle
def test_candle_program_prints_the_text_of_the_python_one(example: SimpleNamespace, tmp_path: Path) -> None:
    text = "Größe über Maß: 5 €, 日本語 ✓ und naïve Übungen. "
    tokenizer = example.train.train_tokenizer([text], 270)
    rl.manual_seed(0)
    model = example.llama.Llama(example.llama.Config(270, 64, 96, 2, max_position_embeddings=256))
    ids = tokenizer.encode(text * 20).ids
    example.train.train(model, rl.tensor(ids), 120, batch=8, length=64, lr=1e-2, report_every=0)
    example.hub.save_folder(model, tmp_path, tokenizer.to_str())
    prompt = ["--prompt", "Größe ü"]
    program = [
        "language_model",
        "generate.py",
        str(tmp_path),
        *prompt,
        "--temperature",
        "0",
        "--penalty",
        "1",
    ]
    # A count of tokens may end within a character.
    for count in ("60", "61", "62"):
        expected = run_example(*program, "--count", count).stdout
        assert candle(tmp_path, *prompt, *GREEDY, "-n", count)[0] == expected
    assert "日本語" in expected
    # Characters come whole, although their bytes are several tokens.
    command = [str(CANDLE), str(tmp_path), *prompt, *GREEDY, "-n", "60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as running:
        out = running.stdout
        assert out is not None
        parts = list(iter(lambda: out.read(1 << 16), b""))
    assert len("".join(part.decode() for part in parts)) > 40
    messages = candle(tmp_path, *prompt, *GREEDY, "-n", "60")[1]
    assert "loading model.safetensors" in messages
    assert "tokens/s" in messages


@needs_candle
def test_candle_program_draws_by_its_options(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    example.hub.save_folder(trained[0], tmp_path, tokenizer.to_str())

    def drawn(*options: str, penalty: str = "1") -> list[int]:
        fixed = ["-n", "20", "--repeat-penalty", penalty]
        return candle_tokens(tmp_path, [4, 9, 2, 30], *fixed, *options)[1]

    greedy = drawn("--temperature", "0")
    hot = ["--temperature", "1.5"]
    assert drawn(*hot, "--seed", "1") == drawn(*hot, "--seed", "1")
    assert drawn(*hot, "--seed", "1") != drawn(*hot, "--seed", "2")
    assert drawn(*hot, "--top-k", "1") == drawn(*hot, "--top-p", "0.0001") == greedy
    # A penalty that no logit survives: each token is drawn once.
    once = drawn("--temperature", "0", penalty="1000")
    assert len(set(once)) == len(once) > len(set(greedy))
    wrong = [str(CANDLE), str(tmp_path), "--device", "metal"]
    done = subprocess.run(wrong, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "cpu, rocm:0 or cuda:0" in done.stderr


def test_tokenizer_of_a_gguf_file_is_that_of_the_folder(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    from tokenizers import Tokenizer

    example.hub.save_gguf(trained[0], tmp_path / "m.gguf", tokenizer.to_str())
    again = Tokenizer.from_str(example.hub.load_gguf(tmp_path / "m.gguf")[2])
    for text in ("A tensor, and 3 more: äöü €\n  x", "one<|endoftext|>two"):
        assert again.encode(text).ids == tokenizer.encode(text).ids
        assert again.decode(again.encode(text).ids) == text.replace("<|endoftext|>", "")


def test_generation_with_a_cache_is_that_without(
    example: SimpleNamespace, trained: tuple[Any, list[float]]
) -> None:
    model, generate = trained[0], example.generate
    for settings in ({}, {"temperature": 1.0, "top_k": 30, "seed": 5}):
        found = [
            list(generate.generate(model, [4, 9, 2], 30, generate.Sampler(**settings), use_cache))
            for use_cache in (True, False)
        ]
        assert found[0] == found[1]
        assert len(found[0]) > 5
        assert len(set(found[0])) > 3


def test_cache_takes_a_prompt_in_parts(example: SimpleNamespace, trained: tuple[Any, list[float]]) -> None:
    model = trained[0]
    whole = logits(model, IDS)
    cache = example.llama.Cache(model, 2, 9)
    with rl.no_grad():
        parts = [model(rl.tensor(IDS)[:, a:b], cache).numpy() for a, b in ((0, 3), (3, 7), (7, 8), (8, 9))]
    assert cache.length == 9
    np.testing.assert_allclose(np.concatenate(parts, 1), whole, rtol=0, atol=4e-6 * abs(whole).max())


def test_generation_ends_with_the_text_or_the_room(
    example: SimpleNamespace, trained: tuple[Any, list[float]]
) -> None:
    model, generate = trained[0], example.generate
    assert len(list(generate.generate(model, [4] * 60, 30, generate.Sampler()))) == 4
    first = next(generate.generate(model, [4, 9], 1, generate.Sampler()))
    ended = example.llama.Llama(example.llama.Config(**vars(model.config) | {"eos_token_id": first}))
    ended.load_state_dict(model.state_dict())
    assert list(generate.generate(ended, [4, 9], 30, generate.Sampler())) == [first]


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "penalty"),
    [(0.7, 0, 1.0, 1.0), (1.0, 5, 1.0, 1.0), (1.3, 0, 0.6, 1.0), (0.9, 7, 0.8, 1.5)],
)
def test_probabilities_of_the_sampler(
    example: SimpleNamespace, temperature: float, top_k: int, top_p: float, penalty: float
) -> None:
    raw = np.random.default_rng(2).normal(size=40).astype(np.float32)
    seen = [3, 3, 17, int(raw.argmax())]
    z = raw.astype(np.float64)
    for i in set(seen):
        z[i] = z[i] / penalty if z[i] > 0 else z[i] * penalty
    p = np.exp(z / temperature)
    p /= p.sum()
    kept, total = [], 0.0
    for i in np.argsort(-p):
        if total >= top_p or (top_k and len(kept) == top_k):
            break
        kept.append(i)
        total += p[i]
    expected = np.zeros(40)
    expected[kept] = p[kept] / p[kept].sum()
    sampler = example.generate.Sampler(temperature, top_k, top_p, penalty, seed=1)
    logits = rl.tensor(raw)
    np.testing.assert_allclose(sampler.probabilities(logits, seen).numpy(), expected, rtol=2e-5, atol=1e-9)
    np.testing.assert_array_equal(logits.numpy(), raw)
    draws = np.bincount([sampler(logits, seen) for _ in range(2000)], minlength=40)
    assert (draws[expected == 0] == 0).all()
    assert (abs(draws - 2000 * expected) <= 5 * np.sqrt(2000 * expected + 1)).all()


def test_streamed_text_has_whole_characters(example: SimpleNamespace, tokenizer: Any) -> None:
    text = "a € b 漢字"
    ids = tokenizer.encode(text).ids
    parts = list(example.generate.texts(tokenizer, iter(ids)))
    assert "".join(parts) == text
    assert len(parts) > 5
    assert not any("\ufffd" in part for part in parts)


@pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
def test_tokens_are_the_same_on_the_gpu(
    example: SimpleNamespace, trained: tuple[Any, list[float]], tokenizer: Any, tmp_path: Path
) -> None:
    example.hub.save_folder(trained[0], tmp_path, tokenizer.to_str())
    example.hub.save_gguf(trained[0], tmp_path / "m.gguf", tokenizer.to_str(), "Q4_0")
    for path in (tmp_path, tmp_path / "m.gguf"):
        for settings in ({}, {"temperature": 0.9, "top_k": 20, "top_p": 0.9, "penalty": 1.2, "seed": 7}):
            found = []
            for device in ("cpu", "rocm:0"):
                model, _ = example.generate.load(path, device)
                assert str(model.model.cos.device) == device
                sampler = example.generate.Sampler(**settings)
                found.append(list(example.generate.generate(model, [4, 9, 2, 30], 6, sampler)))
            assert found[0] == found[1]
            assert len(found[0]) == 6


@pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
def test_training_on_the_gpu_has_the_losses_of_the_cpu(example: SimpleNamespace) -> None:
    losses = []
    for device in ("cpu", "rocm:0"):
        rl.manual_seed(0)
        config = example.llama.Config(40, 32, 32, 1, 4, 2, 16)
        model = example.llama.Llama(config).to(device)
        tokens = rl.tensor([i * i % 37 for i in range(200)]).to(device)
        losses.append(example.train.train(model, tokens, 4, batch=2, length=12, report_every=0))
    np.testing.assert_allclose(losses[1], losses[0], rtol=2e-5)
    assert losses[0][3] < losses[0][0]


def test_tokenizer_of_another_model_is_refused(
    example: SimpleNamespace, trained: tuple[Any, list[float]], texts: list[str], tmp_path: Path
) -> None:
    other = example.train.train_tokenizer(texts, 330)
    example.hub.save_gguf(trained[0], tmp_path / "m.gguf", other.to_str())
    with pytest.raises(ValueError, match="a tokenizer of 330 tokens, but a model of 320"):
        example.generate.load(tmp_path / "m.gguf", "cpu")


def test_errors_say_what_does_not_fit(example: SimpleNamespace, trained: tuple[Any, list[float]]) -> None:
    keys = vars(trained[0].config)
    with pytest.raises(ValueError, match="the Llama of this example has no rope_scaling, attention_bias"):
        example.llama.Config.from_keys(
            keys | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}, "attention_bias": True}
        )
    with pytest.raises(ValueError, match=r"config\.json has no hidden_size"):
        example.llama.Config.from_keys({k: v for k, v in keys.items() if k != "hidden_size"})
    # Without the key the head is a separate matrix, as for transformers.
    untied = example.llama.Config.from_keys({k: v for k, v in keys.items() if k != "tie_word_embeddings"})
    assert not untied.tie_word_embeddings
    weights = dict(trained[0].state_dict())
    weights["model.norm.weight"] = rl.ones(3)
    weights["lm_head.weight"] = rl.ones((320, 64))
    with pytest.raises(ValueError, match=r"lm_head.weight is \(320, 64\) instead of None, model.norm"):
        example.hub.build(trained[0].config, weights)
    with pytest.raises(ValueError, match="65 tokens, and the model has 64 positions"):
        trained[0](rl.zeros((1, 65), dtype=rl.int64))
    with pytest.raises(ValueError, match="top_p is in"):
        example.generate.Sampler(top_p=0.0)


def test_programs_run(tmp_path: Path) -> None:
    out = tmp_path / "model"
    sizes = "--vocab 300 --width 32 --layers 1 --context 64 --length 32 --batch 4 --steps 12 --untied"
    text = str(ROOT / "docs" / "guide" / "saving.md")
    done = run_example(
        "language_model", "train.py", text, "--out", str(out), *sizes.split(), "--gguf", "Q8_0", "Q4_0"
    )
    assert "step    11  loss" in done.stdout
    names = ["config.json", "model-Q4_0.gguf", "model-Q8_0.gguf", "model.safetensors", "tokenizer.json"]
    assert sorted(file.name for file in out.iterdir()) == names
    assert json.loads((out / "config.json").read_text())["architectures"] == ["LlamaForCausalLM"]
    run_example("language_model", "quantize.py", str(out), "--gguf", "Q8_0", "--out", str(tmp_path / "files"))
    assert (tmp_path / "files" / "model-Q8_0.gguf").read_bytes() == (out / "model-Q8_0.gguf").read_bytes()
    settings = ["--prompt", "A tensor", "--count", "8", "--seed", "3"]
    first, again = (run_example("language_model", "generate.py", str(out), *settings) for _ in range(2))
    assert first.stdout == again.stdout
    assert first.stdout.startswith("A tensor")
    assert "tokens/s" in first.stderr
    greedy = [
        run_example(
            "language_model",
            "generate.py",
            str(out / "model-Q4_0.gguf"),
            "--temperature",
            "0",
            *settings,
            *more,
        )
        for more in ([], ["--no-cache"])
    ]
    assert greedy[0].stdout == greedy[1].stdout
