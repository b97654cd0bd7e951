"""Activation layers."""

from __future__ import annotations

from typing import ClassVar

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from .module import Module

__all__ = ["GELU", "LogSoftmax", "ReLU", "ReLUSquared", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh"]


class _Elementwise(Module):
    """A layer that applies one function to every element."""

    _function: ClassVar[staticmethod[[Tensor], Tensor]]

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function to every element.

        Parameters
        ----------
        input
            Any shape, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return self._function(input)


class ReLU(Layer):
    """The layer of ``max(x, 0)``, see `rushlight.nn.functional.relu`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReLU()(rl.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    ops = ("relu",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class ReLUSquared(Layer):
    """The layer of ``max(x, 0) ** 2``, see `rushlight.nn.functional.relu_squared`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReLUSquared()(rl.tensor([-1.0, 3.0])).tolist()
    [0.0, 9.0]
    """

    ops = ("relu_squared",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.relu_squared(input, self.inplace)


class GELU(Module):
    """The layer of ``x * Phi(x)``, see `rushlight.nn.functional.gelu`.

    Parameters
    ----------
    approximate
        ``"none"`` computes Phi by erf, ``"tanh"`` by a tanh.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.GELU()(rl.tensor([0.0, 10.0])).tolist()
    [0.0, 10.0]
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate
        self.ops = ("gelu" if approximate == "tanh" else "gelu_erf",)

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function to every element.

        Parameters
        ----------
        input
            Any shape, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Returns the name of the formula.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"approximate={self.approximate!r}"


class SiLU(Layer):
    """The layer of ``x * sigmoid(x)``, see `rushlight.nn.functional.silu`.

    Parameters
    ----------
    inplace
        Whether the result also replaces the values of the input.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.SiLU()(rl.zeros(2)).tolist()
    [0.0, 0.0]
    """

    ops = ("silu",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Softplus(Module):
    """The layer of ``log(1 + exp(beta * x)) / beta``, see `rushlight.nn.functional.softplus`.

    Parameters
    ----------
    beta
        Sharpness of the bend at 0.
    threshold
        Where ``beta * x`` is above it, the result is ``x``.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softplus()(rl.tensor([-1000.0, 1000.0])).tolist()
    [0.0, 1000.0]
    """

    ops = ("softplus",)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function to every element.

        Parameters
        ----------
        input
            Any shape, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Returns the numbers of the formula.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"beta={self.beta}, threshold={self.threshold}"


class Tanh(_Elementwise):
    """The layer of the hyperbolic tangent, see `rushlight.nn.functional.tanh`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Tanh()(rl.tensor([0.0, 100.0])).tolist()
    [0.0, 1.0]
    """

    ops = ("tanh",)
    _function = staticmethod(F.tanh)

    def __init__(self) -> None:
        super().__init__()


class Sigmoid(_Elementwise):
    """The layer of ``1 / (1 + exp(-x))``, see `rushlight.nn.functional.sigmoid`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Sigmoid()(rl.zeros(2)).tolist()
    [0.5, 0.5]
    """

    ops = ("sigmoid",)
    _function = staticmethod(F.sigmoid)

    def __init__(self) -> None:
        super().__init__()


class Softmax(Module):
    """The layer of ``exp(x) / sum(exp(x))`` along an axis, see `rushlight.nn.functional.softmax`.

    Parameters
    ----------
    dim
        The axis along which the result sums to 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Softmax(dim=1)(rl.zeros((1, 4))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """

    ops = ("softmax",)

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function along `dim`.

        Parameters
        ----------
        input
            Rank 1 or more, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Returns the axis.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The layer of the logarithm of the softmax, see `rushlight.nn.functional.log_softmax`.

    Parameters
    ----------
    dim
        The axis along which the exponentials of the result sum to 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.LogSoftmax(dim=0)(rl.zeros(1)).tolist()
    [0.0]
    """

    ops = ("log_softmax",)

    def __init__(self, dim: int) -> None:
        super().__init__(dim)

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function along `dim`.

        Parameters
        ----------
        input
            Rank 1 or more, floating point.

        Returns
        -------
        Tensor
            Of the shape and dtype of `input`.
        """
        return F.log_softmax(input, self.dim)
