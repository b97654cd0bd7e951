"""Distributions of classes, by their probabilities."""

from __future__ import annotations

from typing import ClassVar

from rushlight import _core as rl
from rushlight import functional as F
from rushlight._check import integer
from rushlight._compose.gamma import lgamma
from rushlight._native import Tensor

from . import constraints as c
from .constraints import Constraint
from .discrete import binomial_numbers, clamped
from .distribution import Distribution, check_tensor, log_of, source

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class _Classes(Distribution):
    """A distribution with a probability for each class."""

    _shaped: ClassVar[dict[str, int]] = {"_probs": 1, "_logits": 1}
    _vector: ClassVar[bool] = True

    def __init__(self, probs: Tensor | None, logits: Tensor | None, validate_args: bool | None) -> None:
        name = type(self).__name__
        log_of(name, probs, logits)
        given = probs if probs is not None else logits
        assert given is not None
        check_tensor(name, "probs" if probs is not None else "logits", given)
        if given.ndim < 1:
            raise ValueError(f"{name}: the parameter has one axis or more")
        if given.shape[-1] == 0:
            raise ValueError(f"{name}: there is no class; the parameter has the shape {given.shape}")
        self._probs: Tensor | None = None
        self._logits: Tensor | None = None
        if probs is not None:
            self._probs = probs / rl.sum(probs, axis=-1, keepdims=True)
        else:
            self._logits = given - rl.logsumexp(given, axis=-1, keepdims=True)
        self._count = given.shape[-1]
        super().__init__(given.shape[:-1], given.shape[-1:] if self._vector else (), validate_args)
        if self._validate_args:
            probs_fit = probs is None or bool(rl.all(probs.detach() >= 0))
            value = self._probs if self._probs is not None else self._logits
            assert value is not None
            if not probs_fit or bool(rl.any(rl.isnan(value.detach()))):
                raise ValueError(
                    f"{name}: {'probs' if probs is not None else 'logits'} are not probabilities"
                )

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs if self._probs is not None else rl.softmax(self.logits, -1)

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        if self._logits is not None:
            return self._logits
        assert self._probs is not None
        return rl.log(clamped(self._probs))

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the parameter that was given."""
        return (*self._batch_shape, self._count)

    def _index(self, shape: tuple[int, ...]) -> Tensor:
        """Draw indices."""
        whole = (*shape, *self._batch_shape)
        probs = rl.broadcast_to(self.probs.detach(), (*whole, self._count))
        return rl.reshape(
            rl.multinomial(rl.reshape(probs, (-1, self._count)), 1, True, generator=source()), whole
        )

    def _entropy(self) -> Tensor:
        logits = self.logits
        terms = rl.clip(logits, float(rl.finfo(logits.dtype).min), None) * self.probs
        return -rl.sum(terms, axis=-1)

    def __repr__(self) -> str:
        name = "probs" if self._probs is not None else "logits"
        return f"{type(self).__name__}({name}: {self.param_shape})"


class Categorical(_Classes):
    """The distribution of the index of a class.

    Parameters
    ----------
    probs, logits
        A number for each class in the last axis: probabilities, or their logarithms, up to a factor.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> d = rl.distributions.Categorical(rl.tensor([0.25, 0.75]))
    >>> d.log_prob(rl.tensor(1)).exp().item(), d.sample().dtype
    (0.75, rushlight.int64)
    """

    has_enumerate_support: ClassVar[bool] = True
    _vector: ClassVar[bool] = False

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Constraint:
        """The indices."""
        return c.integer_interval(0, self._count - 1)

    @property
    def mean(self) -> Tensor:
        """NaN."""
        return rl.full(self._batch_shape, rl.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        """The most probable index."""
        return rl.argmax(self.probs, axis=-1)

    @property
    def variance(self) -> Tensor:
        """NaN."""
        return self.mean

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return self._index(shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        index = rl.unsqueeze(value.astype(rl.int64), -1)
        shape = rl.broadcast_shapes(index.shape[:-1], self._batch_shape)
        logits = rl.broadcast_to(self.logits, (*shape, self._count))
        return rl.squeeze(rl.gather(logits, -1, rl.broadcast_to(index, (*shape, 1))), -1)

    def _values(self) -> Tensor:
        return rl.arange(self._count, dtype=rl.int64, device=self.probs.device)


class OneHotCategorical(_Classes):
    """The distribution of a vector with a 1 at a class and zeros elsewhere.

    Parameters
    ----------
    probs, logits
        A number for each class in the last axis: probabilities, or their logarithms, up to a factor.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.OneHotCategorical(rl.tensor([0.0, 1.0])).sample().tolist()
    [0.0, 1.0]
    """

    has_enumerate_support: ClassVar[bool] = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Constraint:
        """Vectors with one 1."""
        return c.one_hot

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The vector of the most probable class."""
        return self._hot(rl.argmax(self.probs, axis=-1))

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.probs * (1 - self.probs)

    def _hot(self, index: Tensor) -> Tensor:
        return F.one_hot(index, self._count).astype(self.probs.dtype)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return self._hot(self._index(shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        logits, hot = rl.broadcast_tensors(self.logits, value)
        return rl.squeeze(rl.gather(logits, -1, rl.argmax(hot, axis=-1, keepdims=True)), -1)

    def _values(self) -> Tensor:
        return rl.eye(self._count, dtype=self.probs.dtype, device=self.probs.device)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples have the gradient of the probabilities.

    Parameters
    ----------
    probs, logits
        A number for each class in the last axis: probabilities, or their logarithms, up to a factor.
    validate_args
        See `Distribution`.

    Examples
    --------
    >>> import rushlight as rl
    >>> logits = rl.zeros(2, requires_grad=True)
    >>> rl.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample()[0].backward()
    >>> logits.grad.tolist()
    [0.25, -0.25]
    """

    has_rsample: ClassVar[bool] = True

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        return super()._draw(shape) + (self.probs - self.probs.detach())


class Multinomial(_Classes):
    """The distribution of how often each class is drawn in a number of trials.

    Parameters
    ----------
    total_count
        The number of trials.
    probs, logits
        A number for each class in the last axis: probabilities, or their logarithms, up to a factor.
    validate_args
        See `Distribution`.

    Raises
    ------
    ValueError
        If both or none are given, or the number of trials is negative or not whole.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.Multinomial(5, rl.tensor([0.0, 1.0])).sample().tolist()
    [0.0, 5.0]
    """

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        count = integer(total_count)
        if count is None or count < 0:
            raise ValueError(f"Multinomial: total_count is {total_count!r}, expected 0 or a positive integer")
        self.total_count = count
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Constraint:
        """Vectors of whole numbers whose sum is the number of trials."""
        whole = c.independent(c.integer_interval(0, self.total_count), 1)
        return Constraint(
            f"a vector of whole numbers with the sum {self.total_count}",
            lambda x: rl.logical_and(whole.check(x), rl.sum(x, axis=-1) == self.total_count),
            1,
        )

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.total_count * self.probs * (1 - self.probs)

    def _draw(self, shape: tuple[int, ...]) -> Tensor:
        if self.total_count <= 10 * self._count:
            index = self._index((self.total_count, *shape))
            return rl.sum(F.one_hot(index, self._count), axis=0).astype(self.probs.dtype)
        # Of the trials that are left each class has a binomial number, whatever the number of trials is.
        p = rl.broadcast_to(self.probs.detach().astype(rl.float64), (*shape, *self.param_shape))
        left = rl.full(p.shape[:-1], float(self.total_count), dtype=p.dtype, device=p.device)
        beyond = rl.flip(rl.cumulative_sum(rl.flip(p, -1), axis=-1), -1)
        found = []
        for k in range(self._count - 1):
            share = rl.where(beyond[..., k] > 0, p[..., k] / beyond[..., k], 0.0)
            found.append(binomial_numbers(left, rl.clip(share, 0, 1)))
            left = left - found[-1]
        return rl.stack([*found, left], -1).astype(self.probs.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        logits, x = rl.broadcast_tensors(self.logits, value)
        powers = rl.where(rl.logical_and(x == 0, logits == -rl.inf), 0.0, logits * x)
        ways = lgamma(rl.sum(x, axis=-1) + 1) - rl.sum(lgamma(x + 1), axis=-1)
        return ways + rl.sum(powers, axis=-1)
