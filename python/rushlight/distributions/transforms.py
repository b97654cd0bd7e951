"""Invertible functions of random numbers, with the logarithm of their derivative."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight import _core as rl
from rushlight import functional as F
from rushlight._native import Tensor

from .distribution import total

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ComposeTransform",
    "ExpTransform",
    "IndependentTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "Transform",
]


class Transform:
    """The base class of functions of tensors that have an inverse; a subclass defines three of its methods.

    `_call` computes the function, `_inverse` the inverse, and `_log_det` the logarithm of the absolute value
    of the derivative, summed over the `event_dim` last axes.

    Parameters
    ----------
    cache_size
        With 1 the last argument is kept, so that the inverse of its result is exact.

    Examples
    --------
    >>> import rushlight as rl
    >>> t = rl.distributions.ExpTransform()
    >>> t(rl.tensor(0.0)).item(), t.inv(rl.tensor(1.0)).item()
    (1.0, 0.0)
    """

    event_dim: int = 0
    bijective: ClassVar[bool] = True
    sign: Any = 1

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"{type(self).__name__}: cache_size is 0 or 1, got {cache_size}")
        self._cache_size = cache_size
        self._last: tuple[Tensor, Tensor] | None = None

    def __call__(self, x: Tensor) -> Tensor:
        """Compute the function."""
        if self._last is not None and self._last[0] is x:
            return self._last[1]
        y = self._call(x)
        self._last = (x, y) if self._cache_size else None
        return y

    @property
    def inv(self) -> Transform:
        """The inverse function."""
        return _Inverse(self)

    def _back(self, y: Tensor) -> Tensor:
        if self._last is not None and self._last[1] is y:
            return self._last[0]
        x = self._inverse(y)
        self._last = (x, y) if self._cache_size else None
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Returns the logarithm of the absolute value of the derivative.

        Parameters
        ----------
        x, y
            The argument and its result.

        Returns
        -------
        Tensor
            Of the shape of `x` without the `event_dim` last axes.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor(3.0)
        >>> rl.distributions.ExpTransform().log_abs_det_jacobian(x, x.exp()).item()
        3.0
        """
        return self._log_det(x, y)

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define _call")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no inverse")

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define _log_det")

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the result for an argument of a shape."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _wider(shape: tuple[int, ...], *values: Tensor | float) -> tuple[int, ...]:
    return rl.broadcast_shapes(shape, *(v.shape for v in values if isinstance(v, Tensor)))


class _Inverse(Transform):
    """The inverse of a transform."""

    def __init__(self, of: Transform) -> None:
        super().__init__()
        self._of = of
        self.event_dim, self.sign = of.event_dim, of.sign

    @property
    def inv(self) -> Transform:
        """The transform itself."""
        return self._of

    def __call__(self, x: Tensor) -> Tensor:
        """Compute the inverse."""
        return self._of._back(x)

    def _back(self, y: Tensor) -> Tensor:
        return self._of(y)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._of._log_det(y, x)

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._of._shape(shape)


class ExpTransform(Transform):
    """The exponential function.

    Parameters
    ----------
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.ExpTransform()(rl.tensor(0.0)).item()
    1.0
    """

    def _call(self, x: Tensor) -> Tensor:
        return rl.exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return rl.log(y)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """A power of positive numbers.

    Parameters
    ----------
    exponent
        The exponent, not 0.
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.PowerTransform(2.0)(rl.tensor(3.0)).item()
    9.0
    """

    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent
        self.sign = rl.sign(exponent) if isinstance(exponent, Tensor) else (exponent > 0) - (exponent < 0)

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return rl.log(rl.abs(self.exponent * y / x))

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _wider(shape, self.exponent)


