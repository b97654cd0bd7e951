"""Which values are allowed: objects with a method `check`, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = [
    "Constraint",
    "boolean",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "less_than",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "unit_interval",
]


class Constraint:
    """A condition on values, of which `event_dim` last axes are one value.

    Parameters
    ----------
    text
        What the condition says.
    test
        Returns a bool tensor.
    event_dim
        Number of axes of a value.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.positive.check(rl.tensor([1.0, -1.0])).tolist()
    [True, False]
    """

    def __init__(self, text: str, test: Callable[[Tensor], Tensor], event_dim: int = 0) -> None:
        self._text, self._test, self.event_dim = text, test, event_dim

    def check(self, value: Tensor) -> Tensor:
        """Returns where values fulfil the condition.

        Parameters
        ----------
        value
            The values.

        Returns
        -------
        Tensor
            bool.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.distributions.constraints.real.check(rl.tensor([rl.nan])).tolist()
        [False]
        """
        return self._test(value)

    def __repr__(self) -> str:
        return self._text


def _whole(x: Tensor) -> Tensor:
    return x == rl.floor(x) if x.is_floating_point() else rl.ones_like(x, dtype=rl.bool)


def _last(x: Tensor) -> Tensor:
    return rl.all(x, axis=-1)


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Returns the condition to lie between two bounds, or on one.

    Parameters
    ----------
    lower_bound, upper_bound
        Numbers or tensors.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.interval(0, 1).check(rl.tensor([1.0, 2.0])).tolist()
    [True, False]
    """
    return Constraint(
        f"between {lower_bound} and {upper_bound}",
        lambda x: rl.logical_and(x >= lower_bound, x <= upper_bound),
    )


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Returns the condition to lie between two bounds or on the lower one.

    Parameters
    ----------
    lower_bound, upper_bound
        Numbers or tensors.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.half_open_interval(0, 1).check(rl.tensor([0.0, 1.0])).tolist()
    [True, False]
    """
    return Constraint(
        f"from {lower_bound} on and below {upper_bound}",
        lambda x: rl.logical_and(x >= lower_bound, x < upper_bound),
    )


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Returns the condition to be a whole number from one bound to another.

    Parameters
    ----------
    lower_bound, upper_bound
        Numbers or tensors.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.integer_interval(0, 2).check(rl.tensor([2.0, 0.5])).tolist()
    [True, False]
    """
    return Constraint(
        f"a whole number from {lower_bound} to {upper_bound}",
        lambda x: rl.logical_and(rl.logical_and(x >= lower_bound, x <= upper_bound), _whole(x)),
    )


def greater_than(lower_bound: Any) -> Constraint:
    """Returns the condition to be above a bound.

    Parameters
    ----------
    lower_bound
        A number or tensor.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.greater_than(1).check(rl.tensor([1.0, 2.0])).tolist()
    [False, True]
    """
    return Constraint(f"above {lower_bound}", lambda x: x > lower_bound)


def greater_than_eq(lower_bound: Any) -> Constraint:
    """Returns the condition to be a bound or above.

    Parameters
    ----------
    lower_bound
        A number or tensor.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.greater_than_eq(1).check(rl.tensor([1.0, 0.0])).tolist()
    [True, False]
    """
    return Constraint(f"{lower_bound} or above", lambda x: x >= lower_bound)


def less_than(upper_bound: Any) -> Constraint:
    """Returns the condition to be below a bound.

    Parameters
    ----------
    upper_bound
        A number or tensor.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.distributions.constraints.less_than(1).check(rl.tensor([1.0, 0.0])).tolist()
    [False, True]
    """
    return Constraint(f"below {upper_bound}", lambda x: x < upper_bound)


def independent(base_constraint: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """Returns a condition of whole values whose last axes fulfil another one.

    Parameters
    ----------
    base_constraint
        The condition of elements.
    reinterpreted_batch_ndims
        Number of axes that are added to a value.

    Returns
    -------
    Constraint
        The condition.

    Examples
    --------
    >>> import rushlight as rl
    >>> c = rl.distributions.constraints
    >>> c.independent(c.positive, 1).check(rl.tensor([[1.0, 2.0], [1.0, -1.0]])).tolist()
    [True, False]
    """

    def test(x: Tensor) -> Tensor:
        found = base_constraint.check(x)
        axes = tuple(range(-reinterpreted_batch_ndims, 0))
        return rl.all(found, axis=axes) if axes else found

    return Constraint(
        f"in all elements {base_constraint}", test, base_constraint.event_dim + reinterpreted_batch_ndims
    )


real = Constraint("a number", lambda x: x == x)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
boolean = Constraint("0 or 1", lambda x: rl.logical_or(x == 0, x == 1))
nonnegative_integer = Constraint("a whole number, 0 or above", lambda x: rl.logical_and(x >= 0, _whole(x)))
positive_integer = Constraint("a whole number above 0", lambda x: rl.logical_and(x >= 1, _whole(x)))
real_vector = independent(real, 1)
simplex = Constraint(
    "a vector of probabilities with the sum 1",
    lambda x: rl.logical_and(_last(x >= 0), rl.abs(rl.sum(x, axis=-1) - 1) < 1e-6 * max(1, x.shape[-1])),
    1,
)
one_hot = Constraint(
    "a vector of zeros and one 1",
    lambda x: rl.logical_and(_last(rl.logical_or(x == 0, x == 1)), rl.sum(x, axis=-1) == 1),
    1,
)
