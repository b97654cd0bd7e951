"""Attention and activations of the encoders of texts and of images."""

from __future__ import annotations

from collections.abc import Callable

import rushlight as rl
from rushlight import functional as F
from rushlight import nn

# The names that `config.json` has for activations.
ACTIVATIONS: dict[str, Callable[[rl.Tensor], rl.Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
}


class SelfAttention(nn.Module):
    """Attention of each vector to all, without the projection of the result (Vaswani et al. 2017)."""

    def __init__(self, width: int, heads: int, bias: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)

    def forward(self, x: rl.Tensor, mask: rl.Tensor | None = None) -> rl.Tensor:
        """Map `(B, L, width)` to the same shape; a mask `(B, 1, 1, L)` is False where nothing attends to."""
        batch, length, width = x.shape
        q, k, v = (
            project(x).reshape(batch, length, self.heads, -1).permute(0, 2, 1, 3)
            for project in (self.query, self.key, self.value)
        )
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout)
        return y.permute(0, 2, 1, 3).reshape(batch, length, width)


class Dense(nn.Module):
    """A linear layer under the name `dense`, which files of hubs have in many layers."""

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, out)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map `(.., width)` to `(.., out)`."""
        found: rl.Tensor = self.dense(x)
        return found


def init_weights(model: nn.Module, std: float = 0.02) -> None:
    """Draw matrices from a normal distribution, as BERT and ViT begin; biases are 0, scales of norms 1."""
    for name, p in model.named_parameters():
        if p.ndim >= 2:
            nn.init.trunc_normal_(p, std=std, a=-2.0 * std, b=2.0 * std)
        elif name.endswith("bias"):
            nn.init.zeros_(p)