class SigmoidTransform(Transform):
    """The sigmoid function.

    Parameters
    ----------
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.SigmoidTransform()(rl.tensor(0.0)).item()
    0.5
    """

    def _call(self, x: Tensor) -> Tensor:
        info = rl.finfo(x.dtype)
        return rl.clip(rl.sigmoid(x), float(info.smallest_normal), 1 - float(info.eps))

    def _inverse(self, y: Tensor) -> Tensor:
        info = rl.finfo(y.dtype)
        y = rl.clip(y, float(info.smallest_normal), 1 - float(info.eps))
        return rl.log(y) - rl.log1p(-y)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(Transform):
    """The hyperbolic tangent.

    Parameters
    ----------
    cache_size
        See `Transform`; with 1 results that were rounded to 1 or -1 have their argument as the inverse.

    Examples
    --------
    >>> import rushlight as rl
    >>> t = rl.distributions.TanhTransform(cache_size=1)
    >>> t.inv(t(rl.tensor(20.0))).item()
    20.0
    """

    def _call(self, x: Tensor) -> Tensor:
        return rl.tanh(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return rl.atanh(y)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - F.softplus(-2 * x))


class SoftplusTransform(Transform):
    """The function ``log(1 + exp(x))``.

    Parameters
    ----------
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.SoftplusTransform()(rl.tensor(0.0))
    tensor(0.6931, dtype=float32, device='cpu')
    """

    def _call(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y + rl.log(-rl.expm1(-y))

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x)


class AbsTransform(Transform):
    """The absolute value, whose inverse is the positive one of two arguments.

    Parameters
    ----------
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.AbsTransform()(rl.tensor(-2.0)).item()
    2.0
    """

    bijective: ClassVar[bool] = False

    def _call(self, x: Tensor) -> Tensor:
        return rl.abs(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """A product and a sum: ``loc + scale * x``.

    Parameters
    ----------
    loc, scale
        Numbers or tensors.
    event_dim
        Number of the last axes that are one value.
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.AffineTransform(1.0, 2.0)(rl.tensor(3.0)).item()
    7.0
    """

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim
        self.sign = rl.sign(scale) if isinstance(scale, Tensor) else (scale > 0) - (scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            each = rl.log(rl.abs(self.scale))
        else:
            each = rl.full_like(x.detach(), math.log(abs(self.scale)))
        return total(rl.broadcast_to(each, x.shape), self.event_dim)

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _wider(shape, self.loc, self.scale)


class ComposeTransform(Transform):
    """Several transforms, one after another.

    Parameters
    ----------
    parts
        The transforms; the first is applied first.
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions
    >>> d.ComposeTransform([d.AffineTransform(0.0, 2.0), d.ExpTransform()])(rl.tensor(0.0)).item()
    1.0
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = list(parts)
        self.event_dim = max((p.event_dim for p in self.parts), default=0)
        for part in self.parts:
            self.sign = self.sign * part.sign

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._back(y)
        return y

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        found: Tensor | None = None
        for part in self.parts:
            after = part(x)
            term = total(part._log_det(x, after), self.event_dim - part.event_dim)
            found, x = term if found is None else found + term, after
        return rl.zeros_like(total(x, self.event_dim)) if found is None else found

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        for part in self.parts:
            shape = part._shape(shape)
        return shape


class IndependentTransform(Transform):
    """A transform of which some last axes are one value.

    Parameters
    ----------
    base_transform
        The transform.
    reinterpreted_batch_ndims
        Number of axes over which the logarithm of the derivative is added up.
    cache_size
        See `Transform`.

    Examples
    --------
    >>> import rushlight as rl
    >>> t = rl.distributions.IndependentTransform(rl.distributions.ExpTransform(), 1)
    >>> x = rl.tensor([1.0, 2.0])
    >>> t.log_abs_det_jacobian(x, t(x)).item()
    3.0
    """

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims
        self.event_dim = base_transform.event_dim + reinterpreted_batch_ndims
        self.sign = base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform._back(y)

    def _log_det(self, x: Tensor, y: Tensor) -> Tensor:
        return total(self.base_transform._log_det(x, y), self.reinterpreted_batch_ndims)

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self.base_transform._shape(shape)
