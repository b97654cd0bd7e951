"""Scaling of losses, so that gradients in half precision do not vanish."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Any

from rushlight import _core as rl
from rushlight import _native
from rushlight._by_place import by_place
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from ..optim.optimizer import Optimizer

__all__ = ["GradScaler"]


def _single(value: float) -> float:
    """Return a number rounded to float32, infinite where it is too large."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


class _Progress:
    """An optimizer between two updates of the scale."""

    def __init__(self) -> None:
        self.unscaled = False
        self.stepped = False
        # For each device a scalar that is 1 once an infinity or NaN was seen.
        self.found: list[Tensor] = []
        self._overflowed: bool | None = None

    def overflowed(self) -> bool:
        """Return whether a gradient was infinite or NaN; the host waits for the device once."""
        if self._overflowed is None:
            self._overflowed = any(found.item() for found in self.found)
        return self._overflowed


class GradScaler:
    """Scales losses, undoes it before a step, and leaves out steps whose gradients overflowed.

    The scale is a float32 number. It is multiplied by `backoff_factor` after an overflow, and by
    `growth_factor` after `growth_interval` iterations without one.

    Parameters
    ----------
    device
        Accepted as in PyTorch; gradients may be on any device.
    init_scale
        The first scale.
    growth_factor
        The factor of growth, above 1.
    backoff_factor
        The factor after an overflow, below 1.
    growth_interval
        Number of iterations without an overflow until the scale grows.
    enabled
        Whether it does anything; if false, `scale` returns its argument and `step` calls the optimizer.

    Raises
    ------
    ValueError
        If a factor is out of range.

    Notes
    -----
    A GPU unscales up to 64 gradients in one launch, and the host reads one number for each device and
    optimizer.

    Examples
    --------
    >>> import rushlight as rl
    >>> x = rl.tensor([2.0], requires_grad=True)
    >>> optimizer = rl.optim.SGD([x], lr=0.25)
    >>> scaler = rl.amp.GradScaler()
    >>> scaler.scale((x * x).sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> x.tolist(), scaler.get_scale()
    ([1.0], 65536.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and not growth_factor > 1.0:
            raise ValueError(f"GradScaler: growth_factor {growth_factor} is not above 1")
        if enabled and not backoff_factor < 1.0:
            raise ValueError(f"GradScaler: backoff_factor {backoff_factor} is not below 1")
        self._device, self._enabled = device, enabled
        self._scale = _single(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._progress: dict[int, _Progress] = {}

    def scale(self, outputs: Any) -> Any:
        """Multiplies tensors by the scale.

        Parameters
        ----------
        outputs
            A tensor, or a list, tuple or iterable of tensors.

        Returns
        -------
        Any
            The products, in the same structure and of the same dtypes.

        Raises
        ------
        TypeError
            If `outputs` holds something else.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler(init_scale=4.0).scale(rl.tensor(0.5)).item()
        2.0
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            narrow = outputs.dtype in (rl.float16, rl.bfloat16)
            # The scale may be beyond the range of float16.
            wide = outputs.to(rl.float32) if narrow else outputs
            return (wide * self._scale).to(outputs.dtype)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(x) for x in outputs)
        if hasattr(outputs, "__iter__") and not isinstance(outputs, (str, bytes, Mapping)):
            return map(self.scale, outputs)
        kind = type(outputs).__name__
        raise TypeError(f"GradScaler.scale: expected a tensor or an iterable of tensors, got {kind}")

    def _of(self, optimizer: Optimizer) -> _Progress:
        return self._progress.setdefault(id(optimizer), _Progress())

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divides an optimizer's gradients by the scale in place, which `step` otherwise does.

        Parameters
        ----------
        optimizer
            The optimizer.

        Raises
        ------
        RuntimeError
            If it was called for this optimizer since the last `update`.
        ValueError
            If a gradient is in float16.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([2.0], requires_grad=True)
        >>> optimizer, scaler = rl.optim.SGD([x]), rl.amp.GradScaler()
        >>> scaler.scale((x * x).sum()).backward()
        >>> scaler.unscale_(optimizer)
        >>> x.grad.tolist()
        [4.0]
        """
        if not self._enabled:
            return
        progress = self._of(optimizer)
        if progress.unscaled:
            raise RuntimeError("GradScaler.unscale_: was called for this optimizer since the last update()")
        if progress.stepped:
            raise RuntimeError("GradScaler.unscale_: is called after step(); call update() first")
        grads: list[Tensor] = []
        for group in optimizer.param_groups:
            for param in group["params"]:
                grad: Any = param.grad
                if grad is None:
                    continue
                if grad.dtype == rl.float16:
                    raise ValueError(
                        "GradScaler.unscale_: a gradient is in float16; keep parameters in float32"
                    )
                grads.append(grad.values() if isinstance(grad, COOTensor) else grad)
        inverse = _single(1.0 / self._scale) if self._scale else math.inf
        with rl.no_grad():
            for (device, dtype), some in by_place(grads).items():
                found = rl.zeros((), dtype=dtype, device=device)
                factor = rl.asarray(inverse, dtype=dtype, device=device)
                _native._unscale_and_check_finite(some, found, factor)
                progress.found.append(found)
        progress.unscaled = True

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Unscales the gradients if `unscale_` has not, and calls the optimizer's step if all are finite.

        Parameters
        ----------
        optimizer
            The optimizer.
        *args, **kwargs
            Arguments of its step; a closure is not supported.

        Returns
        -------
        Any
            The result of the optimizer's step; None if it was left out.

        Raises
        ------
        RuntimeError
            If it was called for this optimizer since the last `update`, if no parameter has a gradient, or if
            a closure is given.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([2.0], requires_grad=True)
        >>> optimizer, scaler = rl.optim.SGD([x], lr=0.25), rl.amp.GradScaler()
        >>> x.grad = rl.tensor([float("inf")])
        >>> scaler.step(optimizer)
        >>> x.tolist()
        [2.0]
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("GradScaler.step: a closure is not supported; compute the gradients before")
        progress = self._of(optimizer)
        if progress.stepped:
            raise RuntimeError("GradScaler.step: was called for this optimizer since the last update()")
        if not progress.unscaled:
            self.unscale_(optimizer)
        if not progress.found:
            raise RuntimeError("GradScaler.step: no parameter of the optimizer has a gradient")
        result = None if progress.overflowed() else optimizer.step(*args, **kwargs)
        progress.stepped = True
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Changes the scale by the overflows since the last call, and ends the iteration.

        Parameters
        ----------
        new_scale
            The scale to set instead.

        Raises
        ------
        RuntimeError
            If neither `step` nor `unscale_` was called since the last call.

        Examples
        --------
        >>> import rushlight as rl
        >>> x = rl.tensor([2.0], requires_grad=True)
        >>> optimizer, scaler = rl.optim.SGD([x]), rl.amp.GradScaler(init_scale=8.0)
        >>> x.grad = rl.tensor([float("inf")])
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> scaler.get_scale()
        4.0
        """
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = _single(float(new_scale))
        else:
            checked = [progress for progress in self._progress.values() if progress.found]
            if not checked:
                raise RuntimeError("GradScaler.update: call step() or unscale_() before")
            if any(progress.overflowed() for progress in checked):
                self._scale = _single(self._scale * self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = _single(self._scale * self._growth_factor)
                    self._scale = grown if math.isfinite(grown) else self._scale
                    self._growth_tracker = 0
        self._progress.clear()

    def get_scale(self) -> float:
        """Returns the scale; 1 if it is not enabled.

        Returns
        -------
        float
            The scale.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler(enabled=False).get_scale()
        1.0
        """
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Returns the factor of growth.

        Returns
        -------
        float
            The factor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler().get_growth_factor()
        2.0
        """
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor of growth.

        Parameters
        ----------
        new_factor
            The factor.

        Examples
        --------
        >>> import rushlight as rl
        >>> scaler = rl.amp.GradScaler()
        >>> scaler.set_growth_factor(4.0)
        >>> scaler.get_growth_factor()
        4.0
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns the factor after an overflow.

        Returns
        -------
        float
            The factor.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler().get_backoff_factor()
        0.5
        """
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor after an overflow.

        Parameters
        ----------
        new_factor
            The factor.

        Examples
        --------
        >>> import rushlight as rl
        >>> scaler = rl.amp.GradScaler()
        >>> scaler.set_backoff_factor(0.25)
        >>> scaler.get_backoff_factor()
        0.25
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of iterations without an overflow until the scale grows.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler().get_growth_interval()
        2000
        """
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of iterations without an overflow until the scale grows.

        Parameters
        ----------
        new_interval
            The number.

        Examples
        --------
        >>> import rushlight as rl
        >>> scaler = rl.amp.GradScaler()
        >>> scaler.set_growth_interval(5)
        >>> scaler.get_growth_interval()
        5
        """
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Returns whether the scaler does anything.

        Returns
        -------
        bool
            The setting `enabled`.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler().is_enabled()
        True
        """
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Returns scale and settings, with PyTorch's keys.

        Returns
        -------
        dict
            Numbers by name; empty if the scaler is not enabled.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.amp.GradScaler(init_scale=4.0).state_dict()["scale"]
        4.0
        """
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over what `state_dict` returned.

        Parameters
        ----------
        state_dict
            The dict, also one of PyTorch's scaler.

        Raises
        ------
        RuntimeError
            If the dict is empty: it came from a scaler that was not enabled.

        Examples
        --------
        >>> import rushlight as rl
        >>> scaler = rl.amp.GradScaler()
        >>> scaler.load_state_dict(rl.amp.GradScaler(init_scale=4.0).state_dict())
        >>> scaler.get_scale()
        4.0
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("GradScaler.load_state_dict: the dict is empty; its scaler was not enabled")
        self._scale = _single(float(state_dict["scale"]))
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
