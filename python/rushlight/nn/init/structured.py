"""Initial values with a structure: identities, orthogonal and sparse matrices, truncated normals."""

from __future__ import annotations

import math as _math
from typing import Any as _Any

from rushlight import _core as _rl
from rushlight._check import check_number, typed
from rushlight._native import Generator, Tensor

__all__ = ["dirac_", "eye_", "orthogonal_", "sparse_", "trunc_normal_"]


@typed
def eye_(tensor: Tensor) -> Tensor:
    """Fills a matrix with the identity.

    Parameters
    ----------
    tensor
        The tensor to fill; rank 2. Gradients are not recorded.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank is not 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.eye_(rl.empty((2, 3))).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if tensor.ndim != 2:
        raise ValueError(f"eye_: rank 2 is needed, got shape {tensor.shape}")
    return _put(tensor, _rl.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


@typed
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills the weight of a convolution so that it passes its input channels on.

    Parameters
    ----------
    tensor
        The tensor to fill, ``(out, in, *kernel)``; rank 3, 4 or 5. Gradients are not recorded.
    groups
        Number of blocks of output channels, each of which passes the input on.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank or the groups do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.dirac_(rl.empty((1, 1, 3))).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    if tensor.ndim not in (3, 4, 5) or groups < 1 or tensor.shape[0] % groups:
        raise ValueError(f"dirac_: shape {tensor.shape} with {groups} groups is not that of a convolution")
    rows = tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    values = _rl.zeros(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    for group in range(groups):
        for i in range(min(rows, tensor.shape[1])):
            values[(group * rows + i, i, *middle)] = 1.0
    return _put(tensor, values)


@typed
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fills a matrix normally, and a share of each column with zeros (Martens 2010).

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2. Gradients are not recorded.
    sparsity
        The share of each column that is 0, rounded up to a number of elements.
    std
        The standard deviation of the other elements.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank is not 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.sparse_(rl.empty((10, 3)), sparsity=0.5)
    >>> (w == 0).sum(dim=0).tolist()
    [5, 5, 5]
    """
    if tensor.ndim != 2:
        raise ValueError(f"sparse_: rank 2 is needed, got shape {tensor.shape}")
    none = _math.ceil(sparsity * tensor.shape[0])
    # The rank of random numbers is a random order of each column.
    order = _rl.argsort(_rl.argsort(_rl.rand(tensor.shape, **_source(generator)), axis=0), axis=0)
    values = _rl.randn(tensor.shape, dtype=tensor.dtype, **_source(generator)) * std
    return _put(tensor, _rl.where(order < none, 0.0, values))


@typed
def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills with orthogonal rows or columns, uniformly among all such matrices (Saxe et al. 2014).

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2 or more. Axes behind the first count as one. Gradients are
        not recorded.
    gain
        The norm of the rows or columns.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank is below 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.orthogonal_(rl.empty((2, 5)))
    >>> bool(((w @ w.T - rl.eye(2)).abs() < 1e-5).all())
    True
    """
    if tensor.ndim < 2:
        raise ValueError(f"orthogonal_: rank 2 or more is needed, got shape {tensor.shape}")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with _rl.no_grad():
        # Makes rows of independent normal numbers orthogonal, one after the other; twice, to reduce rounding
        # errors.
        count, length = min(rows, columns), max(rows, columns)
        drawn = _rl.randn((count, length), dtype=_rl.float64, **_source(generator))
        done = _rl.zeros_like(drawn)
        for i in range(count):
            row = drawn[i]
            for _ in range(2):
                row = row - _rl.matmul(_rl.matmul(done, row), done)
            done[i] = row / _rl.sqrt(_rl.sum(row * row))
        values = done if rows <= columns else done.T
        return _put(tensor, _rl.reshape(values * gain, tensor.shape))


@typed
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fills with values of a normal distribution between two bounds.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, any shape. Gradients are not recorded.
    mean, std
        Mean and standard deviation of the distribution before it is cut.
    a, b
        The bounds.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If `a` is not below `b`.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.trunc_normal_(rl.empty((64, 32)), std=0.5, a=-1.0, b=1.0)
    >>> bool((w.abs() <= 1.0).all())
    True
    """
    for name, value in (("mean", mean), ("std", std), ("a", a), ("b", b)):
        check_number(value, f"trunc_normal_: {name}")
    if not a < b:
        raise ValueError(f"trunc_normal_: the bounds {a} and {b} do not rise")
    low, high = (a - mean) / std, (b - mean) / std
    with _rl.no_grad():
        first, last = _below(low), _below(high)
        share = first + (last - first) * _rl.rand(tensor.shape, dtype=_rl.float64, **_source(generator))
        far = max(low, -high) > 5
        normal = _far(share, low, high) if far else _rl.erfinv(2 * share - 1) * _math.sqrt(2)
        values = _rl.clip(normal * std + mean, a, b)
        return _put(tensor, values)


def _source(generator: Generator | None) -> dict[str, _Any]:
    """Arguments of a function that draws: the numbers are by default the CPU's."""
    return {} if generator is None else {"generator": generator, "device": generator.device}


def _below(x: float) -> float:
    """Return the probability of a normal number below x."""
    return 0.5 * _math.erfc(-x / _math.sqrt(2))


def _far(share: Tensor, low: float, high: float) -> Tensor:
    """Return the numbers below which a normal number is with these probabilities, all near 0 or 1.

    It inverts the distribution function by bisection, to 60 bits.
    """
    under, over = _rl.full_like(share, max(low, -40.0)), _rl.full_like(share, min(high, 40.0))
    for _ in range(60):
        middle = (under + over) / 2
        less = _normal(middle) < share
        under, over = _rl.where(less, middle, under), _rl.where(less, over, middle)
    return (under + over) / 2


def _normal(x: Tensor) -> Tensor:
    return 0.5 * (1 + _rl.erf(x / _math.sqrt(2)))


def _put(tensor: Tensor, values: Tensor) -> Tensor:
    with _rl.no_grad():
        tensor.copy_(values.astype(tensor.dtype).to(device=tensor.device))
    return tensor
