"""PyTorch's switches of products and attention, which change nothing: see `rushlight.backends`."""

from __future__ import annotations

from typing import Any

from .. import cuda as _cuda
from .._settings import check

__all__ = [
    "MatmulSwitches",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
]


class MatmulSwitches:
    """The switches of products: `allow_tf32`, `fp32_precision` and those of sums of half precision.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.matmul.allow_tf32 = True
    >>> rl.backends.cuda.matmul.allow_tf32
    True
    >>> rl.backends.cuda.matmul.allow_tf32 = False
    """

    allow_tf32: bool = False
    fp32_precision: str = "none"
    allow_fp16_reduced_precision_reduction: bool = True
    allow_bf16_reduced_precision_reduction: bool = True
    allow_fp16_accumulation: bool = False
    _SWITCHES = {  # noqa: RUF012
        "allow_tf32": True,
        "fp32_precision": ("none", "ieee", "tf32"),
        "allow_fp16_reduced_precision_reduction": True,
        "allow_bf16_reduced_precision_reduction": True,
        "allow_fp16_accumulation": True,
    }

    def __setattr__(self, name: str, value: Any) -> None:
        check("backends.cuda.matmul", name, value, self._SWITCHES)
        super().__setattr__(name, value)


matmul = MatmulSwitches()
_attention = {"flash": True, "mem_efficient": True, "math": True}


def is_built() -> bool:
    """Returns True: every build can use NVIDIA GPUs; `rushlight.cuda.is_available` says whether there is one.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.is_built()
    True
    """
    return bool(_cuda.__all__)


def enable_flash_sdp(enabled: bool) -> None:
    """Accepts PyTorch's switch of an algorithm of attention; there is one, which keeps no matrix of weights.

    Parameters
    ----------
    enabled
        Read back by `flash_sdp_enabled`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.enable_flash_sdp(True)
    """
    _attention["flash"] = bool(enabled)


def flash_sdp_enabled() -> bool:
    """Returns what `enable_flash_sdp` took.

    Returns
    -------
    bool
        True at first.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.flash_sdp_enabled()
    True
    """
    return _attention["flash"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Accepts PyTorch's switch of an algorithm of attention; there is one, which keeps no matrix of weights.

    Parameters
    ----------
    enabled
        Read back by `mem_efficient_sdp_enabled`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.enable_mem_efficient_sdp(True)
    """
    _attention["mem_efficient"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Returns what `enable_mem_efficient_sdp` took.

    Returns
    -------
    bool
        True at first.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.mem_efficient_sdp_enabled()
    True
    """
    return _attention["mem_efficient"]


def enable_math_sdp(enabled: bool) -> None:
    """Accepts PyTorch's switch of an algorithm of attention; there is one, which keeps no matrix of weights.

    Parameters
    ----------
    enabled
        Read back by `math_sdp_enabled`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.enable_math_sdp(True)
    """
    _attention["math"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Returns what `enable_math_sdp` took.

    Returns
    -------
    bool
        True at first.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.backends.cuda.math_sdp_enabled()
    True
    """
    return _attention["math"]
