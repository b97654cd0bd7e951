"""The base class of distributions."""

from __future__ import annotations

import contextlib
import contextvars
import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from rushlight import _core as rl
from rushlight._grad import no_grad
from rushlight._native import Generator, Tensor
from rushlight._tensor.size import Size

from .constraints import Constraint

__all__ = ["Distribution", "ExponentialFamily"]

D = TypeVar("D", bound="Distribution")
Shape = Sequence[int]
_SOURCE: contextvars.ContextVar[Generator | None] = contextvars.ContextVar("source", default=None)


def source() -> Generator | None:
    """Return the generator of the samples that are being drawn; None is that of the device."""
    return _SOURCE.get()


@contextlib.contextmanager
def drawing(generator: Generator | None) -> Iterator[None]:
    """Draw samples with a generator. None changes nothing: distributions within others share theirs."""
    token = _SOURCE.set(generator if generator is not None else source())
    try:
        yield
    finally:
        _SOURCE.reset(token)


def tensors(*values: Tensor | float) -> list[Tensor]:
    """Return numbers and tensors as tensors of one shape and dtype."""
    given = [v for v in values if isinstance(v, Tensor)]
    dtype = rl.result_type(*given) if given else rl.get_default_dtype()
    dtype = dtype if dtype.is_floating_point else rl.get_default_dtype()
    device = given[0].device if given else None
    made = [
        v.to(dtype) if isinstance(v, Tensor) else rl.tensor(v, dtype=dtype, device=device) for v in values
    ]
    return list(rl.broadcast_tensors(*made))


