"""Moving a module to a device, and converting its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight import _core as rl
from rushlight import _native
from rushlight._native import Tensor
from rushlight.sparse import COOTensor

from ._tree import ModuleTree

__all__ = ["PlacedTree"]

T = TypeVar("T", bound="PlacedTree")

_FLOATING = ("real floating", "complex floating")


class PlacedTree(ModuleTree):
    """The part of `Module` that moves and converts parameters and buffers."""

    def to(self: T, *args: Any, device: Any = None, dtype: Any = None, non_blocking: bool = False) -> T:
        """Moves the parameters and buffers to a device, and converts the floating-point ones to a dtype.

        The `Parameter` objects stay the same, so an existing optimizer keeps updating them, and shared
        parameters stay shared. State that the optimizer already has does not move.

        Parameters
        ----------
        *args
            A device, a dtype or both, by position; or a tensor that has them.
        device, dtype
            The same by name.
        non_blocking
            Accepted as in PyTorch; the copy is ordered with later work on the device in either case.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        TypeError
            If the dtype is not floating point, or two of a kind are given.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.Linear(2, 1).to("cpu", rl.float64).weight.dtype == rl.float64
        True
        """
        for arg in args:
            if isinstance(arg, bool):
                continue  # PyTorch's third positional argument, non_blocking.
            if isinstance(arg, Tensor):
                device, dtype = arg.device, arg.dtype
            elif _is_dtype(arg):
                if dtype is not None:
                    raise TypeError("Module.to: two dtypes given")
                dtype = arg
            elif device is None:
                device = arg
            else:
                raise TypeError("Module.to: two devices given")
        dtype = _native._dtype(dtype) if isinstance(dtype, str) else dtype
        if dtype is not None and not rl.isdtype(dtype, ("real floating", "complex floating")):
            raise TypeError(f"Module.to: {dtype} is not a floating-point dtype")

        def moved(value: Tensor) -> Tensor:
            fits = rl.isdtype(value.dtype, _FLOATING)
            return value.detach().to(
                device=value.device if device is None else device,
                dtype=dtype if fits and dtype is not None else value.dtype,
            )

        return self._each(moved)

    def _each(self: T, change: Callable[[Tensor], Tensor]) -> T:
        """Replace the values of parameters, gradients and buffers; the `Parameter` objects stay."""
        for param in self.parameters():
            param.data = change(param)
            if param.grad is not None:
                grad: Any = param.grad
                param.grad = change(grad.to_dense() if isinstance(grad, COOTensor) else grad)
        for module in self.modules():
            for name, value in module._buffers.items():
                if value is not None:
                    module._buffers[name] = change(value)
        return self

    def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
        """Allocates new memory on a device for the parameters and buffers, without copying the values.

        Parameters
        ----------
        device
            The device.
        recurse
            Whether children are included.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.Linear(2, 1).to_empty(device="cpu").weight.shape
        (1, 2)
        """
        for module in self.modules() if recurse else [self]:
            for param in module._parameters.values():
                if param is not None:
                    param.data = rl.empty(param.shape, dtype=param.dtype, device=device)
                    param.grad = None
            for name, value in module._buffers.items():
                if value is not None:
                    module._buffers[name] = rl.empty(value.shape, dtype=value.dtype, device=device)
        return self

    def cuda(self: T, device: Any = None) -> T:
        """Moves the parameters and buffers to an NVIDIA GPU; ``to("rocm:0")`` names an AMD GPU.

        Parameters
        ----------
        device
            The GPU's number or its name; the first GPU if None.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.Linear(2, 1)
        >>> try:
        ...     _ = layer.cuda()
        ... except rl.DeviceError:
        ...     pass  # This machine has no NVIDIA GPU.
        """
        if device is None or isinstance(device, int):
            device = f"cuda:{device or 0}"
        return self.to(device=device)

    def type(self: T, dst_type: Any) -> T:
        """Converts the floating-point parameters and buffers to a dtype, in place.

        Parameters
        ----------
        dst_type
            A floating-point dtype, or its name.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> str(rl.nn.Linear(2, 1).type(rl.float64).weight.dtype)
        'float64'
        """
        return self.to(dtype=dst_type)

    def cpu(self: T) -> T:
        """Moves the parameters and buffers to the CPU.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> net = rl.nn.Sequential(rl.nn.Linear(2, 3), rl.nn.ReLU())
        >>> {str(p.device) for p in net.cpu().parameters()}
        {'cpu'}
        """
        return self.to("cpu")

    def float(self: T) -> T:
        """Converts the floating-point parameters and buffers to float32, in place.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> str(rl.nn.Linear(2, 1).float().weight.dtype)
        'float32'
        """
        return self.to(dtype=rl.float32)

    def double(self: T) -> T:
        """Converts the floating-point parameters and buffers to float64, in place.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> str(rl.nn.Linear(2, 1).double().weight.dtype)
        'float64'
        """
        return self.to(dtype=rl.float64)

    def half(self: T) -> T:
        """Converts the floating-point parameters and buffers to float16, in place.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> str(rl.nn.Linear(2, 1).half().weight.dtype)
        'float16'
        """
        return self.to(dtype=rl.float16)

    def bfloat16(self: T) -> T:
        """Converts the floating-point parameters and buffers to bfloat16, in place.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> import rushlight as rl
        >>> str(rl.nn.Linear(2, 1).bfloat16().weight.dtype)
        'bfloat16'
        """
        return self.to(dtype=rl.bfloat16)


def _is_dtype(value: Any) -> bool:
    if isinstance(value, str):
        try:
            _native._dtype(value)
        except (TypeError, ValueError):
            return False
        return True
    return isinstance(value, rl.DType)
