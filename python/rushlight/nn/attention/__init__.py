"""The attention layer, with PyTorch's names, defaults, initial values and state."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from .. import functional as F
from .. import init
from .._settings import count, probability
from ..layers import Linear
from ..module import Module
from ..parameter import Parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of several heads, see `rushlight.nn.functional.multi_head_attention_forward`.

    Parameters
    ----------
    embed_dim
        Size E of queries and of the result.
    num_heads
        Number of heads, each of size ``embed_dim // num_heads``.
    dropout
        Probability of a weight to be zeroed in training.
    bias
        Whether the projections have a bias.
    add_bias_kv
        Whether a learned key and value follow the others.
    add_zero_attn
        Whether a key and a value of zeros follow the others.
    kdim, vdim
        Sizes of keys and values; `embed_dim` if None.
    batch_first
        Whether inputs have shape ``(N, L, E)`` in place of ``(L, N, E)``.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    in_proj_weight
        Shape ``(3 * E, E)``, initially set by `rushlight.nn.init.xavier_uniform_`; None if the sizes of
        keys or values differ.
    q_proj_weight, k_proj_weight, v_proj_weight
        Shapes ``(E, E)``, ``(E, kdim)`` and ``(E, vdim)`` in that case, else None.
    in_proj_bias
        Shape ``(3 * E,)``, initially 0; or None.
    out_proj
        The last projection, a `Linear` whose bias is 0 at first.
    bias_k, bias_v
        Shape ``(1, 1, E)``, initially set by `rushlight.nn.init.xavier_normal_`; or None.

    Raises
    ------
    ValueError
        If `embed_dim` is not divisible by `num_heads`, or either is 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = rl.ones((5, 3, 4))
    >>> y, weights = layer(x, x, x)
    >>> y.shape, weights.shape
    ((5, 3, 4), (5, 3, 3))
    """

    ops = ("attention", "matmul", "addmm", "softmax")

    in_proj_weight: Tensor | None
    in_proj_bias: Tensor | None
    q_proj_weight: Tensor | None
    k_proj_weight: Tensor | None
    v_proj_weight: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        size = self.embed_dim = count(name, "embed_dim", embed_dim)
        self.num_heads = count(name, "num_heads", num_heads)
        if size == 0 or self.num_heads == 0 or size % self.num_heads:
            raise ValueError(f"{name}: embed_dim {embed_dim} is not divisible by num_heads {num_heads}")
        probability(name, dropout)
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.head_dim = size // self.num_heads
        self.kdim = size if kdim is None else count(name, "kdim", kdim)
        self.vdim = size if vdim is None else count(name, "vdim", vdim)
        same = self.kdim == self.vdim == size

        def add(key: str, wanted: bool, *shape: int) -> None:
            value = Parameter(rl.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(key, value)

        if same:
            add("in_proj_weight", True, 3 * size, size)
        for key, width in (("q", size), ("k", self.kdim), ("v", self.vdim)):
            add(f"{key}_proj_weight", not same, size, width)
        if not same:
            add("in_proj_weight", False)
        add("in_proj_bias", bias, 3 * size)
        self.out_proj = Linear(size, size, bias=bias, device=device, dtype=dtype)
        add("bias_k", add_bias_kv, 1, 1, size)
        add("bias_v", add_bias_kv, 1, 1, size)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)
        for value in (self.bias_k, self.bias_v):
            if value is not None:
                init.xavier_normal_(value)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Computes attention. Without `need_weights` it takes less time and memory.

        Parameters
        ----------
        query
            Shape ``(L, N, E)``, ``(N, L, E)`` if `batch_first`, or ``(L, E)``.
        key, value
            Shape ``(S, N, kdim)`` and ``(S, N, vdim)``, ``(N, S, ...)`` if `batch_first`, or without N.
        key_padding_mask
            Shape ``(N, S)`` or ``(S,)``: True excludes a key; numbers are added to its scores.
        need_weights
            Whether the weights are returned, too.
        attn_mask
            Shape ``(L, S)`` or ``(N * num_heads, L, S)``: True excludes a key; numbers are added to the
            scores.
        average_attn_weights
            Whether the weights are averaged over the heads.
        is_causal
            Whether `attn_mask` excludes exactly the keys after a query.

        Returns
        -------
        tuple
            The result, of the shape of `query`, and the weights, ``(N, L, S)`` or ``(N, num_heads, L, S)``,
            or None.
        """
        swapped = self.batch_first and query.ndim == 3
        if swapped:
            same = query is key and key is value
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
            key, value = (query, query) if same else (key, value)
        y, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=self.in_proj_weight is None,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (y.transpose(0, 1) if swapped else y), weights
