"""Attention of sequences of different lengths, packed without padding."""

from __future__ import annotations

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ..functional._arguments import check_dtypes

__all__ = ["varlen_attn"]


@typed
def varlen_attn(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seq_q: Tensor,
    cu_seq_k: Tensor,
    max_q: int,
    max_k: int,
    *,
    scale: float | None = None,
    window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False,
    dropout_p: float = 0.0,
) -> Tensor:
    """Computes attention of packed sequences: each attends to its own keys.

    Sequences follow each other in `query`, `key` and `value`, without padding; a sequence may have no
    queries or no keys. Query ``i`` of sequence ``n`` is row ``cu_seq_q[n] + i``. Rows after the last sequence
    belong to none: their result and their gradients are 0, as is the result of a query without keys.

    Parameters
    ----------
    query
        Shape ``(T, H, D)``; floating point.
    key, value
        Shapes ``(S, H, D)`` and ``(S, H, E)``.
    cu_seq_q, cu_seq_k
        Integers of shape ``(N + 1,)``, ascending from 0 to at most T and S: the first query and the first key
        of each sequence, and the end of the last.
    max_q, max_k
        Lengths of the longest sequences. PyTorch needs them; here they only have to be integers.
    scale
        Factor of the products of queries and keys; ``1 / sqrt(D)`` if None.
    window_size
        ``(-1, -1)``: a query attends to all keys of its sequence. ``(-1, 0)``: the last query to all of them,
        the one before it to all but the last, and so on. Other windows are not supported.
    enable_gqa
        Whether `query` may have a multiple of the heads of `key` and `value`: neighbouring heads share one.
    dropout_p
        Probability of a weight to be zeroed; the others are scaled by ``1 / (1 - dropout_p)``. PyTorch has no
        such parameter.

    Returns
    -------
    Tensor
        Shape ``(T, H, E)``, of the dtype of `query`.

    Raises
    ------
    ValueError
        If the shapes do not fit, or `dropout_p` is not a probability.
    TypeError
        If `query`, `key` and `value` are of different dtypes, or offsets are not integers.
    IndexError
        If offsets do not ascend from 0 to at most the number of rows. On a GPU it comes with the next
        transfer to the host.
    NotImplementedError
        If `window_size` is another one.

    Examples
    --------
    >>> import rushlight as rl
    >>> from rushlight.nn.attention.varlen import varlen_attn
    >>> q, v = rl.ones((3, 1, 2)), rl.tensor([[[1.0]], [[3.0]], [[5.0]]])
    >>> cu_seq = rl.tensor([0, 2, 3])
    >>> varlen_attn(q, q, v, cu_seq, cu_seq, 2, 2).flatten().tolist()
    [2.0, 2.0, 5.0]
    """
    op = "varlen_attn"
    check_dtypes(op, query, key)
    check_dtypes(op, query, value)
    for name, offsets in (("cu_seq_q", cu_seq_q), ("cu_seq_k", cu_seq_k)):
        if not offsets.dtype.kind.endswith("integer"):
            raise TypeError(f"{op}: {name} holds integers, got {offsets.dtype}")
    if window_size not in ((-1, -1), (-1, 0)):
        raise NotImplementedError(f"{op}: window_size is (-1, -1) or (-1, 0), got {window_size}")
    if query.ndim == key.ndim == 3 and not enable_gqa and query.shape[1] != key.shape[1]:
        heads = f"{query.shape[1]} and {key.shape[1]}"
        raise ValueError(f"{op}: query and key have {heads} heads; to share heads pass enable_gqa=True")
    causal = window_size == (-1, 0)
    return _native._packed_attention(query, key, value, cu_seq_q, cu_seq_k, dropout_p, causal, scale)
