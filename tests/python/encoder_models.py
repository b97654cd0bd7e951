"""Small models of the example of encoders, with random weights, and comparisons of their results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import rushlight as rl
from example_modules import close, modules, run_candle

NAMES = [
    "layers",
    "bert",
    "vit",
    "resnet",
    "hub",
    "images",
    "wordpiece",
    "bert_gguf",
    "train_bert",
    "use_bert",
    "train_vision",
    "classify",
]
# Two texts, the second with two tokens of padding; 4 is [MASK].
IDS = [[2, 7, 4, 120, 21, 9, 4, 140, 3], [2, 12, 13, 14, 4, 16, 3, 0, 0]]
LENGTHS = [9, 7]
TOKENIZER = json.dumps({"model": {"vocab": {"[MASK]": 4}}})


@contextmanager
def encoders() -> Iterator[SimpleNamespace]:
    """Import the modules of the example."""
    with modules("encoders", NAMES) as found:
        yield found


def draw_weights(model: rl.nn.Module) -> None:
    """Draw weights that keep the size of what they multiply, and statistics that differ from 0 and 1."""
    rl.manual_seed(3)
    with rl.no_grad():
        for name, x in model.state_dict().items():
            if x.dtype == rl.int64:
                continue
            if name.endswith("running_var"):
                x.copy_(0.5 + rl.rand(x.shape))
            elif x.ndim == 1:
                x.copy_(float(name.endswith("weight")) + 0.2 * rl.randn(x.shape))
            else:
                x.copy_((x.numel() / x.shape[0]) ** -0.5 * rl.randn(x.shape))


def bert(example: SimpleNamespace, **sizes: Any) -> Any:
    given = {"vocab_size": 160, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 2}
    given |= {"num_attention_heads": 4, "max_position_embeddings": 24}
    model = example.bert.Bert(example.bert.Config(**given | sizes)).eval()
    draw_weights(model)
    return model


def vit(example: SimpleNamespace, **sizes: Any) -> Any:
    given = {"image_size": 12, "patch_size": 3, "num_channels": 2, "num_labels": 7, "hidden_size": 48}
    given |= {"num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 80}
    model = example.vit.Vit(example.vit.Config(**given | sizes)).eval()
    draw_weights(model)
    return model


def resnet(example: SimpleNamespace, architecture: str = "resnet18") -> Any:
    model = example.resnet.ResNet(example.resnet.Config(architecture, 7)).eval()
    draw_weights(model)
    return model


def save_bert(example: SimpleNamespace, model: Any, folder: Path, tokenizer: str = TOKENIZER) -> None:
    example.hub.save_folder(model, folder, {"tokenizer.json": json.loads(tokenizer)})


def save_images(example: SimpleNamespace, model: Any, folder: Path) -> Any:
    """Write a folder with the preprocessing of its images, which is returned."""
    is_vit = isinstance(model, example.vit.Vit)
    pre = example.images.Preprocessing
    steps = pre(12, (0.3, 0.5), (0.4, 0.25)) if is_vit else pre(40, (0.1, 0.4, 0.5), (0.2, 0.3, 0.25))
    example.hub.save_folder(model, folder, steps.files(timm=not is_vit))
    return steps


def forward(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """A BERT's vectors of the last layer for the two texts, and their logits."""
    ids = rl.tensor(IDS).to(next(iter(model.parameters())).device)
    with rl.no_grad():
        hidden = model.bert(ids, ids != 0)
        return hidden.cpu().numpy(), model.logits(hidden).cpu().numpy()


def compare(found: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray]) -> None:
    """Compare vectors and logits, without those of padding."""
    for a, b in zip(found, expected, strict=True):
        for row, length in enumerate(LENGTHS):
            close(a[row, :length], b[row, :length])


def logits(model: Any, images: np.ndarray) -> np.ndarray:
    """The logits of images, in the model's dtype."""
    with rl.no_grad():
        return model(rl.tensor(images).to(next(iter(model.parameters())).device)).cpu().numpy()


def check_candle_texts(example: SimpleNamespace, folder: Path, device: str) -> None:
    """Candle's code computes a BERT's mean vectors and its logits of masked tokens, from the same files."""
    save_bert(example, bert(example), folder)
    hidden, found = forward(example.hub.load(folder, device))
    texts = [row[:length] for row, length in zip(IDS, LENGTHS, strict=True)]
    argument = "/".join(",".join(map(str, text)) for text in texts)
    lines = run_candle("candle-bert", str(folder), argument, device.partition(":")[0])
    expected = []
    for row, text in enumerate(texts):
        expected.append(("embedding", hidden[row, : len(text)].mean(0)))
        expected += [("logits", found[row, at]) for at, token in enumerate(text) if token == 4]
    assert [name for name, _ in lines] == [name for name, _ in expected]
    for (_, theirs), (_, ours) in zip(lines, expected, strict=True):
        close(theirs, ours)


def check_candle_images(example: SimpleNamespace, model: Any, folder: Path, device: str) -> None:
    """Candle's code computes the logits of the same files and images."""
    steps = save_images(example, model, folder)
    images = steps(rl.rand((2, 1, 20, 20)))
    assert images.shape == (2, len(steps.mean), steps.size, steps.size)
    rl.save_file({"pixels": images}, folder / "images")
    lines = run_candle("candle-classify", str(folder), str(folder / "images"), device.partition(":")[0])
    assert [name for name, _ in lines] == ["logits"] * 2
    ours = logits(example.hub.load(folder, device), images.numpy())
    # A ResNet has up to 50 layers: seen 2e-6.
    close(np.stack([row for _, row in lines]), ours, 8e-6)
