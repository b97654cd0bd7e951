"""Parametrizations of weights by their norms."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._native import Tensor

from .. import functional as F
from ..functional._norm import vector_norm
from ..module import Module
from ..transposed import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .orthogonal import orthogonal as orthogonal
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """Norm times direction."""

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = dim

    def _norm(self, value: Tensor) -> Tensor:
        if self.dim is None:
            axes = tuple(range(value.ndim))
            return vector_norm(value, 2.0, axes, False)
        kept = self.dim % value.ndim
        return vector_norm(value, 2.0, tuple(i for i in range(value.ndim) if i != kept), True)

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / self._norm(weight_v))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return self._norm(weight), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Splits a weight into norm and direction (Salimans, Kingma 2016).

    Parameters
    ----------
    module
        The module that owns the weight.
    name
        Its name.
    dim
        The axis along which norms are separate; None takes one norm of the whole weight.

    Returns
    -------
    Module
        `module`. Its state has ``parametrizations.<name>.original0`` (norms) and ``original1`` (directions).

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.weight_norm(rl.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    (2, 1)
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """A matrix divided by its largest singular value, found by power iteration."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, steps: int, dim: int, eps: float) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(f"spectral_norm: shape {weight.shape} has no axis {dim}")
        if steps <= 0:
            raise ValueError(f"spectral_norm: n_power_iterations {steps} is not positive")
        self.dim, self.steps, self.eps = dim % weight.ndim, steps, eps
        if weight.ndim > 1:
            matrix = self._matrix(weight.detach())
            for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
                start = rl.randn((size,), dtype=weight.dtype, device=weight.device)
                self.register_buffer(name, F.normalize(start, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        order = (self.dim, *(i for i in range(weight.ndim) if i != self.dim))
        return rl.reshape(rl.permute_dims(weight, order), (weight.shape[self.dim], -1))

    def _iterate(self, matrix: Tensor, steps: int) -> None:
        with rl.no_grad():
            fixed = matrix.detach()
            for _ in range(steps):
                self._u.copy_(F.normalize(rl.matmul(fixed, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(rl.matmul(fixed.T, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.steps)
        # Copies: the next iteration writes over the vectors.
        u, v = self._u.clone(), self._v.clone()
        return weight / rl.sum(u * rl.matmul(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divides a weight by its largest singular value (Miyato et al. 2018).

    Parameters
    ----------
    module
        The module that owns the weight.
    name
        Its name.
    n_power_iterations
        Steps of the power iteration at each access in training.
    eps
        The least divisor of a vector's normalization.
    dim
        The axis of the matrix's rows; by default 1 for transposed convolutions and 0 otherwise.

    Returns
    -------
    Module
        `module`. Its state has ``parametrizations.<name>.original`` and the vectors ``0._u`` and ``0._v``.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.utils.parametrizations.spectral_norm(rl.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())[1:]
    ['parametrizations.weight.0._u', 'parametrizations.weight.0._v', 'parametrizations.weight.original']
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    weight: Tensor = getattr(module, name)
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
