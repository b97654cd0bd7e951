"""Attention."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight import _core as rl
from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import check_dtypes
from .activations import softmax
from .dropout import dropout
from .linear import linear
from .pad import pad

__all__ = ["multi_head_attention_forward", "rotary_embedding", "scaled_dot_product_attention"]


@typed
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Computes ``softmax(query @ key.mT * scale + attn_mask) @ value``.

    The weights of all queries and keys are not in memory at once, neither are they in the backward pass,
    unless it records a graph (``create_graph=True``). A query whose keys are all excluded gives 0.

    Parameters
    ----------
    query
        Shape ``(..., H, L, D)``; floating point, two or more axes.
    key
        Shape ``(..., H, S, D)``.
    value
        Shape ``(..., H, S, E)``.
    attn_mask
        Broadcasts to ``(..., H, L, S)``. Booleans exclude the keys where they are False; numbers are
        added to the scaled products.
    dropout_p
        Probability of a weight to be zeroed; the others are scaled by ``1 / (1 - dropout_p)``. The backward
        pass draws the same weights again.
    is_causal
        Whether query ``i`` attends to the keys 0 to ``i`` only.
    scale
        Factor of the products; ``1 / sqrt(D)`` if None.
    enable_gqa
        Whether `query` may have a multiple of the heads of `key` and `value`: neighbouring heads share one.
        The heads are the third axis from the end.

    Returns
    -------
    Tensor
        Shape ``(..., H, L, E)``, of the dtype of `query`.

    Raises
    ------
    ValueError
        If the shapes do not fit, if both `attn_mask` and `is_causal` are given, or if `dropout_p` is not a
        probability.
    TypeError
        If `query`, `key` and `value` are of different dtypes, or `attn_mask` is one of integers.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> F.scaled_dot_product_attention(x, x, rl.tensor([[1.0], [3.0]]), is_causal=True, scale=0.0).tolist()
    [[1.0], [2.0]]
    """
    op = "scaled_dot_product_attention"
    check_dtypes(op, query, key)
    check_dtypes(op, query, value)
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise ValueError(f"{op}: needs at least 2 axes, got {query.shape}, {key.shape} and {value.shape}")
    if is_causal and attn_mask is not None:
        raise ValueError(f"{op}: attn_mask and is_causal exclude each other; put the triangle into attn_mask")
    if not enable_gqa:
        query, key, value = _together(op, query, key, value)
    if attn_mask is not None:
        wanted = (*query.shape[:-1], key.shape[-2])
        axes = zip(reversed(attn_mask.shape), reversed(wanted), strict=False)
        if attn_mask.ndim > len(wanted) or any(size not in (1, most) for size, most in axes):
            raise ValueError(f"{op}: attn_mask of shape {attn_mask.shape} does not broadcast to {wanted}")
        if attn_mask.dtype.is_floating_point:
            attn_mask = attn_mask.to(query.dtype)
        elif attn_mask.dtype != rl.bool:
            raise TypeError(
                f"{op}: attn_mask is bool or floating point, got {attn_mask.dtype}; write "
                "attn_mask.bool() if its zeros exclude keys"
            )
    # The kernels take the first axis of rank 3 as the batch, and heads that share keys need an axis.
    alone = enable_gqa and query.ndim == key.ndim == value.ndim == 3
    if alone:
        query, key, value = (rl.expand_dims(x, axis=0) for x in (query, key, value))
    out = _native._attention(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return rl.squeeze(out, axis=0) if alone else out


def _together(op: str, *tensors: Tensor) -> list[Tensor]:
    """Broadcast all axes but the last two."""
    leading = [t.shape[:-2] for t in tensors]
    if all(shape == leading[0] for shape in leading):
        return list(tensors)
    try:
        shape = rl.broadcast_shapes(*leading)
    except ValueError:
        shapes = ", ".join(str(t.shape) for t in tensors)
        raise ValueError(
            f"{op}: the leading axes of {shapes} do not broadcast (heads share keys with enable_gqa=True)"
        ) from None
    return [rl.broadcast_to(t, shape + t.shape[-2:]) for t in tensors]


def _additive(op: str, name: str, mask: Tensor | None, dtype: rl.DType) -> Tensor | None:
    """A mask whose True excludes a key as numbers to be added."""
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype != rl.bool:
        raise TypeError(f"{op}: {name} is bool or floating point, got {mask.dtype}")
    return rl.zeros_like(mask, dtype=dtype).masked_fill(mask, -math.inf)


def _projected(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weights: Sequence[Tensor] | Tensor,
    bias: Tensor | None,
) -> tuple[Tensor, ...]:
    """Queries, keys and values by one weight or three."""
    biases: Sequence[Tensor | None] = (None, None, None) if bias is None else bias.chunk(3)
    if isinstance(weights, Tensor):
        if query is key and key is value:
            return linear(query, weights, bias).chunk(3, -1)
        weights = weights.chunk(3)
    inputs = (query, key, value)
    return tuple(linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True))


