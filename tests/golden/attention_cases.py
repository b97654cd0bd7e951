"""The cases of attention and of the layers that are made of it. NumPy only; layers as in layer_cases.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from golden_cases import Book, Json, Recipe, bools, fixed, normal, uniform

SDPA = "scaled_dot_product_attention"
HEADS = "multi_head_attention_forward"
WITHOUT: Json = {
    "in_proj_bias": None,
    "bias_k": None,
    "bias_v": None,
    "add_zero_attn": False,
    "dropout_p": 0.0,
    "out_proj_bias": None,
}


def _functions(book: Book) -> None:
    def add(variant: str, q: Any, k: Any, v: Any, mask: Recipe | None = None, **more: Any) -> None:
        given = {"query": normal(*q), "key": normal(*k), "value": normal(*v)}
        book.case(SDPA, variant, given | ({} if mask is None else {"attn_mask": mask}), **more)

    add("plain", (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))
    add("causal", (1, 2, 6, 4), (1, 2, 6, 4), (1, 2, 6, 4), is_causal=True)
    add("causal_few_keys", (1, 2, 6, 4), (1, 2, 3, 4), (1, 2, 3, 4), is_causal=True)
    add("causal_many_keys", (1, 2, 3, 4), (1, 2, 6, 4), (1, 2, 6, 4), is_causal=True)
    add("scale", (1, 2, 5, 4), (1, 2, 5, 4), (1, 2, 5, 4), scale=0.25)
    add("tiles", (1, 1, 70, 3), (1, 1, 130, 3), (1, 1, 130, 3), scale=1.5)
    add("two", (5, 4), (7, 4), (7, 2))
    add("three", (2, 5, 4), (2, 7, 4), (2, 7, 3))
    add("five", (2, 2, 2, 3, 4), (2, 2, 2, 4, 4), (2, 2, 2, 4, 4))
    heads = ((2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4))
    add("shared", *heads, enable_gqa=True)
    add("shared_causal", *heads, enable_gqa=True, is_causal=True)
    shapes = ((2, 2, 4, 3), (2, 2, 5, 3), (2, 2, 5, 3))
    add("mask", *shapes, bools(4, 5))
    add("mask_of_heads", *shapes, bools(2, 1, 4, 5))
    # A query without keys gives 0 and has no gradient.
    add("mask_all", *shapes, fixed([[True] * 5, [False] * 5, [True] * 5, [False, True, False, False, True]]))
    add("bias", *shapes, normal(4, 5))
    add("bias_of_heads", *shapes, normal(1, 2, 4, 5))
    add("bias_of_keys", *shapes, uniform(-2, 2, 2, 1, 1, 5))
    half = ["bfloat16", "float16"]
    add("half", *shapes, dtypes=half, grad=False)
    add("half_causal", *shapes, dtypes=half, grad=False, is_causal=True)
    add("permuted", *shapes, permuted={"query": [0, 2, 1, 3], "key": [1, 0, 2, 3], "value": [0, 1, 3, 2]})

    def many(variant: str, size: int, lengths: tuple[int, int], **more: Any) -> None:
        queries, keys = lengths
        kwargs = {"embed_dim_to_check": size, "num_heads": 2, **WITHOUT, "in_proj_weight": None}
        tensors: dict[str, Recipe] = {
            "query": normal(queries, 2, size),
            "key": normal(keys, 2, more.pop("kdim", size)),
            "value": normal(keys, 2, more.pop("vdim", size)),
            "out_proj_weight": normal(size, size, scale=0.5),
        }
        tensors |= {key: more.pop(key) for key in list(more) if callable(more[key])}
        for key in tensors:
            kwargs.pop(key, None)
        kwargs |= more
        book.case(HEADS, variant, tensors, **kwargs)

    packed: dict[str, Any] = {"in_proj_weight": normal(18, 6, scale=0.5), "in_proj_bias": normal(18)}
    many("plain", 6, (4, 5), **packed, out_proj_bias=normal(6))
    many("unaveraged", 6, (4, 5), **packed, average_attn_weights=False)
    many(
        "masked",
        6,
        (4, 5),
        **packed,
        attn_mask=normal(4, 5),
        key_padding_mask=fixed([[False] * 4 + [True]] * 2),
    )
    upper = fixed([[j > i for j in range(4)] for i in range(4)])
    many("causal", 6, (4, 4), **packed, attn_mask=upper, is_causal=True)
    many("padded", 6, (4, 5), **packed, key_padding_mask=normal(2, 5))
    many("masks_of_heads", 6, (4, 5), **packed, attn_mask=normal(4, 4, 5))
    more = {"bias_k": normal(1, 1, 6), "bias_v": normal(1, 1, 6), "add_zero_attn": True}
    many("more_keys", 6, (4, 5), **packed, **more, attn_mask=normal(4, 5), key_padding_mask=normal(2, 5))
    separate = {
        "q_proj_weight": normal(6, 6),
        "k_proj_weight": normal(6, 3),
        "v_proj_weight": normal(6, 5),
        "use_separate_proj_weight": True,
    }
    many("separate", 6, (4, 5), kdim=3, vdim=5, **separate)


def _attention(size: int, prefix: str = "") -> Json:
    return {
        f"{prefix}in_proj_weight": normal(3 * size, size, scale=0.5),
        f"{prefix}in_proj_bias": normal(3 * size),
        f"{prefix}out_proj.weight": normal(size, size, scale=0.5),
        f"{prefix}out_proj.bias": normal(size),
    }


def _block(size: int, wide: int, norms: int, prefix: str = "") -> Json:
    state = _attention(size, f"{prefix}self_attn.")
    if norms == 3:
        state |= _attention(size, f"{prefix}multihead_attn.")
    state |= {f"{prefix}linear1.weight": normal(wide, size), f"{prefix}linear1.bias": normal(wide)}
    state |= {f"{prefix}linear2.weight": normal(size, wide), f"{prefix}linear2.bias": normal(size)}
    return state | _norms(size, [f"{prefix}norm{i + 1}" for i in range(norms)])


def _norms(size: int, names: list[str]) -> Json:
    return {f"{n}.{key}": normal(size, offset=1.0) for n in names for key in ("weight", "bias")}


def attention(book: Book) -> None:
    _functions(book)

    def add(name: str, variant: str, *inputs: Recipe, state: Json, **more: Any) -> None:
        given = {f"x{i}": x for i, x in enumerate(inputs)} | {f"state.{key}": x for key, x in state.items()}
        book.case(name, variant, given, constants=[f"state.{key}" for key in state], **more)

    layer = "MultiheadAttention"
    x, y = normal(4, 2, 6), normal(5, 2, 6)
    sizes = {"embed_dim": 6, "num_heads": 2}
    add(layer, "", x, y, y, state=_attention(6), **sizes)
    first = normal(2, 5, 6)
    add(layer, "first", normal(2, 4, 6), first, first, state=_attention(6), **sizes, batch_first=True)
    add(layer, "unbatched", normal(4, 6), normal(5, 6), normal(5, 6), state=_attention(6), **sizes)
    separate = {
        "q_proj_weight": normal(6, 6),
        "k_proj_weight": normal(6, 3),
        "v_proj_weight": normal(6, 5),
        "bias_k": normal(1, 1, 6),
        "bias_v": normal(1, 1, 6),
        "out_proj.weight": normal(6, 6),
    }
    kwargs = {**sizes, "kdim": 3, "vdim": 5, "bias": False, "add_bias_kv": True, "add_zero_attn": True}
    add(layer, "separate", x, normal(5, 2, 3), normal(5, 2, 5), state=separate, **kwargs)
    block: Json = {"d_model": 4, "nhead": 2, "dim_feedforward": 5, "dropout": 0.0}
    x, y = normal(3, 2, 4), normal(5, 2, 4)
    for variant, more in (("", {}), ("first", {"norm_first": True, "activation": "gelu"})):
        add("TransformerEncoderLayer", variant, x, state=_block(4, 5, 2), **block, **more)
        add("TransformerDecoderLayer", variant, x, y, state=_block(4, 5, 3), **block, **more)
    state = _block(4, 5, 2, "encoder.layers.0.") | _block(4, 5, 3, "decoder.layers.0.")
    state |= _norms(4, ["encoder.norm", "decoder.norm"])
    add("Transformer", "", y, x, state=state, **block, num_encoder_layers=1, num_decoder_layers=1)


FAMILIES: dict[str, Callable[[Book], None]] = {"attention": attention}
