"""PyTorch's contexts of mixed precision, under which tensors keep their dtype."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from .._native import DType

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available", "is_autocast_enabled"]

_KINDS = ("cpu", "cuda", "rocm", "hip", "mps", "xpu", "hpu")
_depth = threading.local()
_warned: set[str] = set()


class autocast:
    """Accepts PyTorch's context of mixed precision; operations compute in the dtype of their tensors.

    Results are those of float32, so they are more exact than PyTorch's, and take the time and memory of
    float32. ``model.half()`` or ``model.bfloat16()`` converts a model, and `GradScaler` scales its loss. The
    first use that is enabled warns of it. The object is a context and a decorator.

    Parameters
    ----------
    device_type
        ``"cuda"``, ``"cpu"`` or another kind of device.
    dtype
        The dtype that PyTorch would compute in.
    enabled
        Whether the context would be active.
    cache_enabled
        Accepted as in PyTorch, without effect.

    Raises
    ------
    ValueError
        If the kind of device is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.autocast("cuda", enabled=False):
    ...     rl.is_autocast_enabled()
    False
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        kind = str(device_type).partition(":")[0]
        if kind not in _KINDS:
            raise ValueError(
                f"autocast: {device_type!r} is not a kind of device; use 'cuda', 'rocm' or 'cpu'"
            )
        self.device = device_type
        self.fast_dtype = dtype
        self._enabled = bool(enabled)

    def __enter__(self) -> autocast:
        if self._enabled and "autocast" not in _warned:
            _warned.add("autocast")
            warnings.warn(
                "autocast: operations compute in the dtype of their tensors, float32 for a float32 model; "
                "model.half() or model.bfloat16() converts one",
                UserWarning,
                stacklevel=2,
            )
        entered: list[bool] = _depth.__dict__.setdefault("entered", [])
        entered.append(self._enabled)
        return self

    def __exit__(self, *error: object) -> None:
        _depth.entered.pop()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function."""

        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapped


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Returns whether the innermost `autocast` context is enabled.

    Parameters
    ----------
    device_type
        Accepted as in PyTorch, without effect.

    Returns
    -------
    bool
        False outside of such a context.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.is_autocast_enabled()
    False
    """
    entered: list[bool] = _depth.__dict__.get("entered", [])
    return bool(entered) and entered[-1]


def is_autocast_available(device_type: str) -> bool:
    """Returns False: no kind of device changes the dtype of operations by itself.

    Parameters
    ----------
    device_type
        The kind of device.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.amp.is_autocast_available("cuda")
    False
    """
    return False


def custom_fwd(fwd: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Returns the `forward` of an `autograd.Function` unchanged; a decorator with or without parentheses.

    Parameters
    ----------
    fwd
        The static method.
    **kwargs
        Accepted as in PyTorch (``device_type``, ``cast_inputs``), without effect.

    Returns
    -------
    callable
        `fwd`, or the decorator.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.amp.custom_fwd(device_type="cuda")(abs)(-1)
    1
    """
    return fwd if fwd is not None else lambda given: given


def custom_bwd(bwd: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Returns the `backward` of an `autograd.Function` unchanged; a decorator with or without parentheses.

    Parameters
    ----------
    bwd
        The static method.
    **kwargs
        Accepted as in PyTorch (``device_type``), without effect.

    Returns
    -------
    callable
        `bwd`, or the decorator.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.amp.custom_bwd(abs)(-1)
    1
    """
    return bwd if bwd is not None else lambda given: given