def _check_sizes(op: str, query: Tensor, key: Tensor, value: Tensor) -> None:
    """Raise ValueError unless queries, keys and values fit together."""
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        shapes = f"{query.shape}, {key.shape} and {value.shape}"
        raise ValueError(f"{op}: query, key and value have shape (L, N, E) or (L, E), got {shapes}")
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(f"{op}: expected as many values as keys, got {key.shape} and {value.shape}")


def check_masks(
    op: str,
    sizes: tuple[int, int, int | None],
    heads: int,
    masks: tuple[Tensor | None, Tensor | None],
    names: tuple[str, str] = ("attn_mask", "key_padding_mask"),
) -> None:
    """Raise ValueError unless the two masks fit L queries and S keys of N sequences; N may be None."""
    length, keys, batch = sizes
    mask, padding = masks
    if padding is not None:
        letters, wanted = ("(S,)", (keys,)) if batch is None else ("(N, S)", (batch, keys))
        if padding.shape != wanted:
            advice = "; transpose it" if padding.shape == wanted[::-1] else ""
            raise ValueError(f"{op}: {names[1]} has shape {letters} = {wanted}, got {padding.shape}{advice}")
    many = heads * (batch or 1)
    if mask is not None and mask.shape not in ((length, keys), (many, length, keys), (1, length, keys)):
        raise ValueError(
            f"{op}: {names[0]} has shape (L, S) = ({length}, {keys}) or (N * num_heads, L, S) = "
            f"({many}, {length}, {keys}), got {mask.shape}"
        )


