"""A language model of the Llama family (Touvron et al. 2023) with Rushlight's layers.

The names of modules are those of Hugging Face's `LlamaForCausalLM`, so that `state_dict` has the names of
tensors that files on model hubs have. A matrix of weights is in `nn.Linear` or `nn.Embedding`, or in
their quantized counterparts `nn.QuantizedLinear` and `nn.QuantizedEmbedding`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, quantized
from rushlight.quantized import QTensor


@dataclass(frozen=True)
class Config:
    """Sizes of a model, under the keys of `config.json`."""

    vocab_size: int
    hidden_size: int = 256
    intermediate_size: int = 512
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    max_position_embeddings: int = 256
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    tie_word_embeddings: bool = True
    bos_token_id: int | None = 0
    eos_token_id: int | tuple[int, ...] = 0

    @property
    def ends(self) -> tuple[int, ...]:
        """The tokens that end a text."""
        return (self.eos_token_id,) if isinstance(self.eos_token_id, int) else self.eos_token_id

    @property
    def head_dim(self) -> int:
        """The width of a head of attention."""
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def from_keys(cls, keys: dict[str, Any]) -> Config:
        """Take the keys of a `config.json`; one that would change results is an error."""
        # (The defaults of keys that a file may leave out are those of `transformers`.)
        keys = {"tie_word_embeddings": False, "rms_norm_eps": 1e-6, "max_position_embeddings": 2048} | keys
        if keys.get("model_type", "llama") != "llama":
            raise ValueError(f"expected a model of the type llama, got {keys['model_type']}")
        rope = keys.get("rope_parameters") or keys.get("rope_scaling") or {}
        keys["rope_theta"] = rope.get("rope_theta", keys.get("rope_theta") or 10000.0)
        needed = (
            "vocab_size",
            "hidden_size",
            "intermediate_size",
            "num_hidden_layers",
            "num_attention_heads",
        )
        if missing := [name for name in needed if not keys.get(name)]:
            raise ValueError(f"config.json has no {', '.join(missing)}")
        keys["num_key_value_heads"] = keys.get("num_key_value_heads") or keys["num_attention_heads"]
        # A file has one end of a text, several, or none.
        eos = keys.get("eos_token_id")
        keys["eos_token_id"] = eos if isinstance(eos, int) else tuple(eos or ())
        keys.setdefault("bos_token_id", None)
        config = cls(**{f.name: keys[f.name] for f in fields(cls) if f.name in keys})
        unknown = {
            "rope_scaling": rope.get("rope_type", rope.get("type", "default")) != "default",
            "attention_bias": keys.get("attention_bias", False),
            "mlp_bias": keys.get("mlp_bias", False),
            "hidden_act": keys.get("hidden_act", "silu") != "silu",
            "head_dim": (keys.get("head_dim") or config.head_dim) != config.head_dim,
        }
        if any(unknown.values()):
            named = ", ".join(k for k, v in unknown.items() if v)
            raise ValueError(f"the Llama of this example has no {named}")
        return config


class Cache:
    """Keys and values of the tokens that a model has seen.

    Each layer has two tensors `(B, num_key_value_heads, room, head_dim)`.
    """

    def __init__(self, model: Llama, batch: int, room: int) -> None:
        config, like = model.config, model.model.cos
        shape = (batch, config.num_key_value_heads, room, config.head_dim)
        self.length = 0
        self.layers = [
            tuple(rl.zeros(shape, dtype=like.dtype, device=like.device) for _ in range(2))
            for _ in range(config.num_hidden_layers)
        ]

    def extend(self, layer: int, new: tuple[rl.Tensor, rl.Tensor]) -> tuple[rl.Tensor, rl.Tensor]:
        """Write the keys and values of further tokens, and return those of all tokens."""
        end = self.length + new[0].shape[2]
        for store, x in zip(self.layers[layer], new, strict=True):
            store[:, :, self.length : end] = x
        keys, values = (store[:, :, :end] for store in self.layers[layer])
        return keys, values


class Attention(nn.Module):
    """Attention in which several heads of the queries share one head of keys and values."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width, kv = config.hidden_size, config.num_key_value_heads * config.head_dim
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, kv, bias=False)
        self.v_proj = nn.Linear(width, kv, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(
        self, x: rl.Tensor, angles: tuple[rl.Tensor, rl.Tensor], layer: int, cache: Cache | None
    ) -> rl.Tensor:
        """Map `(B, L, hidden_size)` to the same shape."""
        batch, length = x.shape[:2]
        q, k, v = (
            project(x).reshape(batch, length, -1, self.head_dim).permute(0, 2, 1, 3)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = F.rotary_embedding(q, *angles), F.rotary_embedding(k, *angles)
        mask = None
        if cache is not None:
            start = cache.length
            k, v = cache.extend(layer, (k, v))
            if start > 0:
                # Query i is token start + i, and sees the tokens up to itself.
                rows = rl.arange(start, start + length, device=x.device).reshape(length, 1)
                mask = rows >= rl.arange(start + length, device=x.device)
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None, enable_gqa=True)
        found: rl.Tensor = self.o_proj(y.permute(0, 2, 1, 3).reshape(batch, length, -1))
        return found


class MLP(nn.Module):
    """SwiGLU (Shazeer 2020): `down(silu(gate(x)) * up(x))`."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: rl.Tensor) -> rl.Tensor:
        """Map `(.., hidden_size)` to the same shape."""
        found: rl.Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return found


class Layer(nn.Module):
    """Attention and the MLP, each behind a norm and added to its input."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(
        self, x: rl.Tensor, angles: tuple[rl.Tensor, rl.Tensor], index: int, cache: Cache | None
    ) -> rl.Tensor:
        """Map `(B, L, hidden_size)` to the same shape."""
        x = x + self.self_attn(self.input_layernorm(x), angles, index, cache)
        found: rl.Tensor = x + self.mlp(self.post_attention_layernorm(x))
        return found


