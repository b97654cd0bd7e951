"""Files of language models: a folder as on a model hub, and GGUF files as llama.cpp reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from llama import Config, Llama

import rushlight as rl
from rushlight import nn, quantized
from rushlight.quantized import QTensor

Weights = Mapping[str, "rl.Tensor | QTensor"]
Progress = Callable[[str, int, int], None]

# Names of a layer's tensors in a GGUF file, and on a hub.
LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
# llama.cpp's numbers of the type that most tensors of a file have.
FILE_TYPES = {"F32": 0, "F16": 1, "BF16": 32, "Q4_0": 2, "Q4_1": 3, "Q5_0": 8, "Q5_1": 9, "Q8_0": 7}
FILE_TYPES |= {"Q2K": 10, "Q3K": 11, "Q4K": 14, "Q5K": 16, "Q6K": 18}

# Entries of metadata without which a GGUF file has no model of this kind.
NEEDED = (
    "embedding_length",
    "feed_forward_length",
    "block_count",
    "attention.head_count",
    "context_length",
    "attention.layer_norm_rms_epsilon",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.merges",
)


def gguf_names(config: Config) -> dict[str, str]:
    """Return the names of a hub's tensors by those of a GGUF file."""
    names = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
    if not config.tie_word_embeddings:
        names["output.weight"] = "lm_head.weight"
    for i in range(config.num_hidden_layers):
        names |= {f"blk.{i}.{a}.weight": f"model.layers.{i}.{b}.weight" for a, b in LAYER.items()}
    return names


