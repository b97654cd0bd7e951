"""Initial values from one distribution, which may depend on the sizes of a weight."""

from __future__ import annotations

import math as _math
from typing import Literal

from rushlight import _core as _rl
from rushlight._check import check_number, typed
from rushlight._native import Generator, Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "fans",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

FanMode = Literal["fan_in", "fan_out"]


@typed
def fans(tensor: Tensor) -> tuple[int, int]:
    """Returns the number of inputs and outputs of one unit of a weight.

    Parameters
    ----------
    tensor
        A weight of rank 2 or more, ``(out, in, *kernel)``.

    Returns
    -------
    tuple of int
        ``shape[1]`` and ``shape[0]``, each times the size of the kernel.

    Raises
    ------
    ValueError
        If the rank is below 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.fans(rl.empty((8, 3, 5, 5)))
    (75, 200)
    """
    return _fans(tensor)


def _fans(tensor: Tensor, op: str = "fans") -> tuple[int, int]:
    if tensor.ndim < 2:
        raise ValueError(f"{op}: a weight of rank 2 or more is needed, got shape {tensor.shape}")
    field = _math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Returns the factor that compensates for the standard deviation that a nonlinearity removes.

    Parameters
    ----------
    nonlinearity
        ``"linear"``, ``"conv2d"`` and the like, ``"sigmoid"``, ``"tanh"``, ``"relu"``, ``"leaky_relu"`` or
        ``"selu"``.
    param
        The slope of ``"leaky_relu"``; 0.01 if None.

    Returns
    -------
    float
        The recommended gain.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.calculate_gain("linear")
    1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return _math.sqrt(2 / (1 + slope**2))
    known = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": _math.sqrt(2), "selu": 0.75}
    known.update(dict.fromkeys((f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)), 1.0))
    if nonlinearity not in known:
        names = ", ".join([*known, "leaky_relu"])
        raise ValueError(f"calculate_gain: {nonlinearity!r} is none of {names}")
    return known[nonlinearity]


@typed
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills with values of the uniform distribution over ``[a, b)``.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, any shape. Gradients are not recorded.
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
        If `a` is above `b`.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.uniform_(rl.empty((64, 32)), -0.1, 0.1)
    >>> bool((w.abs() <= 0.1).all())
    True
    """
    check_number(a, "uniform_: a")
    check_number(b, "uniform_: b")
    if a > b:
        raise ValueError(f"uniform_: the bounds {a} and {b} do not rise")
    return _fill(
        tensor,
        _rl.rand(tensor.shape, dtype=tensor.dtype, device=tensor.device, generator=generator),
        b - a,
        a,
    )


@typed
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fills with values of a normal distribution.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, any shape. Gradients are not recorded.
    mean, std
        Its mean and standard deviation.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If `std` is negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.normal_(rl.empty((64, 32)), std=0.01)
    >>> bool((w.abs() < 0.1).all())
    True
    """
    check_number(mean, "normal_: mean")
    check_number(std, "normal_: std")
    if not std >= 0:
        raise ValueError(f"normal_: std {std} is negative or NaN")
    return _fill(
        tensor,
        _rl.randn(tensor.shape, dtype=tensor.dtype, device=tensor.device, generator=generator),
        std,
        mean,
    )


