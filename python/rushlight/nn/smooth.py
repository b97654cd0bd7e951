"""Smooth activation layers that are composed of ops."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer

__all__ = [
    "CELU",
    "ELU",
    "GLU",
    "SELU",
    "LogSigmoid",
    "Mish",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanhshrink",
]


class ELU(Layer):
    """The layer of ``x`` where positive, else of ``alpha * (exp(x) - 1)``, see `rushlight.nn.functional.elu`.

    Parameters
    ----------
    alpha
        The negative of the limit for small ``x``.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ELU()(rl.tensor([-1000.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    ops = ("elu",)
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(Layer):
    """The layer of ``x`` where positive, else of ``alpha * (exp(x / alpha) - 1)``.

    See `rushlight.nn.functional.celu`.

    Parameters
    ----------
    alpha
        The negative of the limit for small ``x``.
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.CELU(0.5)(rl.tensor([-1000.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    ops = ("expm1", "where_cond")
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(Layer):
    """The layer of the scaled `ELU` that keeps mean and variance, see `rushlight.nn.functional.selu`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.SELU()(rl.zeros(1)).tolist()
    [0.0]
    """

    ops = ("expm1", "where_cond")

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class Mish(Layer):
    """The layer of ``x * tanh(log(1 + exp(x)))``, see `rushlight.nn.functional.mish`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Mish()(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 100.0]
    """

    ops = ("exp", "log1p", "tanh", "mul")

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Softsign(Layer):
    """The layer of ``x / (1 + |x|)``, see `rushlight.nn.functional.softsign`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softsign()(rl.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """

    ops = ("abs", "div")

    def __init__(self) -> None:
        super().__init__()

    def _run(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Layer):
    """The layer of ``x - tanh(x)``, see `rushlight.nn.functional.tanhshrink`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Tanhshrink()(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """

    ops = ("tanh", "sub")

    def __init__(self) -> None:
        super().__init__()

    def _run(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class LogSigmoid(Layer):
    """The layer of ``log(sigmoid(x))``, see `rushlight.nn.functional.logsigmoid`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LogSigmoid()(rl.tensor([-1000.0, 1000.0])).tolist()
    [-1000.0, 0.0]
    """

    ops = ("minimum", "exp", "log1p")

    def __init__(self) -> None:
        super().__init__()

    def _run(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class GLU(Layer):
    """The layer of ``a * sigmoid(b)`` with the halves of an axis, see `rushlight.nn.functional.glu`.

    Parameters
    ----------
    dim
        The axis; its length is even.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.GLU()(rl.tensor([3.0, 0.0])).tolist()
    [1.5]
    """

    ops = ("sigmoid", "mul")
    _shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def _run(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class Softmin(Layer):
    """The layer of the softmax of ``-x`` along an axis, see `rushlight.nn.functional.softmin`.

    Parameters
    ----------
    dim
        The axis along which the result sums to 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softmin(dim=0)(rl.zeros(2)).tolist()
    [0.5, 0.5]
    """

    ops = ("softmax", "neg")
    _shown = ("dim",)

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def _run(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class Softmax2d(Layer):
    """The softmax over the channels of images.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softmax2d()(rl.zeros((1, 2, 1, 1))).tolist()
    [[[[0.5]], [[0.5]]]]
    """

    ops = ("softmax",)

    def __init__(self) -> None:
        super().__init__()

    def _run(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: rank 3 or 4 is needed, got shape {input.shape}")
        return F.softmax(input, -3)