def save_folder(model: Llama, folder: Path, tokenizer: str, shard_bytes: int | None = None) -> None:
    """Write `config.json`, `tokenizer.json` and the weights, with at most `shard_bytes` in a file."""
    folder.mkdir(parents=True, exist_ok=True)
    keys: dict[str, Any] = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
    }
    keys |= {"attention_bias": False, "mlp_bias": False, "torch_dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(keys | vars(model.config), indent=2) + "\n")
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    # Files of an earlier model would be read instead of those written now.
    for pattern in ("model.safetensors*", "model-*-of-*.safetensors"):
        for old in folder.glob(pattern):
            old.unlink()
    shards: list[dict[str, rl.Tensor]] = [{}]
    size = total = 0
    for name, x in model.state_dict().items():
        if shard_bytes is not None and shards[-1] and size + x.nbytes > shard_bytes:
            shards.append({})
            size = 0
        shards[-1][name] = x.to("cpu")
        size, total = size + x.nbytes, total + x.nbytes
    # Hugging Face's reader asks for this entry.
    marks = {"format": "pt"}
    if len(shards) == 1:
        return rl.save_file(shards[0], folder / "model.safetensors", marks)
    files = [f"model-{i + 1:05}-of-{len(shards):05}.safetensors" for i in range(len(shards))]
    for file, tensors in zip(files, shards, strict=True):
        rl.save_file(tensors, folder / file, marks)
    places = {name: file for file, tensors in zip(files, shards, strict=True) for name in tensors}
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def load_folder(folder: Path) -> tuple[Config, dict[str, rl.Tensor], str]:
    """Read a folder of a hub: the sizes, the weights, and the text of `tokenizer.json`."""
    config = Config.from_keys(json.loads((folder / "config.json").read_text()))
    index = folder / "model.safetensors.index.json"
    files = ["model.safetensors"]
    if index.exists():
        files = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    weights: dict[str, rl.Tensor] = {}
    for file in files:
        # The files are mapped: their bytes are read when a tensor is used.
        weights |= rl.load_file(folder / file)
    if config.tie_word_embeddings:
        weights.pop("lm_head.weight", None)
    return config, weights, (folder / "tokenizer.json").read_text(encoding="utf-8")


def _rows(x: Any, heads: int, to_gguf: bool) -> Any:
    """Reorder the rows of a matrix of queries or keys.

    A rotary embedding turns pairs of elements. On a hub a pair is element i of the first half of a head and
    element i of the second half, in a GGUF file two neighbours.
    """
    shape = (heads, 2, -1) if to_gguf else (heads, -1, 2)
    order = rl.arange(x.shape[0]).reshape(*shape).permute(0, 2, 1).reshape(-1)
    return QTensor(x.blocks[order], x.dtype, x.shape) if isinstance(x, QTensor) else x[order]


def save_gguf(model: Llama, path: Path, tokenizer: str, kind: str = "Q8_0") -> None:
    """Write a GGUF file.

    Matrices have blocks of `kind`. Where a row is not whole blocks of it they have `Q8_0`, or else numbers.
    """
    config, found = model.config, model.state_dict()
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    tensors: dict[str, rl.Tensor | QTensor] = {}
    for name, source in gguf_names(config).items():
        x = found[source].to("cpu").to(rl.float32)
        part = name.split(".")[-2]
        if part in heads:
            x = _rows(x, heads[part], to_gguf=True)
        if x.ndim == 2:
            fits = [k for k in (kind, "Q8_0", "F32") if x.shape[-1] % _block(k) == 0]
            x = quantized.quantize(x, fits[0])
        tensors[name] = x
    quantized.save_gguf(tensors, path, _metadata(config, kind) | _vocabulary(config, json.loads(tokenizer)))


def _block(kind: str) -> int:
    """Return the number of elements of a block."""
    if kind in ("F32", "F16", "BF16"):
        return 1
    return 256 if kind.endswith("K") else 32


def _metadata(config: Config, kind: str) -> dict[str, Any]:
    return {
        "general.architecture": "llama",
        "general.file_type": FILE_TYPES[kind],
        "llama.vocab_size": config.vocab_size,
        "llama.context_length": config.max_position_embeddings,
        "llama.embedding_length": config.hidden_size,
        "llama.block_count": config.num_hidden_layers,
        "llama.feed_forward_length": config.intermediate_size,
        "llama.attention.head_count": config.num_attention_heads,
        "llama.attention.head_count_kv": config.num_key_value_heads,
        "llama.attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        "llama.rope.dimension_count": config.head_dim,
        "llama.rope.freq_base": float(config.rope_theta),
    }


def _vocabulary(config: Config, keys: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a byte-level BPE tokenizer that splits texts as GPT-2's does."""
    split = keys.get("pre_tokenizer") or {}
    kind = keys["model"].get("type"), split.get("type"), split.get("use_regex", True)
    if kind != ("BPE", "ByteLevel", True):
        raise ValueError("a GGUF file is written with a byte-level BPE tokenizer, split as GPT-2's, only")
    ids = dict(keys["model"]["vocab"])
    special = {token["content"]: token["id"] for token in keys["added_tokens"] if token["special"]}
    texts = [text for text, _ in sorted((ids | special).items(), key=lambda item: item[1])]
    merges = keys["model"]["merges"]
    marks = {"bos_token_id": config.bos_token_id, "eos_token_id": config.ends[0] if config.ends else None}
    named = {f"tokenizer.ggml.{name}": token for name, token in marks.items() if token is not None}
    return named | {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": texts,
        # 1 is a normal token, 3 one that controls.
        "tokenizer.ggml.token_type": [3 if text in special else 1 for text in texts],
        "tokenizer.ggml.merges": [m if isinstance(m, str) else " ".join(m) for m in merges],
        "tokenizer.ggml.add_bos_token": False,
    }


def load_gguf(path: Path) -> tuple[Config, dict[str, rl.Tensor | QTensor], str]:
    """Read a GGUF file: the sizes, the weights under a hub's names, and the text of a `tokenizer.json`."""
    tensors, keys = quantized.load_gguf(path)
    if keys.get("general.architecture") != "llama" or keys.get("tokenizer.ggml.model") != "gpt2":
        found = keys.get("general.architecture"), keys.get("tokenizer.ggml.model")
        raise ValueError(
            f"{path}: expected the architecture llama with a tokenizer of type gpt2, got {found}"
        )
    part = {key.removeprefix("llama."): value for key, value in keys.items()}
    missing = [name for name in NEEDED if name not in part]
    if missing or "token_embd.weight" not in tensors:
        raise ValueError(f"{path}: missing {', '.join(missing or ['token_embd.weight'])}")
    config = Config(
        vocab_size=tensors["token_embd.weight"].shape[0],
        hidden_size=part["embedding_length"],
        intermediate_size=part["feed_forward_length"],
        num_hidden_layers=part["block_count"],
        num_attention_heads=part["attention.head_count"],
        num_key_value_heads=part.get("attention.head_count_kv", part["attention.head_count"]),
        max_position_embeddings=part["context_length"],
        rms_norm_eps=part["attention.layer_norm_rms_epsilon"],
        rope_theta=part.get("rope.freq_base", 10000.0),
        tie_word_embeddings="output.weight" not in tensors,
        bos_token_id=keys.get("tokenizer.ggml.bos_token_id"),
        eos_token_id=keys.get("tokenizer.ggml.eos_token_id", ()),
    )
    unknown = {
        "rope.scaling.type": part.get("rope.scaling.type", "none") != "none",
        "attention.key_length": part.get("attention.key_length", config.head_dim) != config.head_dim,
        "rope.dimension_count": part.get("rope.dimension_count", config.head_dim) != config.head_dim,
        "tokenizer.ggml.pre": keys.get("tokenizer.ggml.pre", "gpt-2") not in ("gpt-2", "default"),
        "tokenizer.ggml.add_bos_token": keys.get("tokenizer.ggml.add_bos_token", False),
    }
    if any(unknown.values()):
        named = ", ".join(f"{k} = {part[k]}" for k, v in unknown.items() if v)
        raise ValueError(f"{path}: the Llama of this example has no {named}")
    names = gguf_names(config)
    weights = {names.get(name, name): x for name, x in tensors.items()}
    for name, x in weights.items():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
            weights[name] = _rows(x, heads, to_gguf=False)
    return config, weights, _tokenizer(keys)


def _tokenizer(keys: dict[str, Any]) -> str:
    """Return the text of a `tokenizer.json` from the entries of a GGUF file."""
    texts = keys["tokenizer.ggml.tokens"]
    types = keys["tokenizer.ggml.token_type"]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": i, "content": texts[i], **flags} for i, kind in enumerate(types) if kind == 3]
    steps = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    merges = [merge.split(" ") for merge in keys["tokenizer.ggml.merges"]]
    model = {"type": "BPE", "vocab": {text: i for i, text in enumerate(texts)}, "merges": merges}
    return json.dumps(
        {"version": "1.0", "added_tokens": added, "pre_tokenizer": steps, "decoder": steps, "model": model}
    )


def build(
    config: Config,
    weights: Weights,
    device: str = "cpu",
    dtype: rl.DType = rl.float32,
    progress: Progress = lambda name, done, of: None,
) -> Llama:
    """Make a model of weights on a device. Quantized matrices stay quantized, others get the dtype."""
    model = Llama(config)
    wanted = {name: tuple(x.shape) for name, x in model.state_dict().items()}
    given = {name: tuple(x.shape) for name, x in weights.items()}
    wrong = sorted(name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name))
    if wrong:
        texts = [f"{name} is {given.get(name)} instead of {wanted.get(name)}" for name in wrong]
        raise ValueError("weights do not fit the sizes of the model: " + ", ".join(texts))
    for done, (name, x) in enumerate(weights.items()):
        progress(name, done + 1, len(weights))
        module = name.removesuffix(".weight")
        parent, _, child = module.rpartition(".")
        if isinstance(x, QTensor):
            layer = nn.QuantizedEmbedding if child == "embed_tokens" else nn.QuantizedLinear
            setattr(model.get_submodule(parent), child, layer(x.to(device)))
        else:
            model.get_submodule(module).weight = nn.Parameter(x.to(device).to(dtype))
    return model.to(device).to(dtype).eval()
