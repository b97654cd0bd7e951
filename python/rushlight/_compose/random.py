"""Random tensors that are composed of other functions, and draws with given probabilities."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .. import _native as n
from .. import _types as t
from .._check import renamed, several, typed
from .._native import Device, DType, Generator, Tensor

__all__ = [
    "multinomial",
    "normal",
    "rand_like",
    "randint_like",
    "randn_like",
    "randperm",
    "sample_logits",
]


@typed
def rand_like(
    x: Tensor,
    /,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Returns uniform random numbers in [0, 1).

    Parameters
    ----------
    x
        The tensor whose shape, dtype and device are taken; floating point.
    dtype, device
        Others than those of `x`.
    requires_grad
        Whether gradients are recorded for the result.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Of the shape, dtype and device of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.rand_like(rl.ones((2, 3))).shape
    (2, 3)
    """
    return n.rand(
        x.shape,
        dtype=dtype or x.dtype,
        device=device or x.device,
        requires_grad=requires_grad,
        generator=generator,
    )


@typed
def randn_like(
    x: Tensor,
    /,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    requires_grad: builtins.bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Returns standard normal random numbers.

    Parameters
    ----------
    x
        The tensor whose shape, dtype and device are taken; floating point.
    dtype, device
        Others than those of `x`.
    requires_grad
        Whether gradients are recorded for the result.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Of the shape, dtype and device of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.randn_like(rl.ones((2, 3))).shape
    (2, 3)
    """
    return n.randn(
        x.shape,
        dtype=dtype or x.dtype,
        device=device or x.device,
        requires_grad=requires_grad,
        generator=generator,
    )


@typed
def randint_like(
    x: Tensor,
    /,
    low: int,
    high: int | None = None,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Returns random integers from ``low`` up to ``high`` (excluded); ``randint_like(x, high)`` draws from 0.

    Parameters
    ----------
    x
        The tensor whose shape, dtype and device are taken.
    low, high
        The ends.
    dtype, device
        Others than those of `x`.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Of the shape, dtype and device of `x`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.randint_like(rl.ones((2, 3)), 5).shape
    (2, 3)
    """
    ends = (0, low) if high is None else (low, high)
    return n.randint(*ends, x.shape, dtype=dtype or x.dtype, device=device or x.device, generator=generator)


@typed
def randperm(
    n: int,
    /,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Returns the whole numbers from 0 to n - 1 in random order.

    Parameters
    ----------
    n
        Number of elements.
    dtype
        The dtype; int64 by default.
    device
        The device; the CPU by default.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Shape ``(n,)``.

    Raises
    ------
    ValueError
        If `n` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> sorted(rl.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    if n < 0:
        raise ValueError(f"randperm: n is {n}, and may not be negative")
    from .. import _native

    drawn = _native.rand(n, dtype=t.float64, device=device, generator=generator)
    return _native.argsort(drawn).to(dtype or t.int64)


@typed
def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: int | Sequence[int] | None = None,
    *,
    dtype: DType | str | None = None,
    device: Device | str | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draws from normal distributions.

    Parameters
    ----------
    mean, std
        Mean and standard deviation: tensors that broadcast, or numbers.
    size
        The shape, where both are numbers.
    dtype, device
        Of the result; those of the tensors by default.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        Of shape `size`, or the broadcast shape of the tensors.

    Raises
    ------
    ValueError
        If a standard deviation is negative, or `size` is given with a tensor.
    TypeError
        If both are numbers and `size` is missing.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.normal(0.0, 2.0, size=(2, 3)).shape
    (2, 3)
    """
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if (len(tensors) > 0) == (size is not None):
        if size is None:
            raise TypeError("normal: size is missing, and mean and std are numbers")
        raise ValueError("normal: size goes with two numbers; a tensor has its own shape")
    if builtins.bool(n.any(std < 0)) if isinstance(std, Tensor) else std < 0:
        raise ValueError("normal: a standard deviation is negative")
    if size is not None:
        return (
            n.randn(several(size, "normal: size"), dtype=dtype, device=device, generator=generator) * std
            + mean
        )
    from .shapes import broadcast_shapes

    shape = broadcast_shapes(*(x.shape for x in tensors))
    first = tensors[0]
    draw = n.randn(shape, dtype=dtype or first.dtype, device=device or first.device, generator=generator)
    return draw * std + mean


@typed
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: builtins.bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draws indices with probabilities in proportion to weights.

    With one sample, or without replacement, the indices of the largest ``weight / e`` are taken for
    exponential random numbers ``e`` (Efraimidis and Spirakis, 2006): the n-th index is distributed as a draw
    from the rest.

    Parameters
    ----------
    input
        Weights of shape ``(k,)`` or ``(rows, k)``: floating point, finite, none negative, not all 0 in a row.
    num_samples
        Number of indices to draw for each row.
    replacement
        Whether an index may be drawn again.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        int64, of shape ``(num_samples,)`` or ``(rows, num_samples)``.

    Raises
    ------
    TypeError
        If the dtype is not floating point.
    ValueError
        If the rank is another, a weight is negative or not finite, a row has the sum 0, or more samples
        without replacement are asked for than there are positive weights.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.multinomial(rl.tensor([0.0, 1.0, 0.0]), 3, replacement=True).tolist()
    [1, 1, 1]
    """
    if not input.dtype.is_floating_point:
        raise TypeError(f"multinomial: expected floating-point weights, got {input.dtype}")
    if input.ndim not in (1, 2) or num_samples < 1:
        raise ValueError(
            f"multinomial: expected rank 1 or 2 and a positive number of samples, got shape {input.shape} "
            f"and {num_samples}"
        )
    weights = input.detach().to(t.float64)
    if not builtins.bool(n.all(n.logical_and(weights >= 0, weights < t.inf))):
        raise ValueError("multinomial: a weight is negative or not finite")
    positive = n.sum((weights > 0).astype(t.int64), axis=-1)
    least = int(n.amin(positive)) if positive.size and weights.shape[-1] else 0
    if positive.size and least < (1 if replacement else num_samples):
        raise ValueError(
            f"multinomial: {num_samples} samples of a row with {least} positive weights"
            + ("" if replacement else "; replacement=True draws indices again")
        )
    shape = (*input.shape[:-1], num_samples)
    if replacement and num_samples > 1:
        # The first index at which the running sum is above a uniform number.
        sums = n.cumulative_sum(weights, axis=-1)
        drawn = n.rand(shape, dtype=t.float64, device=input.device, generator=generator) * sums[..., -1:]
        flat, wanted = n.reshape(sums, (-1, input.shape[-1])), n.reshape(drawn, (-1, num_samples))
        from .sets import searchsorted

        rows = [searchsorted(flat[i], wanted[i], side="right") for i in range(flat.shape[0])]
        found = n.stack(rows) if rows else n.zeros((0, num_samples), dtype=t.int64, device=input.device)
        return n.reshape(found, shape)
    uniform = n.rand(weights.shape, dtype=t.float64, device=input.device, generator=generator)
    # 1 - u is never 0, so that its logarithm is finite; an exponential number of 0 makes the ratio infinite.
    keys = n.where(weights > 0, weights / -n.log(1 - uniform), -1.0)
    if num_samples == 1:
        return n.argmax(keys, axis=-1, keepdims=True)
    return n.argsort(keys, axis=-1, descending=True).narrow(-1, 0, num_samples)


@typed
@renamed("multinomial")
def sample_logits(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draws the next token from logits, with temperature, top-k and nucleus sampling.

    Parameters
    ----------
    logits
        Shape ``(k,)`` or ``(rows, k)``; floating point.
    temperature
        Divides the logits; 0 takes the largest.
    top_k
        Only the `top_k` largest logits of a row take part.
    top_p
        Then only the smallest set of tokens whose probabilities add up to `top_p` or more.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        int64, a scalar or of shape ``(rows,)``: the index drawn in each row.

    Raises
    ------
    ValueError
        If the rank is another, the temperature is negative, `top_k` is below 1, or `top_p` is not in (0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.sample_logits(rl.tensor([1.0, 5.0, 2.0]), temperature=0.0).item()
    1
    >>> rl.sample_logits(rl.tensor([[0.0, 9.0], [9.0, 0.0]]), top_k=1).tolist()
    [1, 0]
    """
    if logits.ndim not in (1, 2):
        raise ValueError(f"sample_logits: expected rank 1 or 2, got shape {logits.shape}")
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError(
            "sample_logits: expected temperature >= 0, top_k >= 1 and 0 < top_p <= 1, "
            f"got {temperature}, {top_k} and {top_p}"
        )
    x = logits.detach().to(t.float32)
    if temperature == 0:
        return n.argmax(x, axis=-1)
    # Of equal logits those with the lower index come first, so that exactly top_k tokens take part.
    values, order = n.sort(x / temperature, dim=-1, descending=True)
    if top_k is not None:
        kept = builtins.min(top_k, values.shape[-1])
        values, order = values.narrow(-1, 0, kept), order.narrow(-1, 0, kept)
    probabilities = n.softmax(values, -1)
    if top_p is not None:
        # A token takes part if the sum of the probabilities before it is below top_p, so the first one always
        # does.
        before = n.cumulative_sum(probabilities, axis=-1) - probabilities
        probabilities = n.where(before < top_p, probabilities, 0.0)
    at = multinomial(probabilities, 1, generator=generator)
    return n.squeeze(n.take_along_axis(order, at, -1), -1)
