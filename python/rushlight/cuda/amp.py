"""PyTorch's older names of `rushlight.amp`."""

from __future__ import annotations

from .. import _core as rl
from .. import amp as _amp
from .._native import DType
from ..amp import custom_bwd, custom_fwd

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(_amp.autocast):
    """`rushlight.amp.autocast` for NVIDIA GPUs.

    Parameters
    ----------
    enabled
        Whether the context would be active.
    dtype
        The dtype that PyTorch would compute in.
    cache_enabled
        Accepted as in PyTorch, without effect.

    Examples
    --------
    >>> import rushlight as rl
    >>> with rl.cuda.amp.autocast(enabled=False):
    ...     y = rl.ones(1) * 2
    """

    def __init__(
        self, enabled: bool = True, dtype: DType | None = rl.float16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_amp.GradScaler):
    """`rushlight.amp.GradScaler` without the argument `device`.

    Parameters
    ----------
    init_scale, growth_factor, backoff_factor, growth_interval, enabled
        As there.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.cuda.amp.GradScaler(init_scale=2.0).get_scale()
    2.0
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
