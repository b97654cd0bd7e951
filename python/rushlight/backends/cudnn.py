"""PyTorch's switches of cuDNN, which change nothing here: see `rushlight.backends`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .. import cuda as _cuda
from .._settings import Switches

__all__ = [
    "allow_tf32",
    "benchmark",
    "benchmark_limit",
    "deterministic",
    "enabled",
    "flags",
    "fp32_precision",
    "is_available",
    "version",
]

enabled: bool = True
deterministic: bool = False
benchmark: bool = False
benchmark_limit: int = 10
allow_tf32: bool = True
fp32_precision: str = "none"
_SWITCHES = {
    "enabled": True,
    "deterministic": True,
    "benchmark": True,
    "benchmark_limit": 10,
    "allow_tf32": True,
    "fp32_precision": ("none", "ieee", "tf32"),
}


def is_available() -> bool:
    """Returns whether there is an NVIDIA GPU, which is what cuDNN serves.

    Returns
    -------
    bool
        As `rushlight.cuda.is_available`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cudnn.is_available() == rl.cuda.is_available()
    True
    """
    return _cuda.is_available()


def version() -> int | None:
    """Returns None: the number of cuDNN's version is not read.

    Returns
    -------
    int or None
        None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cudnn.version()
    """
    return None


@contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, deterministic: bool = False, allow_tf32: bool = True
) -> Iterator[None]:
    """Sets the switches until the end of a ``with`` block.

    Parameters
    ----------
    enabled, benchmark, deterministic, allow_tf32
        The switches.

    Returns
    -------
    Iterator
        The context.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.backends.cudnn.flags(enabled=True, benchmark=True):
    ...     rl.backends.cudnn.benchmark
    True
    >>> rl.backends.cudnn.benchmark
    False
    """
    module = sys.modules[__name__]
    given = {
        "enabled": enabled,
        "benchmark": benchmark,
        "deterministic": deterministic,
        "allow_tf32": allow_tf32,
    }
    before = {name: getattr(module, name) for name in given}
    for name, value in given.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


sys.modules[__name__].__class__ = Switches
