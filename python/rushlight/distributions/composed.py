"""Distributions made of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor
from rushlight._tensor.size import Size

from . import constraints as c
from .classes import Categorical
from .constraints import Constraint
from .continuous import Normal
from .distribution import D, Distribution, Shape, total
from .transforms import ComposeTransform, ExpTransform, Transform

__all__ = ["Independent", "LogNormal", "MixtureSameFamily", "TransformedDistribution"]


class Independent(Distribution):
    """A distribution of which some axes of the batch are one value.

    Parameters
    ----------
    base_distribution
        The distribution of the elements.
    reinterpreted_batch_ndims
        Number of the last axes of its batch that become axes of a value.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If the batch has fewer axes.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions.Independent(rl.distributions.Uniform(rl.zeros(3), 1.0), 1)
    >>> d.batch_shape, d.event_shape, d.log_prob(rl.zeros(3)).item()
    ((), (3,), 0.0)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        shape = base_distribution.batch_shape
        if not 0 <= reinterpreted_batch_ndims <= len(shape):
            raise ValueError(
                f"Independent: {reinterpreted_batch_ndims} axes of a batch of shape {shape} cannot be a value"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        cut = len(shape) - reinterpreted_batch_ndims
        super().__init__(shape[:cut], (*shape[cut:], *base_distribution.event_shape), validate_args)
        self.has_rsample = base_distribution.has_rsample  # type: ignore[misc]

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
        >>> d = rl.distributions.Independent(rl.distributions.Normal(rl.zeros(3), 1.0), 1)
        >>> d.expand((2,)).sample().shape
        (2, 3)
        """
        assert isinstance(self, Independent)
        count = self.reinterpreted_batch_ndims
        tail = self.event_shape[:count]
        return type(self)(self.base_dist.expand((*batch_shape, *tail)), count, self._validate_args)

    @property
    def support(self) -> Constraint | None:
        """That of all elements."""
        found = self.base_dist.support
        return None if found is None else c.independent(found, self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.base_dist.variance

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return self.base_dist._draw(shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        return total(self.base_dist._log_prob(value), self.reinterpreted_batch_ndims)

    def _entropy(self) -> Tensor:
        return total(self.base_dist._entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """The distribution of a function of a random number.

    Parameters
    ----------
    base_distribution
        The distribution of the number.
    transforms
        A `Transform`, or several that are applied one after another.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions
    >>> squashed = d.TransformedDistribution(d.Uniform(0.0, 1.0), [d.AffineTransform(1.0, 4.0)])
    >>> squashed.log_prob(rl.tensor(2.0)).exp().item(), squashed.cdf(rl.tensor(2.0)).item()
    (0.25, 0.25)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        events = max([len(base_distribution.event_shape), *(t.event_dim for t in self.transforms)])
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        # Parameters of a transform may have more axes, so its result has as well.
        whole = ComposeTransform(self.transforms)._shape(shape)
        missing = len(base_distribution.event_shape)
        if whole != shape:
            base_distribution = base_distribution.expand(whole[: len(whole) - missing])
        if events > missing:
            base_distribution = Independent(base_distribution, events - missing, validate_args=False)
        self.base_dist = base_distribution
        cut = len(whole) - events
        super().__init__(whole[:cut], whole[cut:], validate_args)
        self.has_rsample = base_distribution.has_rsample  # type: ignore[misc]

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
        >>> rl.distributions.LogNormal(0.0, 1.0).expand((2,)).sample().shape
        (2,)
        """
        assert isinstance(self, TransformedDistribution)
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.base_dist = self.base_dist.expand(batch_shape)
        new._batch_shape = Size(batch_shape)
        return new

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        x = self.base_dist._draw(shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def _log_prob(self, value: Tensor) -> Tensor:
        events, y = len(self._event_shape), value
        found: Tensor | None = None
        for transform in reversed(self.transforms):
            x = transform._back(y)
            term = total(transform._log_det(x, y), events - transform.event_dim)
            found, y = term if found is None else found + term, x
        base = self.base_dist._log_prob(self.base_dist._value(y))
        return base if found is None else base - found

    def _sign(self) -> Any:
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return sign

    def _cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform._back(value)
        found = self.base_dist._cdf(value)
        out: Tensor = self._sign() * (found - 0.5) + 0.5
        return out

    def _icdf(self, value: Tensor) -> Tensor:
        x = self.base_dist._icdf(self._sign() * (value - 0.5) + 0.5)
        for transform in self.transforms:
            x = transform(x)
        return x

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.transforms})"


class LogNormal(TransformedDistribution):
    """The distribution of the exponential of a number of a normal distribution.

    Parameters
    ----------
    loc, scale
        The mean and the standard deviation of the logarithm.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.LogNormal(0.0, 1.0).cdf(rl.tensor(1.0)).item()
    0.5
    """

    base_dist: Normal

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    @property
    def support(self) -> Constraint:
        """Positive numbers."""
        return c.positive

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return rl.exp(self.loc + self.scale**2 / 2)

    @property
    def mode(self) -> Tensor:
        """The mode."""
        return rl.exp(self.loc - self.scale**2)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        square = self.scale**2
        return rl.expm1(square) * rl.exp(2 * self.loc + square)

    def _entropy(self) -> Tensor:
        return self.base_dist._entropy() + self.loc

    def __repr__(self) -> str:
        return repr(self.base_dist).replace("Normal", "LogNormal", 1)


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one class.

    Parameters
    ----------
    mixture_distribution
        The probabilities of the components.
    component_distribution
        The components, along the last axis of the batch.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If the number of components differs.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions
    >>> mix = d.Categorical(rl.tensor([0.25, 0.75]))
    >>> d.MixtureSameFamily(mix, d.Normal(rl.tensor([0.0, 4.0]), 1.0)).mean.item()
    3.0
    """

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        count, shape = mixture_distribution._count, component_distribution.batch_shape
        if not shape or shape[-1] != count:
            raise ValueError(f"MixtureSameFamily: {count} probabilities for components of shape {shape}")
        self._mixture, self._component = mixture_distribution, component_distribution
        super().__init__(shape[:-1], component_distribution.event_shape, validate_args)

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
        >>> d = rl.distributions
        >>> mix = d.MixtureSameFamily(d.Categorical(rl.ones(2)), d.Normal(rl.zeros(2), 1.0))
        >>> mix.expand((3,)).sample().shape
        (3,)
        """
        assert isinstance(self, MixtureSameFamily)
        mixture = self._mixture.expand(batch_shape)
        return type(self)(mixture, self._component.expand((*batch_shape, mixture._count)))

    @property
    def support(self) -> Constraint | None:
        """That of the components, where all have the same."""
        return (
            self._component.support if not self._component._shaped.keys() & {"low", "total_count"} else None
        )

    @property
    def mixture_distribution(self) -> Categorical:
        """The probabilities of the components."""
        return self._mixture

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component

    def _weights(self) -> Tensor:
        probs = self._mixture.probs
        return rl.reshape(probs, (*probs.shape, *(1,) * len(self._event_shape)))

    def _over(self, x: Tensor) -> Tensor:
        return rl.sum(self._weights() * x, axis=-1 - len(self._event_shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self._over(self._component.mean)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        mean = rl.unsqueeze(self.mean, -1 - len(self._event_shape))
        return self._over(self._component.variance + (self._component.mean - mean) ** 2)

    def _wide(self, value: Tensor) -> Tensor:
        return rl.unsqueeze(value, -1 - len(self._event_shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        terms = self._component._log_prob(self._wide(value)) + self._mixture.logits
        return rl.logsumexp(terms, axis=-1)

    def _cdf(self, value: Tensor) -> Tensor:
        return rl.sum(self._component._cdf(self._wide(value)) * self._mixture.probs, axis=-1)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        mixture = self._mixture.expand(self._batch_shape)
        index, values = mixture._index(shape), self._component._draw(shape)
        events = len(self._event_shape)
        at = rl.reshape(index, (*index.shape, *(1,) * (1 + events)))
        at = rl.broadcast_to(at, (*index.shape, 1, *self._event_shape))
        return rl.squeeze(rl.gather(values, values.ndim - 1 - events, at), values.ndim - 1 - events)

    def __repr__(self) -> str:
        return f"MixtureSameFamily({self._mixture}, {self._component})"