def check_tensor(name: str, what: str, value: Tensor) -> None:
    """Raise TypeError unless a parameter is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}: {what} is a Tensor, got {type(value).__name__}")


def rand(shape: Shape, like: Tensor) -> Tensor:
    """Return random numbers from 0 on and below 1, of the dtype and device of a tensor."""
    return rl.rand(tuple(shape), dtype=like.dtype, device=like.device, generator=source())


def randn(shape: Shape, like: Tensor) -> Tensor:
    """Return numbers of the standard normal distribution, of the dtype and device of a tensor."""
    return rl.randn(tuple(shape), dtype=like.dtype, device=like.device, generator=source())


def uniform(shape: Shape, like: Tensor) -> Tensor:
    """Return random numbers above 0 and up to 1."""
    return 1 - rand(tuple(shape), like)


def total(x: Tensor, axes: int) -> Tensor:
    """Return the sum over the last axes."""
    return rl.sum(x, axis=tuple(range(-axes, 0))) if axes else x


def log_of(name: str, probs: Tensor | float | None, logits: Tensor | float | None) -> None:
    """Raise ValueError unless one of both is given."""
    if (probs is None) == (logits is None):
        raise ValueError(f"{name}: give either probs or logits")


class Distribution:
    """The base class of distributions: shapes, checks, and what all of them have.

    A distribution has `batch_shape`, the shape of its parameters, each element of which is a separate
    distribution, and `event_shape`, the shape of one sample of it. `mean`, `mode`, `variance` and `stddev`
    are properties.

    Parameters
    ----------
    batch_shape, event_shape
        The shapes.
    validate_args
        Whether parameters and values are checked; by default what `set_default_validate_args` says.

    Raises
    ------
    ValueError
        If a parameter is outside of its range.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions.Normal(rl.zeros(3), 1.0)
    >>> d.batch_shape, d.event_shape, d.sample((2,)).shape
    ((3,), (), (2, 3))
    """

    has_rsample: ClassVar[bool] = False
    has_enumerate_support: ClassVar[bool] = False
    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    # Attributes that have the batch shape, and how many axes of the event shape follow.
    _shaped: ClassVar[dict[str, int]] = {}
    _validate_args: bool = True

    def __init__(
        self, batch_shape: Shape = (), event_shape: Shape = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                value = self.__dict__.get(name)
                if isinstance(value, Tensor) and not bool(rl.all(constraint.check(value.detach()))):
                    raise ValueError(f"{type(self).__name__}: the parameter {name} is not {constraint}")

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Sets whether distributions check parameters and values by default.

        Parameters
        ----------
        value
            True at first.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Distribution.set_default_validate_args(True)
        """
        Distribution._validate_args = bool(value)

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one of the distributions."""
        return self._event_shape

    @property
    def support(self) -> Constraint | None:
        """Which values are possible."""
        return None

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError(f"{type(self).__name__} has no mean")

    @property
    def mode(self) -> Tensor:
        """The value of the largest density."""
        raise NotImplementedError(f"{type(self).__name__} has no mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError(f"{type(self).__name__} has no variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return rl.sqrt(self.variance)

    def _extended_shape(self, sample_shape: Shape = ()) -> tuple[int, ...]:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def expand(self: D, batch_shape: Shape, _instance: Any = None) -> D:
        """Returns the distribution with its parameters broadcast to a shape.

        Parameters
        ----------
        batch_shape
            The new batch shape.
        _instance
            Accepted as in PyTorch, without effect.

        Returns
        -------
        Distribution
            Of the same class.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Normal(0.0, 1.0).expand((2, 3)).batch_shape
        (2, 3)
        """
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        new._batch_shape = Size(batch_shape)
        for name, axes in self._shaped.items():
            value = self.__dict__.get(name)
            if isinstance(value, Tensor):
                tail = value.shape[value.ndim - axes :]
                new.__dict__[name] = rl.broadcast_to(value, (*batch_shape, *tail))
            elif isinstance(value, Distribution):
                new.__dict__[name] = value.expand(
                    (*batch_shape, *value.batch_shape[len(value.batch_shape) - axes :])
                )
        return new

    def sample(self, sample_shape: Shape = (), *, generator: Generator | None = None) -> Tensor:
        """Draws samples, without a gradient.

        Parameters
        ----------
        sample_shape
            Shape of the samples of each distribution of the batch.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            Of the shape ``sample_shape + batch_shape + event_shape``.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Bernoulli(rl.tensor([0.0, 1.0])).sample().tolist()
        [0.0, 1.0]
        """
        with no_grad(), drawing(generator):
            return self._draw(tuple(sample_shape)).detach()

    def rsample(self, sample_shape: Shape = (), *, generator: Generator | None = None) -> Tensor:
        """Draws samples that have gradients by the parameters.

        Parameters
        ----------
        sample_shape
            Shape of the samples of each distribution of the batch.
        generator
            Source of the random numbers; that of the device by default.

        Returns
        -------
        Tensor
            Of the shape ``sample_shape + batch_shape + event_shape``.

        Raises
        ------
        NotImplementedError
            If samples of this distribution have no such gradient.

        Examples
        --------
        >>> import rushlight as rl
        >>> loc = rl.zeros(2, requires_grad=True)
        >>> rl.distributions.Normal(loc, 1.0).rsample().sum().backward()
        >>> loc.grad.tolist()
        [1.0, 1.0]
        """
        if not self.has_rsample:
            raise NotImplementedError(
                f"{type(self).__name__} has no rsample; sample draws without a gradient"
            )
        with drawing(generator):
            return self._draw(tuple(sample_shape))

    def sample_n(self, n: int) -> Tensor:
        """Draws `n` samples: ``sample((n,))``.

        Parameters
        ----------
        n
            The number.

        Returns
        -------
        Tensor
            Of the shape ``(n,) + batch_shape + event_shape``.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Normal(0.0, 1.0).sample_n(3).shape
        (3,)
        """
        return self.sample((n,))

    def log_prob(self, value: Tensor | float) -> Tensor:
        """Returns the logarithm of the density or probability of values.

        Parameters
        ----------
        value
            The values; they broadcast with ``batch_shape + event_shape``.

        Returns
        -------
        Tensor
            Of the broadcast shape without `event_shape`.

        Raises
        ------
        ValueError
            If a value is not possible, or its shape does not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Bernoulli(probs=rl.tensor(0.25)).log_prob(rl.tensor(1.0)).exp().item()
        0.25
        """
        return self._log_prob(self._value(value))

    def cdf(self, value: Tensor | float) -> Tensor:
        """Returns the probability of a number that is at most a value.

        Parameters
        ----------
        value
            The values; they broadcast with ``batch_shape``.

        Returns
        -------
        Tensor
            Probabilities.

        Raises
        ------
        ValueError
            If a value is not possible, or its shape does not fit.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Uniform(0.0, 4.0).cdf(rl.tensor(1.0)).item()
        0.25
        """
        return self._cdf(self._value(value))

    def icdf(self, value: Tensor | float) -> Tensor:
        """Returns the value at which `cdf` is a probability.

        Parameters
        ----------
        value
            Probabilities; they broadcast with ``batch_shape``.

        Returns
        -------
        Tensor
            Values.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Uniform(0.0, 4.0).icdf(rl.tensor(0.25)).item()
        1.0
        """
        return self._icdf(value if isinstance(value, Tensor) else rl.tensor(value))

    def entropy(self) -> Tensor:
        """Returns the entropy.

        Returns
        -------
        Tensor
            Of the shape `batch_shape`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Uniform(0.0, 1.0).entropy().item()
        0.0
        """
        return self._entropy()

    def perplexity(self) -> Tensor:
        """Returns the exponential of the entropy.

        Returns
        -------
        Tensor
            Of the shape `batch_shape`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Uniform(0.0, 3.0).perplexity()
        tensor(3., dtype=float32, device='cpu')
        """
        return rl.exp(self.entropy())

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Returns all possible values of a discrete distribution along a first axis.

        Parameters
        ----------
        expand
            Whether the values have the batch shape behind that axis, or 1 for each of its axes.

        Returns
        -------
        Tensor
            The values.

        Raises
        ------
        NotImplementedError
            If there are too many of them.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.Bernoulli(probs=rl.tensor([0.5])).enumerate_support().tolist()
        [[0.0], [1.0]]
        """
        if not self.has_enumerate_support:
            raise NotImplementedError(f"{type(self).__name__} does not enumerate its values")
        values = self._values()
        ones = (1,) * len(self._batch_shape)
        values = rl.reshape(values, (values.shape[0], *ones, *values.shape[1:]))
        return (
            rl.broadcast_to(values, (values.shape[0], *self._batch_shape, *self._event_shape))
            if expand
            else values
        )

    def _value(self, value: Tensor | float) -> Tensor:
        """Return a value as a tensor, checked."""
        x = value if isinstance(value, Tensor) else rl.tensor(value)
        if not self._validate_args:
            return x
        shape = (*self._batch_shape, *self._event_shape)
        events = len(self._event_shape)
        if x.ndim < events or x.shape[x.ndim - events :] != shape[len(shape) - events :]:
            raise ValueError(
                f"{type(self).__name__}: a value of shape {x.shape} does not end with {self._event_shape}"
            )
        for a, b in zip(reversed(x.shape), reversed(shape), strict=False):
            if 1 not in (a, b) and a != b:
                raise ValueError(
                    f"{type(self).__name__}: a value of shape {x.shape} does not broadcast with {shape}"
                )
        support = self.support
        if support is not None and not bool(rl.all(support.check(x.detach()))):
            raise ValueError(f"{type(self).__name__}: a value is outside of the support, {support}")
        return x

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no sample")

    def _log_prob(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")

    def _cdf(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def _icdf(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no icdf")

    def _entropy(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def _values(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not enumerate its values")

    def __repr__(self) -> str:
        names = [k for k in self.arg_constraints if k in self.__dict__]
        parts = [
            f"{k}: {v.item() if v.numel() == 1 else v.shape}"
            for k, v in ((k, self.__dict__[k]) for k in names)
        ]
        return f"{type(self).__name__}({', '.join(parts)})"


class ExponentialFamily(Distribution):
    """The base class of the distributions of an exponential family, as PyTorch names it.

    Parameters
    ----------
    batch_shape, event_shape, validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> isinstance(rl.distributions.Normal(0.0, 1.0), rl.distributions.ExponentialFamily)
    True
    """


HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
EULER = 0.57721566490153286
