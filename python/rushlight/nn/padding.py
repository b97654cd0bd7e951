"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rushlight._check import integers
from rushlight._native import Tensor

from . import functional as F
from ._layer import Layer

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Layer):
    _rank: ClassVar[int]
    _mode: ClassVar[str]
    _shown: ClassVar[tuple[str, ...]] = ("padding",)
    value: float | None = None

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        found = integers(padding, f"{type(self).__name__}: padding")
        self.padding = (found,) * (2 * self._rank) if isinstance(found, int) else found
        if len(self.padding) != 2 * self._rank:
            raise ValueError(
                f"{type(self).__name__}: padding is one number or {2 * self._rank}, got {self.padding}"
            )

    def _run(self, input: Tensor) -> Tensor:
        if input.ndim not in (self._rank + 1, self._rank + 2):
            raise ValueError(
                f"{type(self).__name__}: rank {self._rank + 1} or {self._rank + 2} is needed, "
                f"got shape {input.shape}"
            )
        return F.pad(input, self.padding, self._mode, self.value)


class ConstantPad1d(_Pad):
    """The layer that adds a value at the ends of the last axis, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis; or one number for all.
    value
        The value.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConstantPad1d(1, 5.0)(rl.tensor([[[1.0, 2.0]]])).tolist()
    [[[5.0, 1.0, 2.0, 5.0]]]
    """

    _rank, _mode = 1, "constant"
    _shown = ("padding", "value")

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad2d(_Pad):
    """The layer that adds a value at the ends of the last two axes, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one; or one number for all.
    value
        The value.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConstantPad2d(1, 5.0)(rl.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _rank, _mode = 2, "constant"
    _shown = ("padding", "value")

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad3d(_Pad):
    """The layer that adds a value at the ends of the last three axes, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one and the one before; or one
        number for all.
    value
        The value.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ConstantPad3d(1, 5.0)(rl.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _rank, _mode = 3, "constant"
    _shown = ("padding", "value")

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ZeroPad1d(_Pad):
    """The layer that adds zeros at the ends of the last axis, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ZeroPad1d(1)(rl.tensor([[[1.0, 2.0]]])).tolist()
    [[[0.0, 1.0, 2.0, 0.0]]]
    """

    _rank, _mode = 1, "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ZeroPad2d(_Pad):
    """The layer that adds zeros at the ends of the last two axes, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ZeroPad2d(1)(rl.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _rank, _mode = 2, "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ZeroPad3d(_Pad):
    """The layer that adds zeros at the ends of the last three axes, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one and the one before; or one
        number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ZeroPad3d(1)(rl.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _rank, _mode = 3, "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReflectionPad1d(_Pad):
    """The layer that adds mirrored elements at the ends of the last axis, see `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReflectionPad1d(1)(rl.tensor([[[1.0, 2.0]]])).tolist()
    [[[2.0, 1.0, 2.0, 1.0]]]
    """

    _rank, _mode = 1, "reflect"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReflectionPad2d(_Pad):
    """The layer that adds mirrored elements at the ends of the last two axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReflectionPad2d(1)(rl.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _rank, _mode = 2, "reflect"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReflectionPad3d(_Pad):
    """The layer that adds mirrored elements at the ends of the last three axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one and the one before; or one
        number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReflectionPad3d(1)(rl.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _rank, _mode = 3, "reflect"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReplicationPad1d(_Pad):
    """The layer that adds copies of the last elements at the ends of the last axis.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReplicationPad1d(1)(rl.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """

    _rank, _mode = 1, "replicate"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReplicationPad2d(_Pad):
    """The layer that adds copies of the last elements at the ends of the last two axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReplicationPad2d(1)(rl.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _rank, _mode = 2, "replicate"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class ReplicationPad3d(_Pad):
    """The layer that adds copies of the last elements at the ends of the last three axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one and the one before; or one
        number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.ReplicationPad3d(1)(rl.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _rank, _mode = 3, "replicate"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class CircularPad1d(_Pad):
    """The layer that adds elements of the other end at the ends of the last axis.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.CircularPad1d(1)(rl.tensor([[[1.0, 2.0]]])).tolist()
    [[[2.0, 1.0, 2.0, 1.0]]]
    """

    _rank, _mode = 1, "circular"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class CircularPad2d(_Pad):
    """The layer that adds elements of the other end at the ends of the last two axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one; or one number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.CircularPad2d(1)(rl.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _rank, _mode = 2, "circular"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)


class CircularPad3d(_Pad):
    """The layer that adds elements of the other end at the ends of the last three axes.

    See `rushlight.nn.functional.pad`.

    Parameters
    ----------
    padding
        Numbers of elements before and behind the last axis, then the last but one and the one before; or one
        number for all.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.CircularPad3d(1)(rl.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _rank, _mode = 3, "circular"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding)
