"""Dropout layers."""

from __future__ import annotations

from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer
from ._settings import probability

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class Dropout(Layer):
    """The layer that zeroes elements at random in training, see `rushlight.nn.functional.dropout`.

    Parameters
    ----------
    p
        Probability of an element to be zeroed; the others are scaled by ``1 / (1 - p)``.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Dropout(0.5).eval()(rl.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(Layer):
    """The layer that zeroes channels ``(N, C, L)`` at random in training.

    See `rushlight.nn.functional.dropout1d`.

    Parameters
    ----------
    p
        Probability of a channel to be zeroed; the others are scaled by ``1 / (1 - p)``.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Dropout1d(0.5).eval()(rl.ones((1, 1, 2))).tolist()
    [[[1.0, 1.0]]]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Layer):
    """The layer that zeroes channels ``(N, C, H, W)`` at random in training.

    See `rushlight.nn.functional.dropout2d`.

    Parameters
    ----------
    p
        Probability of a channel to be zeroed; the others are scaled by ``1 / (1 - p)``.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Dropout2d(0.5).eval()(rl.ones((1, 1, 1, 2))).tolist()
    [[[[1.0, 1.0]]]]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Layer):
    """The layer that zeroes channels ``(N, C, D, H, W)`` at random in training.

    See `rushlight.nn.functional.dropout3d`.

    Parameters
    ----------
    p
        Probability of a channel to be zeroed; the others are scaled by ``1 / (1 - p)``.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.Dropout3d(0.5).eval()(rl.ones((1, 1, 1, 1, 2))).tolist()
    [[[[[1.0, 1.0]]]]]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Layer):
    """The dropout that goes with `SELU`, see `rushlight.nn.functional.alpha_dropout`.

    Parameters
    ----------
    p
        Probability of an element to be set.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.AlphaDropout(0.5).eval()(rl.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(Layer):
    """The dropout of channels that goes with `SELU`, see `rushlight.nn.functional.feature_alpha_dropout`.

    Parameters
    ----------
    p
        Probability of a channel to be set.
    inplace
        Whether the result also replaces the values of the input.

    Raises
    ------
    TypeError, ValueError
        If `p` is not a number, or not in [0, 1].

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.FeatureAlphaDropout(0.5).eval()(rl.ones((1, 1, 2))).tolist()
    [[[1.0, 1.0]]]
    """

    ops = ("dropout",)
    _shown = ("p",)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        probability(type(self).__name__, p)
        self.p = p
        self.inplace = inplace

    def _run(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
