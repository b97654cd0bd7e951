"""A vision transformer (Dosovitskiy et al. 2020) with Rushlight's layers.

The names of modules are those that the files of Hugging Face's `ViTForImageClassification` have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from layers import ACTIVATIONS, Dense, SelfAttention, init_weights

import rushlight as rl
from rushlight import nn


@dataclass(frozen=True)
class Config:
    """Sizes of a model, under the keys of `config.json`."""

    image_size: int = 28
    patch_size: int = 4
    num_channels: int = 1
    num_labels: int = 10
    hidden_size: int = 64
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    intermediate_size: int = 128
    hidden_act: str = "gelu"
    qkv_bias: bool = True
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    initializer_range: float = 0.02

    @classmethod
    def from_keys(cls, keys: Mapping[str, Any]) -> Config:
        """Take the keys of a `config.json`; the classes are counted by their names."""
        if keys.get("hidden_act", "gelu") not in ACTIVATIONS:
            raise ValueError(f"this model does not have hidden_act {keys['hidden_act']!r}")
        labels = {"num_labels": len(keys["id2label"])} if "id2label" in keys else {"num_labels": 2}
        return cls(**{f.name: keys[f.name] for f in fields(cls) if f.name in keys} | labels)

    def keys(self) -> dict[str, Any]:
        """Return the entries of `config.json`."""
        names = [str(i) for i in range(self.num_labels)]
        sizes = {key: value for key, value in vars(self).items() if key != "num_labels"}
        return sizes | {
            "architectures": ["ViTForImageClassification"],
            "model_type": "vit",
            "id2label": {name: name for name in names},
            "label2id": {name: int(name) for name in names},
        }


class Embeddings(nn.Module):
    """A vector for the class, one for each patch of an image, and their positions."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width, size = config.hidden_size, config.patch_size
        self.image_size = config.image_size
        self.cls_token = nn.Parameter(rl.zeros((1, 1, width)))
        self.position_embeddings = nn.Parameter(rl.zeros((1, (config.image_size // size) ** 2 + 1, width)))
        self.patch_embeddings = nn.Module()
        self.patch_embeddings.projection = nn.Conv2d(config.num_channels, width, size, stride=size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, pixels: rl.Tensor) -> rl.Tensor:
        """Map `(B, C, H, W)` to `(B, 1 + patches, hidden_size)`."""
        if pixels.shape[2:] != (self.image_size, self.image_size):
            size = f"{self.image_size} x {self.image_size}"
            raise ValueError(f"images of {pixels.shape[2]} x {pixels.shape[3]}, and the model takes {size}")
        patches = self.patch_embeddings.projection(pixels).flatten(2).permute(0, 2, 1)
        first = self.cls_token.expand(pixels.shape[0], 1, patches.shape[2])
        found: rl.Tensor = self.dropout(rl.concat([first, patches], 1) + self.position_embeddings)
        return found


class Layer(nn.Module):
    """Attention and two linear layers, each behind a norm and added to its input."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.hidden_size
        self.attention = nn.Module()
        self.attention.attention = SelfAttention(
            width, config.num_attention_heads, config.qkv_bias, config.attention_probs_dropout_prob
        )
        self.attention.output = Dense(width, width)
        self.intermediate = Dense(width, config.intermediate_size)
        self.output = Dense(config.intermediate_size, width)
        self.layernorm_before = nn.LayerNorm(width, config.layer_norm_eps)
        self.layernorm_after = nn.LayerNorm(width, config.layer_norm_eps)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map `(B, L, hidden_size)` to the same shape."""
        attention = self.attention
        x = x + self.dropout(attention.output(attention.attention(self.layernorm_before(x))))
        inner = self.activation(self.intermediate(self.layernorm_after(x)))
        found: rl.Tensor = x + self.dropout(self.output(inner))
        return found


class Vit(nn.Module):
    """The layers, and the linear layer that classifies the first vector."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.vit = nn.Module()
        self.vit.embeddings = Embeddings(config)
        self.vit.encoder = nn.Module()
        self.vit.encoder.layer = nn.ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])
        self.vit.layernorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        init_weights(self, config.initializer_range)

    def forward(self, pixels: rl.Tensor) -> rl.Tensor:
        """Map images `(B, C, H, W)` to logits `(B, num_labels)`."""
        x = self.vit.embeddings(pixels)
        for layer in self.vit.encoder.layer:
            x = layer(x)
        found: rl.Tensor = self.classifier(self.vit.layernorm(x[:, 0]))
        return found


def hub_weights(weights: Mapping[str, rl.Tensor]) -> dict[str, rl.Tensor]:
    """Leave out the tensors of a hub's file that do not change the logits."""
    return {name: x for name, x in weights.items() if not name.startswith("vit.pooler.")}
