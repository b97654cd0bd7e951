"""The example of encoders on an AMD GPU: outputs, losses, and candle-transformers' programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rushlight as rl
from encoder_models import (
    IDS,
    bert,
    check_candle_images,
    check_candle_texts,
    compare,
    encoders,
    forward,
    logits,
    resnet,
    save_bert,
    save_images,
    vit,
)
from example_modules import close
from rushlight.data import Split

pytest.importorskip("tokenizers", reason="the package tokenizers is not installed (requirements-dev.txt)")
pytestmark = pytest.mark.skipif(
    not rl.rocm.is_available(), reason="no AMD GPU here; make test runs these on the virtual one"
)
DEVICES = ["cpu", "rocm:0"]


@pytest.fixture(scope="module")
def example() -> Iterator[SimpleNamespace]:
    with encoders() as found:
        yield found


def test_bert_is_that_of_the_cpu(example: SimpleNamespace, tmp_path: Path) -> None:
    save_bert(example, bert(example), tmp_path)
    cpu, gpu = (example.hub.load(tmp_path, device) for device in DEVICES)
    assert {str(p.device) for p in gpu.parameters()} == {"rocm:0"}
    compare(forward(gpu), forward(cpu))
    half = example.hub.load(tmp_path, "rocm:0", rl.bfloat16)
    with rl.no_grad():
        found = half.bert(rl.tensor(IDS).to("rocm:0")).to(rl.float32).cpu().numpy()
        expected = cpu.bert(rl.tensor(IDS)).numpy()
    close(found, expected, 0.03)
    assert abs(found - expected).max() > 1e-4


def test_quantized_bert_is_that_of_the_cpu(example: SimpleNamespace, tmp_path: Path) -> None:
    tokenizer = example.wordpiece.train_tokenizer(["a text of a few words, for a few tokens"], 40)
    model = bert(example, vocab_size=tokenizer.get_vocab_size(), hidden_size=64, intermediate_size=96)
    path = tmp_path / "model.gguf"
    example.bert_gguf.save_gguf(model, path, tokenizer, "Q8_0")
    vectors = []
    for device in DEVICES:
        loaded, words = example.use_bert.load(path, device)
        layer = loaded.bert.encoder.layer[1].attention.self.query
        assert str(layer.weight.device) == device
        vectors.append(example.use_bert.embed(loaded, words, ["a few words", "of tokens, a text"]).numpy())
    close(vectors[1], vectors[0])


@pytest.mark.parametrize("kind", ["vit", "resnet18"])
def test_classes_are_those_of_the_cpu(example: SimpleNamespace, tmp_path: Path, kind: str) -> None:
    steps = save_images(example, vit(example) if kind == "vit" else resnet(example), tmp_path)
    images = steps(rl.rand((2, 1, 28, 28))).numpy()
    cpu, gpu = (logits(example.hub.load(tmp_path, device), images) for device in DEVICES)
    close(gpu, cpu, 8e-6)


@pytest.mark.parametrize("kind", ["bert", "vit", "resnet18"])
def test_candle_transformers_computes_the_same(example: SimpleNamespace, tmp_path: Path, kind: str) -> None:
    if kind == "bert":
        return check_candle_texts(example, tmp_path, "rocm:0")
    model = vit(example) if kind == "vit" else resnet(example)
    return check_candle_images(example, model, tmp_path, "rocm:0")


def test_training_of_bert_has_the_losses_of_the_cpu(example: SimpleNamespace) -> None:
    losses = []
    for device in DEVICES:
        rl.manual_seed(0)
        config = example.bert.Config(60, 32, 1, 4, 48, max_position_embeddings=16, initializer_range=0.1)
        model = example.bert.Bert(config).to(device)
        text = [i * i % 50 + 5 for i in range(200)]
        sections = [(text[i : i + 3], text[i : i + 20]) for i in range(0, 80, 20)]
        masked, pairs = example.train_bert.train(
            model, rl.tensor(text), sections, 6, 3, 2, 16, lr=1e-2, report_every=0
        )
        assert len(pairs) == 3
        losses.append(masked + pairs)
    np.testing.assert_allclose(losses[1], losses[0], rtol=5e-5)
    assert losses[0][5] < losses[0][0]


@pytest.mark.parametrize("kind", ["vit", "resnet18"])
def test_training_of_images_has_the_losses_of_the_cpu(example: SimpleNamespace, kind: str) -> None:
    data, losses = Split(rl.rand((12, 784)), rl.arange(12) % 10), []
    # (A ResNet has 11 million weights, and takes ten seconds a step.)
    epochs = 2 if kind == "vit" else 1
    for device in DEVICES:
        rl.manual_seed(0)
        if kind == "vit":
            sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "patch_size": 7}
            model = example.vit.Vit(example.vit.Config(**sizes, initializer_range=0.1)).to(device)
            steps = example.train_vision.VIT
        else:
            # In float64, because batch norms of few numbers enlarge differences of rounding.
            model = example.resnet.ResNet(example.resnet.Config()).to(rl.float64).to(device)
            steps = example.images.Preprocessing(16, (0.1,) * 3, (0.3,) * 3)
        losses.append(example.train_vision.train(model, steps, data, epochs, 6, 1e-3, report=False))
    assert len(losses[0]) == 2 * epochs
    np.testing.assert_allclose(losses[1], losses[0], rtol=2e-5)
    assert losses[0][-1] != losses[0][0]