class Decoder(nn.Module):
    """The table of tokens, the layers, and the last norm."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.config = config
        cos, sin = self._turns(min(config.max_position_embeddings, 4096))
        self.cos, self.sin = nn.Buffer(cos, persistent=False), nn.Buffer(sin, persistent=False)

    def _turns(self, count: int) -> tuple[rl.Tensor, rl.Tensor]:
        # The pair i of a head turns by theta^(-2i / head_dim) per position (Su et al. 2021).
        config = self.config
        pairs = rl.arange(0, config.head_dim, 2, dtype=rl.float64) / config.head_dim
        angles = rl.arange(count, dtype=rl.float64).reshape(-1, 1) * config.rope_theta**-pairs
        return rl.cos(angles).to(rl.float32), rl.sin(angles).to(rl.float32)

    def angles(self, start: int, end: int) -> tuple[rl.Tensor, rl.Tensor]:
        """Return cosines and sines of the angles of positions. The tables grow with the texts."""
        if end > self.cos.shape[0]:
            count = min(self.config.max_position_embeddings, 2 * end)
            cos, sin = (x.to(self.cos.device).to(self.cos.dtype) for x in self._turns(count))
            self.cos, self.sin = nn.Buffer(cos, persistent=False), nn.Buffer(sin, persistent=False)
        return self.cos[start:end], self.sin[start:end]


class Llama(nn.Module):
    """The decoder, and the head that gives a logit for each token of the vocabulary."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        if not config.tie_word_embeddings:
            self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        for p in self.parameters():
            if p.ndim == 2:
                nn.init.normal_(p, std=0.02)

    def forward(self, ids: rl.Tensor, cache: Cache | None = None) -> rl.Tensor:
        """Compute the logits that follow each token.

        `ids` are `(B, L)` integers, the result is `(B, L, vocab_size)`. With a cache, `ids` continue the
        tokens that the cache has, and are added to it.
        """
        start = 0 if cache is None else cache.length
        end = start + ids.shape[1]
        if end > self.config.max_position_embeddings:
            raise ValueError(
                f"{end} tokens, and the model has {self.config.max_position_embeddings} positions"
            )
        angles = self.model.angles(start, end)
        x = self.model.embed_tokens(ids).to(self.model.cos.dtype)
        for index, layer in enumerate(self.model.layers):
            x = layer(x, angles, index, cache)
        if cache is not None:
            cache.length = end
        x = self.model.norm(x)
        if not self.config.tie_word_embeddings:
            logits: rl.Tensor = self.lm_head(x)
            return logits
        table = self.model.embed_tokens.weight
        return quantized.qmatmul(x, table) if isinstance(table, QTensor) else F.linear(x, table)
