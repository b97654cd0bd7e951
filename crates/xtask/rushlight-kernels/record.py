"""Record which kernel files common programs load: training and predictions of an MLP, a CNN and transformers.

Usage: record.py OUT. It needs a GPU as "rocm:0", which may be the virtual one. OUT is a table of kernel file,
dtype and the programs that load it; a program's name ends in the dtype that it trains in, unless that is
float32. `cargo xtask common-kernels` runs it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim
from rushlight._native import _gpu_loaded_kernels

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples/python/language_model")]

from llama import Config, Llama  # noqa: E402
from mnist import Cnn, mlp  # noqa: E402

HEAD = "# kernel file, dtype, programs that load it; written by `cargo xtask common-kernels`\n"
DTYPES = {"": rl.float32, "-f16": rl.float16, "-bf16": rl.bfloat16}
GPU = "rocm:0"
WORDS, LENGTH = 48, 8


class Encoder(nn.Module):
    """An embedding, PyTorch's encoder layers, and a linear layer for the words."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, 32), nn.Embedding(LENGTH, 32)
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.1, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, WORDS)

    def forward(self, tokens: rl.Tensor) -> rl.Tensor:
        """Map tokens ``(batch, length)`` to logits ``(batch, length, words)``."""
        places = self.places(rl.arange(tokens.shape[1], device=tokens.device))
        out: rl.Tensor = self.head(self.layers(self.words(tokens) + places))
        return out


class Normalized(nn.Module):
    """A convolution with batch normalization, as residual networks have it, and the mean of each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 10)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map images ``(n, 784)`` to logits ``(n, 10)``."""
        x = F.relu(self.norm(self.conv(x.reshape((-1, 1, 28, 28)))))
        out: rl.Tensor = self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))
        return out


def llama() -> nn.Module:
    """The model of examples/python/language_model."""
    config = Config(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=LENGTH,
    )
    return Llama(config)


def digits() -> tuple[rl.Tensor, rl.Tensor]:
    """Eight pictures and their labels."""
    return rl.rand(8, 784, device=GPU), rl.randint(0, 10, (8,), device=GPU)


def text() -> tuple[rl.Tensor, rl.Tensor]:
    """Four lines of tokens, and the tokens that follow."""
    tokens = rl.randint(0, WORDS, (4, LENGTH + 1), device=GPU)
    return tokens[:, :-1], tokens[:, 1:]


PROGRAMS: dict[str, list[tuple[Callable[[], nn.Module], Callable[[], tuple[rl.Tensor, rl.Tensor]]]]] = {
    "mlp": [(mlp, digits)],
    "cnn": [(Cnn, digits), (Normalized, digits)],
    "transformer": [(Encoder, text), (llama, text)],
}


def train(
    build: Callable[[], nn.Module], data: Callable[[], tuple[rl.Tensor, rl.Tensor]], dtype: rl.dtype
) -> None:
    """Train with each optimizer: parameters of the dtype, and copies in it of parameters in float32."""
    x, y = data()
    x = x.to(dtype) if x.dtype == rl.float32 else x
    optimizers: list[Callable[[list[rl.Tensor]], optim.Optimizer]] = [
        lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: optim.Adam(p, lr=1e-3),
        lambda p: optim.AdamW(p, lr=1e-3),
    ]
    for make in optimizers:
        for copied in (False, True):
            model = build().to(GPU)
            if not copied:
                model = model.to(dtype)
            optimizer = make(list(model.parameters()))
            scaler = rl.amp.GradScaler(enabled=copied)
            for _ in range(2):
                optimizer.zero_grad()
                named = [*model.named_parameters(), *model.named_buffers()]
                values = {name: t.to(dtype) for name, t in named if t.is_floating_point()}
                logits = rl.func.functional_call(model, values, (x,)) if copied else model(x)
                loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
                scaler.scale(loss).backward()
                if copied:
                    scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                loss.item()
            model = model.to(dtype).eval()
            with rl.no_grad():
                logits = model(x)
                rl.argmax(logits, axis=-1).tolist()
                F.softmax(logits, -1).tolist()


def main() -> None:
    """Record each program in its own process, and write the table."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    name, _, of = sys.argv[1].partition("-")
    if name in PROGRAMS:
        rl.manual_seed(0)
        for build, data in PROGRAMS[name]:
            train(build, data, DTYPES[f"-{of}" if of else ""])
        for unit, dtype in _gpu_loaded_kernels("rocm", 0):
            print(unit, dtype)
        return
    found: dict[tuple[str, str], list[str]] = {}
    for program in [name + of for name in PROGRAMS for of in DTYPES]:
        command = [sys.executable, __file__, program]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            unit, dtype = line.split()
            found.setdefault((unit, dtype), []).append(program)
    rows = [f"{unit}\t{dtype}\t{','.join(of)}\n" for (unit, dtype), of in sorted(found.items())]
    Path(sys.argv[1]).write_text(HEAD + "".join(rows), encoding="utf-8")
    print(f"{len(rows)} kernel files and dtypes in {sys.argv[1]}")


if __name__ == "__main__":
    main()
