"""An encoder of texts of the BERT family (Devlin et al. 2018) with Rushlight's layers.

The names of modules are those of Hugging Face's `BertForMaskedLM`, so that `state_dict` has the names of
tensors that files on model hubs have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from layers import ACTIVATIONS, Dense, SelfAttention, init_weights

import rushlight as rl
from rushlight import functional as F
from rushlight import nn


@dataclass(frozen=True)
class Config:
    """Sizes of a model, under the keys of `config.json`."""

    vocab_size: int
    hidden_size: int = 128
    num_hidden_layers: int = 3
    num_attention_heads: int = 4
    intermediate_size: int = 512
    hidden_act: str = "gelu"
    max_position_embeddings: int = 128
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    initializer_range: float = 0.02
    pad_token_id: int = 0

    @classmethod
    def from_keys(cls, keys: Mapping[str, Any]) -> Config:
        """Take the keys of a `config.json`; one that would change results is an error."""
        wrong = [
            f"{key} {keys[key]!r}"
            for key, expected in (
                ("position_embedding_type", "absolute"),
                ("is_decoder", False),
                ("tie_word_embeddings", True),
            )
            if keys.get(key, expected) != expected
        ]
        if keys.get("hidden_act", "gelu") not in ACTIVATIONS:
            wrong.append(f"hidden_act {keys['hidden_act']!r}")
        if wrong:
            raise ValueError(f"this model does not have {', '.join(wrong)}")
        return cls(**{f.name: keys[f.name] for f in fields(cls) if f.name in keys})

    def keys(self) -> dict[str, Any]:
        """Return the entries of `config.json`."""
        return {"architectures": ["BertForMaskedLM"], "model_type": "bert"} | vars(self)


class Embeddings(nn.Module):
    """The sum of the vectors of a token, its position and its segment, normalized."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, width)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, width)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids: rl.Tensor, segments: rl.Tensor | None) -> rl.Tensor:
        """Map integers `(B, L)` to `(B, L, hidden_size)`."""
        length, room = ids.shape[1], self.position_embeddings.num_embeddings
        if length > room:
            raise ValueError(f"{length} tokens, and the model has {room} positions")
        segment = (
            self.token_type_embeddings.weight[0] if segments is None else self.token_type_embeddings(segments)
        )
        x = self.word_embeddings(ids) + self.position_embeddings.weight[:length] + segment
        found: rl.Tensor = self.dropout(self.LayerNorm(x))
        return found


class Added(nn.Module):
    """A linear layer whose result is added to an earlier vector, and then the norm."""

    def __init__(self, config: Config, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, x: rl.Tensor, earlier: rl.Tensor) -> rl.Tensor:
        """Map `(B, L, width)` and `(B, L, hidden_size)` to the shape of the latter."""
        found: rl.Tensor = self.LayerNorm(self.dropout(self.dense(x)) + earlier)
        return found


class Attention(nn.Module):
    """Attention and the projection of its result."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        heads, dropout = config.num_attention_heads, config.attention_probs_dropout_prob
        self.self = SelfAttention(config.hidden_size, heads, dropout=dropout)
        self.output = Added(config, config.hidden_size)

    def forward(self, x: rl.Tensor, mask: rl.Tensor | None) -> rl.Tensor:
        """Map `(B, L, hidden_size)` to the same shape."""
        found: rl.Tensor = self.output(self.self(x, mask), x)
        return found


class Layer(nn.Module):
    """Attention and two linear layers, each with a norm behind it."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = Attention(config)
        self.intermediate = Dense(config.hidden_size, config.intermediate_size)
        self.output = Added(config, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, x: rl.Tensor, mask: rl.Tensor | None) -> rl.Tensor:
        """Map `(B, L, hidden_size)` to the same shape."""
        x = self.attention(x, mask)
        found: rl.Tensor = self.output(self.activation(self.intermediate(x)), x)
        return found


class Encoder(nn.Module):
    """The vectors of tokens, and the layers."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])

    def forward(
        self, ids: rl.Tensor, seen: rl.Tensor | None = None, segments: rl.Tensor | None = None
    ) -> rl.Tensor:
        """Compute the last layer's vectors `(B, L, hidden_size)` of integers `(B, L)`.

        `seen` is False where a text is padded; without it all tokens are seen. `segments` are integers,
        0 without it.
        """
        mask = None if seen is None else seen.to(rl.bool)[:, None, None, :]
        x = self.embeddings(ids, segments)
        for layer in self.encoder.layer:
            x = layer(x, mask)
        found: rl.Tensor = x
        return found


class Transform(nn.Module):
    """The layer of the head before the products with the table of tokens."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map `(.., hidden_size)` to the same shape."""
        found: rl.Tensor = self.LayerNorm(self.activation(self.dense(x)))
        return found


class Bert(nn.Module):
    """The encoder and, with `head`, a logit for each token of the vocabulary."""

    def __init__(self, config: Config, head: bool = True) -> None:
        super().__init__()
        self.config = config
        self.bert = Encoder(config)
        if head:
            self.cls = nn.Module()
            self.cls.predictions = nn.Module()
            self.cls.predictions.transform = Transform(config)
            self.cls.predictions.bias = nn.Parameter(rl.zeros(config.vocab_size))
        init_weights(self, config.initializer_range)

    @property
    def device(self) -> rl.Device:
        """The device of the weights."""
        return self.bert.embeddings.position_embeddings.weight.device

    def forward(self, ids: rl.Tensor, seen: rl.Tensor | None = None) -> rl.Tensor:
        """Compute the logits `(B, L, vocab_size)` of the tokens `(B, L)`, see `Encoder`."""
        return self.logits(self.bert(ids, seen))

    def logits(self, hidden: rl.Tensor) -> rl.Tensor:
        """Map vectors of the last layer, `(.., hidden_size)`, to logits, `(.., vocab_size)`."""
        if "cls" not in dict(self.named_children()):
            raise ValueError("this model has no head: its folder is that of a BertModel")
        head = self.cls.predictions
        return F.linear(head.transform(hidden), self.bert.embeddings.word_embeddings.weight, head.bias)


def mean_embeddings(hidden: rl.Tensor, seen: rl.Tensor) -> rl.Tensor:
    """Average the vectors `(B, L, W)` of the tokens that are seen, `(B, L)`, and give them the length 1."""
    # (A sum has the direction of the mean.)
    return F.normalize((hidden * seen.to(hidden.dtype)[:, :, None]).sum(1), dim=-1)


def hub_weights(weights: Mapping[str, rl.Tensor]) -> dict[str, rl.Tensor]:
    """Give the tensors of a hub's file the names of `Bert`, and leave out what it does not compute.

    Older files have `gamma` and `beta` for the scale and the bias of a norm, files of a `BertModel` no
    `bert.` before their names, and some a copy of the table of tokens.
    """
    unused = (
        "bert.pooler.",
        "cls.seq_relationship.",
        "cls.predictions.decoder.",
        "bert.embeddings.position_ids",
    )
    found = {}
    for name, x in weights.items():
        if not name.startswith(("bert.", "cls.")):
            name = f"bert.{name}"
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        if not name.startswith(unused):
            found[name] = x
    return found
