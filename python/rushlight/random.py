"""Seeds and states of random numbers: PyTorch's ``torch.random``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from . import cuda, rocm
from ._native import get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cuda"
) -> Iterator[None]:
    """Sets the random numbers back at the end of a ``with`` block to where they were at its begin.

    Parameters
    ----------
    devices
        The GPUs whose numbers are set back, too: numbers or names. All by default.
    enabled
        Whether anything is set back.
    device_type
        The kind of the GPUs that are given by numbers: ``"cuda"`` or ``"rocm"``.

    Returns
    -------
    Iterator
        The context.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.random.fork_rng():
    ...     a = rl.rand(2)
    >>> rl.rand(2).equal(a)
    True
    """
    if not enabled:
        yield
        return
    if devices is None:
        names = [f"cuda:{i}" for i in range(cuda.device_count())]
        names += [f"rocm:{i}" for i in range(rocm.device_count())]
    else:
        names = [f"{device_type}:{d}" if isinstance(d, int) else str(d) for d in devices]
    states = {name: get_rng_state(name) for name in ["cpu", *(n for n in names if n != "cpu")]}
    try:
        yield
    finally:
        for name, state in states.items():
            set_rng_state(state, name)
