"""How PyTorch is called for each op of the cases. Needs PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# Typed as Any: type checkers need not have PyTorch.
torch: Any = importlib.import_module("torch")
functional: Any = importlib.import_module("torch.nn.functional")

Array: TypeAlias = npt.NDArray[Any]


def rounded(value: Array) -> Array:
    """Floats rounded to float32, see golden_cases."""
    if value.dtype != np.float64:
        return value
    return np.asarray(value, dtype=np.float32).astype(np.float64)


def tensor(value: Array, dtype: str, order: Sequence[int] | None = None) -> Any:
    """A tensor of the array; floats in `dtype`, laid out so that `permute(order)` is contiguous."""
    if value.dtype == np.float64:
        out = torch.from_numpy(value).to(getattr(torch, dtype))
    else:
        out = torch.from_numpy(value)
    if order is None:
        return out
    back = [int(axis) for axis in np.argsort(order)]
    return out.permute(list(order)).contiguous().permute(back)


def function(op: str) -> Callable[..., Any]:
    """Return PyTorch's function for the op of a case."""
    if op in OPS:
        return OPS[op]
    found: Callable[..., Any] = getattr(functional, op, None) or getattr(torch, op)
    return found


def _upsample(mode: str) -> Callable[..., Any]:
    return lambda **kwargs: functional.interpolate(mode=mode, **kwargs)


def _running(op: str) -> Callable[..., Any]:
    """The output, and the running statistics after the call. Their numbers before it are arguments."""

    def run(input: Any, running_mean: Any = None, running_var: Any = None, **more: Any) -> tuple[Any, ...]:
        both = [running_mean, running_var]
        after = [torch.tensor(v, dtype=input.dtype) for v in both if v is not None]
        out = getattr(functional, op)(input, *(after or [None, None]), **more)
        return out, *after

    return run


def _optimizer(op: str) -> Callable[..., Any]:
    """Each parameter after every step, stacked; step i sees grads0[i], grads1[i] and so on."""

    def run(**kwargs: Any) -> tuple[Any, ...]:
        count = sum(key.startswith("param") for key in kwargs)
        params = [kwargs.pop(f"param{i}").clone() for i in range(count)]
        grads = [kwargs.pop(f"grads{i}") for i in range(count)]
        optimizer = getattr(torch.optim, op)(params, foreach=False, **kwargs)
        tracks: list[list[Any]] = [[] for _ in params]
        for step in range(len(grads[0])):
            for param, grad in zip(params, grads, strict=True):
                param.grad = grad[step].clone()
            optimizer.step()
            for param, track in zip(params, tracks, strict=True):
                track.append(param.detach().clone())
        return tuple(torch.stack(track) for track in tracks)

    return run


OPS: dict[str, Callable[..., Any]] = {
    "upsample_nearest1d": _upsample("nearest"),
    "upsample_nearest2d": _upsample("nearest"),
    "upsample_bilinear2d": _upsample("bilinear"),
    "batch_norm": _running("batch_norm"),
    "instance_norm": _running("instance_norm"),
    **{name: _optimizer(name) for name in ("SGD", "Adam", "AdamW")},
}
