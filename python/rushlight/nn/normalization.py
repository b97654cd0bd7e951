"""Normalization layers, with PyTorch's names, defaults, initial values and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._check import integers
from rushlight._native import Tensor

from . import functional as F
from ._settings import count
from .module import Module
from .parameter import Parameter

__all__ = [
    "GroupNorm",
    "LayerNorm",
    "RMSNorm",
]


class Affine(Module):
    """The base of layers with a weight, initially 1, and a bias, initially 0."""

    weight: Tensor | None
    bias: Tensor | None

    def _add_affine(self, shape: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", weight), ("bias", bias)):
            value = Parameter(rl.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, value)

    def reset_parameters(self) -> None:
        """Sets the weight to 1 and the bias to 0."""
        with rl.no_grad():
            for value, start in ((self._parameters.get("weight"), 1.0), (self._parameters.get("bias"), 0.0)):
                if value is not None:
                    value.fill_(start)


def _sizes(layer: str, normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    shape = integers(normalized_shape, f"{layer}: normalized_shape")
    return tuple(count(layer, "normalized_shape", n) for n in ((shape,) if isinstance(shape, int) else shape))


class LayerNorm(Affine):
    """Normalization over the last axes, see `rushlight.nn.functional.layer_norm`.

    Parameters
    ----------
    normalized_shape
        Sizes of the last axes, which are normalized together.
    eps
        Added to the variance.
    elementwise_affine
        Whether there is a weight.
    bias
        Whether there is a bias beside the weight.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``normalized_shape``, initially 1; or None.
    bias
        Shape ``normalized_shape``, initially 0; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.LayerNorm(2, eps=0.0)
    >>> layer(rl.tensor([[1.0, 3.0], [10.0, 30.0]])).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """

    ops = ("layer_norm",)

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _sizes("LayerNorm", normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._add_affine(
            self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype
        )
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes the last axes.

        Parameters
        ----------
        input
            Shape ``(..., *normalized_shape)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape and dtype of `input`.
        """
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Affine):
    """Division by the root of the mean square over the last axes, see `rushlight.nn.functional.rms_norm`.

    Parameters
    ----------
    normalized_shape
        Sizes of the last axes, which are normalized together.
    eps
        Added to the mean square; the rounding error of the input's dtype if None.
    elementwise_affine
        Whether there is a weight.
    device, dtype
        Device and dtype of the weight; the CPU and float32 by default.

    Attributes
    ----------
    weight
        Shape ``normalized_shape``, initially 1; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.RMSNorm(2, eps=0.0)
    >>> layer(rl.tensor([[3.0, 3.0], [-5.0, 5.0]])).tolist()
    [[1.0, 1.0], [-1.0, 1.0]]
    """

    ops = ("rms_norm",)

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _sizes("RMSNorm", normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = Parameter(rl.empty(self.normalized_shape, device=device, dtype=dtype))
        self.register_parameter("weight", weight if elementwise_affine else None)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes the last axes.

        Parameters
        ----------
        input
            Shape ``(..., *normalized_shape)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape and dtype of `input`.
        """
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Affine):
    """Normalization over groups of channels, see `rushlight.nn.functional.group_norm`.

    Parameters
    ----------
    num_groups
        Number of groups of neighbouring channels; it divides `num_channels`.
    num_channels
        Number of channels, axis 1 of the input.
    eps
        Added to the variance.
    affine
        Whether there are a weight and a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Raises
    ------
    ValueError
        If `num_groups` does not divide `num_channels`.

    Attributes
    ----------
    weight
        Shape ``(num_channels,)``, initially 1; or None.
    bias
        Shape ``(num_channels,)``, initially 0; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.GroupNorm(2, 2, eps=0.0)
    >>> layer(rl.tensor([[[1.0, 3.0], [10.0, 30.0]]])).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """

    ops = ("group_norm",)

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_groups = count("GroupNorm", "num_groups", num_groups)
        self.num_channels = count("GroupNorm", "num_channels", num_channels)
        if self.num_groups < 1 or self.num_channels % self.num_groups:
            raise ValueError(f"GroupNorm: {num_groups} groups do not divide {num_channels} channels")
        self.eps, self.affine = eps, affine
        self._add_affine((self.num_channels,), affine, affine and bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes the groups of channels.

        Parameters
        ----------
        input
            Shape ``(n, num_channels, ...)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape and dtype of `input`.
        """
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