@typed
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Computes attention of several heads, with projections before and after it.

    Without `need_weights` the weights of all queries and keys are not in memory at once.

    Parameters
    ----------
    query
        Shape ``(L, N, E)`` or ``(L, E)``.
    key, value
        Shape ``(S, N, K)`` and ``(S, N, V)``, or without N.
    embed_dim_to_check
        Size E of queries and of the result.
    num_heads
        Number of heads, each of size ``E // num_heads``.
    in_proj_weight
        Shape ``(3 * E, E)``: projections of queries, keys and values; None with `use_separate_proj_weight`.
    in_proj_bias
        Shape ``(3 * E,)``, or None.
    bias_k, bias_v
        A key and a value after the others, of shape ``(1, 1, E)``; or None.
    add_zero_attn
        Whether a key and a value of zeros follow.
    dropout_p
        Probability of a weight to be zeroed in training.
    out_proj_weight, out_proj_bias
        The last projection, shapes ``(E, E)`` and ``(E,)``.
    training
        Whether there is dropout.
    key_padding_mask
        Shape ``(N, S)`` or ``(S,)``: True excludes a key, numbers are added to its products.
    need_weights
        Whether the weights are returned, too.
    attn_mask
        Shape ``(L, S)`` or ``(N * num_heads, L, S)``: True excludes a key, numbers are added to the products.
    use_separate_proj_weight
        Whether there are three weights for projections.
    q_proj_weight, k_proj_weight, v_proj_weight
        Those weights, of shapes ``(E, E)``, ``(E, K)`` and ``(E, V)``.
    static_k, static_v
        Projected keys and values in place of those of `key` and `value`, of shape
        ``(N * num_heads, S, E // num_heads)``.
    average_attn_weights
        Whether the weights are averaged over the heads.
    is_causal
        Whether `attn_mask` excludes exactly the keys after a query, which is then not read if it need not be.

    Returns
    -------
    tuple
        The result, of the shape of `query`, and the weights, ``(N, L, S)`` or ``(N, num_heads, L, S)``
        (without N if `query` has none), or None.

    Raises
    ------
    ValueError
        If sizes do not fit, or `is_causal` comes without `attn_mask`.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x, eye = rl.ones((3, 1, 4)), rl.eye(4)
    >>> y, weights = F.multi_head_attention_forward(
    ...     x, x, x, 4, 2, rl.concat([eye] * 3), None, None, None, False, 0.0, eye, None
    ... )
    >>> y.shape, weights.shape
    ((3, 1, 4), (1, 3, 3))
    """
    op = "multi_head_attention_forward"
    _check_sizes(op, query, key, value)
    if query.shape[-1] != embed_dim_to_check:
        raise ValueError(f"{op}: query has size {query.shape[-1]}, expected {embed_dim_to_check}")
    head = embed_dim_to_check // num_heads
    if head * num_heads != embed_dim_to_check:
        raise ValueError(f"{op}: embed_dim {embed_dim_to_check} is not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise ValueError(f"{op}: is_causal says what attn_mask holds; pass attn_mask, too")
    batched = query.ndim == 3
    sizes = (query.shape[0], key.shape[0] if static_k is None else static_k.shape[1])
    masks = (attn_mask, key_padding_mask)
    check_masks(op, (*sizes, query.shape[1] if batched else None), num_heads, masks)
    if not batched:
        same = query is key and key is value
        query, key, value = (rl.expand_dims(x, 1) for x in (query, key, value))
        key, value = (query, query) if same else (key, value)
        if key_padding_mask is not None:
            key_padding_mask = rl.expand_dims(key_padding_mask, 0)
    length, batch, _ = query.shape
    padding = _additive(op, "key_padding_mask", key_padding_mask, query.dtype)
    causal = is_causal and padding is None and not need_weights
    mask = None if causal else _additive(op, "attn_mask", attn_mask, query.dtype)
    if mask is not None and mask.ndim == 2:
        mask = rl.expand_dims(mask, 0)
    if use_separate_proj_weight:
        if q_proj_weight is None or k_proj_weight is None or v_proj_weight is None:
            raise ValueError(f"{op}: use_separate_proj_weight needs the weights of q, k and v")
        weights: Sequence[Tensor] | Tensor = (q_proj_weight, k_proj_weight, v_proj_weight)
    elif in_proj_weight is None:
        raise ValueError(f"{op}: needs in_proj_weight, or use_separate_proj_weight and three weights")
    else:
        weights = in_proj_weight
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    more = 0
    if bias_k is not None and bias_v is not None:
        k, v = (
            rl.concat([x, rl.broadcast_to(b, (1, batch, b.shape[-1]))], 0)
            for x, b in ((k, bias_k), (v, bias_v))
        )
        more += 1

    def heads(x: Tensor, static: Tensor | None) -> Tensor:
        """Return shape (N, heads, S, size)."""
        if static is not None:
            return rl.reshape(static, (batch, num_heads, *static.shape[1:]))
        return rl.reshape(x, (x.shape[0], batch, num_heads, head)).permute(1, 2, 0, 3)

    q, k, v = heads(q, None), heads(k, static_k), heads(v, static_v)
    if add_zero_attn:
        zero = rl.zeros((batch, num_heads, 1, head), dtype=k.dtype, device=k.device)
        k, v = rl.concat([k, zero], 2), rl.concat([v, zero], 2)
        more += 1
    # The keys added are never excluded.
    mask, padding = (m if m is None or more == 0 else pad(m, (0, more)) for m in (mask, padding))
    if mask is not None:
        mask = rl.reshape(mask, (-1, 1 if mask.shape[0] == 1 else num_heads, *mask.shape[1:]))
    if padding is not None:
        padding = rl.reshape(padding, (batch, 1, 1, -1))
        mask = padding if mask is None else mask + padding
    p = dropout_p if training else 0.0
    found = None
    if need_weights:
        scores = (q * (1.0 / math.sqrt(head))) @ k.mT
        found = softmax(scores if mask is None else scores + mask, -1)
        if p > 0.0:
            found = dropout(found, p)
        y = found @ v
        found = found.mean(dim=1) if average_attn_weights else found
        found = found if batched else found.squeeze(0)
    else:
        y = scaled_dot_product_attention(q, k, v, mask, p, causal)
    y = rl.reshape(y.permute(2, 0, 1, 3), (length, batch, embed_dim_to_check))
    y = linear(y, out_proj_weight, out_proj_bias)
    return (y if batched else y.squeeze(1)), found


@typed
def rotary_embedding(input: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False) -> Tensor:
    """Rotates pairs of elements: ``(a, b)`` becomes ``(a cos - b sin, a sin + b cos)`` (Su et al. 2021).

    PyTorch has no such function.

    Parameters
    ----------
    input
        Shape ``(..., L, D)`` with an even D; floating point.
    cos, sin
        Shape ``(L, D // 2)``, or any that broadcasts to ``(..., L, D // 2)``; for an input ``(B, H, L, D)``
        also ``(B, L, D // 2)``. Of the dtype of `input`.
    interleaved
        Whether a pair is two neighbours, not an element of the first half and the one of the second half at
        the same index.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    TypeError
        If the dtypes differ.
    ValueError
        If the last axis is odd, or the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn import functional as F
    >>> x = rl.tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> F.rotary_embedding(x, rl.tensor([[0.0, 1.0]]), rl.tensor([[1.0, 0.0]])).tolist()
    [[-3.0, 2.0, 1.0, 4.0]]
    """
    check_dtypes("rotary_embedding", input, cos)
    check_dtypes("rotary_embedding", input, sin)
    return _native._rotary_embedding(input, cos, sin, interleaved)
