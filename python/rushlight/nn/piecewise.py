"""Piecewise linear activation layers."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from . import init as fill
from ._layer import Layer
from ._settings import count
from .parameter import Parameter

__all__ = [
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Softshrink",
    "Threshold",
]


class Threshold(Layer):
    """The layer that returns ``x`` above a bound and else a value, see `rushlight.nn.functional.threshold`.

    Parameters
    ----------
    threshold, value
        The bound, and the result at and below it.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Threshold(0.5, 9.0)(rl.tensor([-1.0, 2.0])).tolist()
    [9.0, 2.0]
    """

    ops = ("where_cond",)
    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class Hardtanh(Layer):
    """The layer that limits elements to an interval, see `rushlight.nn.functional.hardtanh`.

    Parameters
    ----------
    min_val, max_val
        The bounds.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Hardtanh()(rl.tensor([-3.0, 0.5])).tolist()
    [-1.0, 0.5]
    """

    ops = ("where_cond",)
    _shown = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Layer):
    """The layer of ``min(max(x, 0), 6)``, see `rushlight.nn.functional.relu6`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReLU6()(rl.tensor([-1.0, 8.0])).tolist()
    [0.0, 6.0]
    """

    ops = ("where_cond",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)


class LeakyReLU(Layer):
    """The layer of ``x`` where positive, else of ``negative_slope * x``.

    See `rushlight.nn.functional.leaky_relu`.

    Parameters
    ----------
    negative_slope
        The derivative at and below 0.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LeakyReLU(0.5)(rl.tensor([-2.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    ops = ("mul", "where_cond")
    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class RReLU(Layer):
    """The layer of ``x`` where positive, else of ``a * x`` with random slopes in training.

    See `rushlight.nn.functional.rrelu`.

    Parameters
    ----------
    lower, upper
        The bounds of the slopes; outside training each is their mean.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.RReLU(0.25, 0.75).eval()(rl.tensor([-2.0])).tolist()
    [-1.0]
    """

    ops = ("mul", "where_cond")
    _shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class PReLU(Layer):
    """The layer of ``x`` where positive, else of ``weight * x``, see `rushlight.nn.functional.prelu`.

    Parameters
    ----------
    num_parameters
        1, or the number of channels.
    init
        The initial value of the weights.
    device, dtype
        Device and dtype of the weights; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``(num_parameters,)``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.PReLU()(rl.tensor([-2.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    ops = ("mul", "where_cond")
    _shown = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = count("PReLU", "num_parameters", num_parameters), init
        self.weight = Parameter(rl.empty((self.num_parameters,), device=device, dtype=dtype))
        self.reset_parameters()

    def _run(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def reset_parameters(self) -> None:
        """Sets the weights to their initial value."""
        fill.constant_(self.weight, self.init)


class Hardsigmoid(Layer):
    """The layer of ``relu6(x + 3) / 6``, see `rushlight.nn.functional.hardsigmoid`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Hardsigmoid()(rl.tensor([-4.0, 0.0])).tolist()
    [0.0, 0.5]
    """

    ops = ("where_cond", "affine")

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Layer):
    """The layer of ``x * relu6(x + 3) / 6``, see `rushlight.nn.functional.hardswish`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Hardswish()(rl.tensor([0.0, 4.0])).tolist()
    [0.0, 4.0]
    """

    ops = ("mul", "where_cond")

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class Hardshrink(Layer):
    """The layer of 0 from ``-lambd`` to ``lambd``, else of ``x``, see `rushlight.nn.functional.hardshrink`.

    Parameters
    ----------
    lambd
        The bound.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Hardshrink()(rl.tensor([-0.2, 2.0])).tolist()
    [0.0, 2.0]
    """

    ops = ("where_cond",)
    _shown = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def _run(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(Layer):
    """The layer that moves elements towards 0, see `rushlight.nn.functional.softshrink`.

    Parameters
    ----------
    lambd
        The distance, not negative.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softshrink()(rl.tensor([-2.0, 0.25])).tolist()
    [-1.5, 0.0]
    """

    ops = ("where_cond",)
    _shown = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def _run(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)
