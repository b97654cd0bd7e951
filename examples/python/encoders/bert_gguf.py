"""GGUF files of a BERT, as llama.cpp reads them for embeddings: the encoder and the tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bert import Bert, Config
from hub import check_weights
from tokenizers import Tokenizer
from wordpiece import SPECIAL, bert_tokenizer

import rushlight as rl
from rushlight import nn, quantized
from rushlight.quantized import QTensor

# Modules of the whole and of a layer in a GGUF file, and on a hub.
WHOLE = {
    "token_embd": "word_embeddings",
    "position_embd": "position_embeddings",
    "token_types": "token_type_embeddings",
    "token_embd_norm": "LayerNorm",
}
LAYER = {
    "attn_q": "attention.self.query",
    "attn_k": "attention.self.key",
    "attn_v": "attention.self.value",
    "attn_output": "attention.output.dense",
    "attn_output_norm": "attention.output.LayerNorm",
    "ffn_up": "intermediate.dense",
    "ffn_down": "output.dense",
    "layer_output_norm": "output.LayerNorm",
}
# llama.cpp's numbers of the type that most tensors of a file have.
FILE_TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 7, "Q4K": 14, "Q6K": 18}
# Tables that are added as they are.
NUMBERS = ("position_embd", "token_types")


def hub_name(name: str) -> str:
    """Return a hub's name of a tensor of a GGUF file."""
    module, _, kind = name.rpartition(".")
    if not module.startswith("blk."):
        return f"bert.embeddings.{WHOLE.get(module, module)}.{kind}"
    _, i, part = module.split(".", 2)
    return f"bert.encoder.layer.{i}.{LAYER.get(part, part)}.{kind}"


def save_gguf(model: Bert, path: Path, tokenizer: Tokenizer, kind: str = "Q8_0") -> None:
    """Write the encoder. Matrices have blocks of `kind`, or numbers where a row is not whole blocks of it."""
    config, found = model.config, model.state_dict()
    modules = [*WHOLE, *(f"blk.{i}.{part}" for i in range(config.num_hidden_layers) for part in LAYER)]
    tensors: dict[str, rl.Tensor | QTensor] = {}
    for module in modules:
        for name in (f"{module}.weight", f"{module}.bias"):
            if hub_name(name) not in found:
                continue
            x = found[hub_name(name)].to("cpu").to(rl.float32)
            whole = x.shape[-1] % (256 if kind.endswith("K") else 32) == 0
            blocks = x.ndim == 2 and whole and module not in NUMBERS
            tensors[name] = quantized.quantize(x, kind) if blocks else x
    quantized.save_gguf(tensors, path, _metadata(config, kind) | _vocabulary(tokenizer))


def _metadata(config: Config, kind: str) -> dict[str, Any]:
    if config.hidden_act != "gelu":
        raise ValueError(f"a GGUF file of a BERT means gelu, and the model has {config.hidden_act}")
    return {
        "general.architecture": "bert",
        "general.file_type": FILE_TYPES[kind],
        "bert.context_length": config.max_position_embeddings,
        "bert.embedding_length": config.hidden_size,
        "bert.block_count": config.num_hidden_layers,
        "bert.feed_forward_length": config.intermediate_size,
        "bert.attention.head_count": config.num_attention_heads,
        "bert.attention.layer_norm_epsilon": float(config.layer_norm_eps),
        "bert.attention.causal": False,
        # The mean of the vectors of a text.
        "bert.pooling_type": 1,
        "tokenizer.ggml.token_type_count": config.type_vocab_size,
    }


def _vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the entries of a WordPiece tokenizer: a word begins with U+2581, and its other parts do not."""
    ids = tokenizer.get_vocab()
    texts = [text for text, _ in sorted(ids.items(), key=lambda item: item[1])]
    pad, unknown, cls, sep, mask = (ids[text] for text in SPECIAL)

    def spelled(text: str) -> str:
        if text in SPECIAL:
            return text
        return text[2:] if text.startswith("##") else f"\u2581{text}"

    return {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": [spelled(text) for text in texts],
        # 1 is a normal token, 3 one that controls.
        "tokenizer.ggml.token_type": [3 if text in SPECIAL else 1 for text in texts],
        "tokenizer.ggml.bos_token_id": cls,
        "tokenizer.ggml.cls_token_id": cls,
        "tokenizer.ggml.eos_token_id": sep,
        "tokenizer.ggml.seperator_token_id": sep,
        "tokenizer.ggml.unknown_token_id": unknown,
        "tokenizer.ggml.padding_token_id": pad,
        "tokenizer.ggml.mask_token_id": mask,
    }


def load_gguf(path: Path, device: str = "cpu") -> tuple[Bert, Tokenizer]:
    """Read a GGUF file of a BERT. Quantized matrices stay quantized."""
    tensors, keys = quantized.load_gguf(path)
    if keys.get("general.architecture") != "bert" or keys.get("tokenizer.ggml.model") != "bert":
        raise ValueError(f"{path}: expected the architecture bert with a tokenizer of type bert")
    part = {key.removeprefix("bert."): value for key, value in keys.items()}
    config = Config(
        vocab_size=tensors["token_embd.weight"].shape[0],
        hidden_size=part["embedding_length"],
        num_hidden_layers=part["block_count"],
        num_attention_heads=part["attention.head_count"],
        intermediate_size=part["feed_forward_length"],
        max_position_embeddings=part["context_length"],
        type_vocab_size=keys["tokenizer.ggml.token_type_count"],
        layer_norm_eps=part["attention.layer_norm_epsilon"],
        pad_token_id=keys.get("tokenizer.ggml.padding_token_id", 0),
    )
    model = Bert(config, head=False)
    weights = {hub_name(name): x for name, x in tensors.items()}
    try:
        check_weights(model, weights)
    except ValueError as err:
        raise ValueError(f"{path}: {err}") from None
    for name, x in weights.items():
        module, _, kind = name.rpartition(".")
        parent, _, child = module.rpartition(".")
        if not isinstance(x, QTensor):
            setattr(model.get_submodule(module), kind, nn.Parameter(x))
        elif child == "word_embeddings":
            setattr(model.get_submodule(parent), child, nn.QuantizedEmbedding(x))
        else:
            # (A file may have the bias before the matrix.)
            bias = weights[f"{module}.bias"]
            assert not isinstance(bias, QTensor)
            setattr(model.get_submodule(parent), child, nn.QuantizedLinear(x, bias))
    return model.to(device).eval(), _tokenizer(keys)


def _tokenizer(keys: dict[str, Any]) -> Tokenizer:
    """Make the tokenizer of a file's entries."""
    texts, types = keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.token_type"]
    vocab = {}
    for i, (text, kind) in enumerate(zip(texts, types, strict=True)):
        if kind == 1:
            text = text[1:] if text.startswith("\u2581") else f"##{text}"
        vocab[text] = i
    return bert_tokenizer(vocab)
