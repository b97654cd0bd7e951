"""Linear and bilinear layers, with PyTorch's names, shapes, defaults and initial values."""

from __future__ import annotations

import math
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from . import init
from ._settings import count, draw
from .module import Module
from .parameter import Parameter

__all__ = ["Bilinear", "Linear"]


class Linear(Module):
    """The affine map ``x @ weight.T + bias`` of the last axis, see `rushlight.nn.functional.linear`.

    Parameters
    ----------
    in_features, out_features
        Sizes of the last axis of input and output.
    bias
        Whether to add a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``(out_features, in_features)``, initially uniform in ``±1/sqrt(in_features)``.
    bias
        Shape ``(out_features,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.Linear(4, 2)
    >>> layer(rl.ones((3, 4))).shape
    (3, 2)
    """

    # `addmm` is used if input, weight and bias have the same dtype.
    ops = ("matmul", "add", "addmm")

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = count("Linear", "in_features", in_features)
        self.out_features = out_features = count("Linear", "out_features", out_features)
        self.weight = Parameter(rl.empty((out_features, self.in_features), device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty((out_features,), device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        draw(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Maps the last axis.

        Parameters
        ----------
        input
            Shape ``(..., in_features)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape ``(..., out_features)``, of the dtype of `input`.
        """
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes, and whether there is a bias.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """The bilinear map of two inputs, see `rushlight.nn.functional.bilinear`.

    Parameters
    ----------
    in1_features, in2_features, out_features
        Sizes of the last axis of the inputs and of the output.
    bias
        Whether to add a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``(out_features, in1_features, in2_features)``, initially uniform in ``±1/sqrt(in1_features)``.
    bias
        Shape ``(out_features,)``, initially from the same distribution; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Bilinear(4, 5, 2)(rl.ones((3, 4)), rl.ones((3, 5))).shape
    (3, 2)
    """

    ops = ("matmul", "mul", "sum", "add")

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = count("Bilinear", "in1_features", in1_features)
        self.in2_features = count("Bilinear", "in2_features", in2_features)
        self.out_features = count("Bilinear", "out_features", out_features)
        shape = (self.out_features, self.in1_features, self.in2_features)
        self.weight = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(rl.empty(shape[:1], device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws initial values for the parameters from the generator that `rushlight.manual_seed` seeds."""
        bound = 1 / math.sqrt(self.in1_features) if self.in1_features else 0.0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Maps the last axes.

        Parameters
        ----------
        input1, input2
            Shapes ``(..., in1_features)`` and ``(..., in2_features)``.

        Returns
        -------
        Tensor
            Shape ``(..., out_features)``.
        """
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes, and whether there is a bias.

        Returns
        -------
        str
            Text for the repr.
        """
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{sizes}, out_features={self.out_features}, bias={self.bias is not None}"