@typed
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills with one value.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point or integer, any shape. Gradients are not recorded.
    val
        The value.

    Returns
    -------
    Tensor
        `tensor` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.constant_(rl.empty(2), 0.5).tolist()
    [0.5, 0.5]
    """
    check_number(val, "constant_: val")
    return _constant(tensor, val)


def _constant(tensor: Tensor, val: float) -> Tensor:
    with _rl.no_grad():
        tensor.copy_(_rl.full(tensor.shape, val, dtype=tensor.dtype, device=tensor.device))
    return tensor


@typed
def zeros_(tensor: Tensor) -> Tensor:
    """Fills with zeros.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point or integer, any shape. Gradients are not recorded.

    Returns
    -------
    Tensor
        `tensor` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.zeros_(rl.empty(2)).tolist()
    [0.0, 0.0]
    """
    return _constant(tensor, 0.0)


@typed
def ones_(tensor: Tensor) -> Tensor:
    """Fills with ones.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point or integer, any shape. Gradients are not recorded.

    Returns
    -------
    Tensor
        `tensor` itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.init.ones_(rl.empty(2)).tolist()
    [1.0, 1.0]
    """
    return _constant(tensor, 1.0)


@typed
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fills with uniform values that keep the scale of signals (He et al. 2015).

    The bound is ``gain * sqrt(3 / fan)``; with ``a = sqrt(5)``, the default of PyTorch's linear
    and convolution layers, that is ``1 / sqrt(fan_in)``.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2 or more. Gradients are not recorded.
    a
        Slope of the leaky relu that follows; used with ``nonlinearity="leaky_relu"``.
    mode
        ``"fan_in"`` keeps the scale of the forward pass, ``"fan_out"`` that of the backward pass.
    nonlinearity
        A name that `calculate_gain` knows.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank is below 2, or a name is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.kaiming_uniform_(rl.empty((64, 32)))
    >>> bool((w.abs() < 0.5).all())
    True
    """
    bound = _math.sqrt(3.0) * _deviation("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


@typed
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fills with normal values that keep the scale of signals (He et al. 2015).

    The deviation is ``gain / sqrt(fan)``.

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2 or more. Gradients are not recorded.
    a
        Slope of the leaky relu that follows; used with ``nonlinearity="leaky_relu"``.
    mode
        ``"fan_in"`` keeps the scale of the forward pass, ``"fan_out"`` that of the backward pass.
    nonlinearity
        A name that `calculate_gain` knows.
    generator
        Source of the random numbers; that of the device by default.

    Returns
    -------
    Tensor
        `tensor` itself.

    Raises
    ------
    ValueError
        If the rank is below 2, or a name is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> w = rl.nn.init.kaiming_normal_(rl.empty((64, 32)))
    >>> bool((w.abs() < 3.0).all())
    True
    """
    return normal_(tensor, 0.0, _deviation("kaiming_normal_", tensor, a, mode, nonlinearity), generator)


@typed
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills uniformly with the bound ``gain * sqrt(6 / (fan_in + fan_out))`` (Glorot, Bengio 2010).

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2 or more. Gradients are not recorded.
    gain
        A factor, such as `calculate_gain` returns.
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
    >>> w = rl.nn.init.xavier_uniform_(rl.empty((64, 32)))
    >>> bool((w.abs() < 0.26).all())
    True
    """
    check_number(gain, "xavier_uniform_: gain")
    bound = gain * _math.sqrt(6.0 / sum(_fans(tensor, "xavier_uniform_")))
    return uniform_(tensor, -bound, bound, generator)


@typed
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills normally with the deviation ``gain * sqrt(2 / (fan_in + fan_out))`` (Glorot, Bengio 2010).

    Parameters
    ----------
    tensor
        The tensor to fill; floating point, rank 2 or more. Gradients are not recorded.
    gain
        A factor, such as `calculate_gain` returns.
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
    >>> w = rl.nn.init.xavier_normal_(rl.empty((64, 32)))
    >>> bool((w.abs() < 3.0).all())
    True
    """
    check_number(gain, "xavier_normal_: gain")
    return normal_(tensor, 0.0, gain * _math.sqrt(2.0 / sum(_fans(tensor, "xavier_normal_"))), generator)


def _deviation(op: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"{op}: mode {mode!r} is neither 'fan_in' nor 'fan_out'")
    fan = _fans(tensor, op)[0 if mode == "fan_in" else 1]
    return calculate_gain(nonlinearity, a) / _math.sqrt(max(fan, 1))


def _fill(tensor: Tensor, values: Tensor, scale: float, shift: float) -> Tensor:
    with _rl.no_grad():
        tensor.copy_(values * scale + shift)
    return tensor
