"""The functions that `rushlight.rocm` and `rushlight.cuda` share."""

from __future__ import annotations

from importlib.machinery import PathFinder
from typing import Any

from ._native import (
    Device,
    Generator,
    _add_kernel_archives,
    _device_count,
    _gpu_empty_cache,
    _gpu_memory_stats,
    _gpu_properties,
    _gpu_reset_peak,
    _gpu_synchronize,
    set_rng_state,
)

__all__ = ["Gpus"]

_NAMES = {"rocm": "AMD", "cuda": "NVIDIA"}


def _find_archives() -> None:
    """Name the folders of the package `rushlight_kernels`, if it is installed, without importing it."""
    found = PathFinder.find_spec("rushlight_kernels")
    for folder in found.submodule_search_locations or () if found else ():
        _add_kernel_archives(folder)


_find_archives()


class Gpus:
    """The GPUs of a vendor: its methods are the functions of `rushlight.rocm` and of `rushlight.cuda`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def index(self, device: int | str | Device | None) -> int:
        """Return the number of a GPU that is given as a number or as a device; None is the first."""
        if device is None:
            return 0
        if isinstance(device, int):
            if device < 0:
                raise ValueError(f"a device's number is 0 or more, got {device}")
            return device
        found = Device(device) if isinstance(device, str) else device
        if found.type != self.kind:
            name = _NAMES[self.kind]
            raise ValueError(
                f"{found} is not an {name} GPU; use a number or a device such as '{self.kind}:0'"
            )
        return found.index or 0

    def device_count(self) -> int:
        """Returns the number of GPUs that can be used.

        Returns
        -------
        int
            The number; 0 also if the runtime or the driver is missing.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.device_count() >= 0
        True
        """
        return _device_count(self.kind)

    def is_available(self) -> bool:
        """Returns whether a GPU can be used.

        Returns
        -------
        bool
            Whether `device_count` is above 0.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.is_available() == (rl.rocm.device_count() > 0)
        True
        """
        return self.device_count() > 0

    def manual_seed(self, seed: int, device: int | str | Device = 0) -> None:
        """Seeds the random numbers of a GPU; without such a GPU it does nothing.

        Parameters
        ----------
        seed
            From 0 to 2**64 - 1.
        device
            The GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.manual_seed(0)
        """
        state = Generator().manual_seed(seed).get_state()
        if self.is_available():
            set_rng_state(state, f"{self.kind}:{self.index(device)}")

    def manual_seed_all(self, seed: int) -> None:
        """Seeds the random numbers of all GPUs; without a GPU it does nothing.

        Parameters
        ----------
        seed
            From 0 to 2**64 - 1.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.manual_seed_all(0)
        """
        state = Generator().manual_seed(seed).get_state()
        for number in range(self.device_count()):
            set_rng_state(state, f"{self.kind}:{number}")

    def get_device_properties(self, device: int | str | Device = 0) -> dict[str, Any]:
        """Returns a GPU's properties.

        Parameters
        ----------
        device
            Number of the GPU, or the device.

        Returns
        -------
        dict
            ``name``, ``arch`` (gfx90a, sm_90), ``wave_size``, ``compute_units``, ``total_memory`` (bytes),
            ``runtime``.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     assert rl.rocm.get_device_properties(0)["wave_size"] in (32, 64)
        """
        return _gpu_properties(self.kind, self.index(device))

    def device_name(self, device: int | str | Device = 0) -> str:
        """Returns a GPU's name; that of a virtual GPU contains "virtual".

        Parameters
        ----------
        device
            Number of the GPU, or the device.

        Returns
        -------
        str
            As the runtime reports it.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     assert rl.rocm.device_name(0)
        """
        return str(self.get_device_properties(device)["name"])

    def memory_stats(self, device: int | str | Device = 0) -> dict[str, int]:
        """Returns bytes of device memory and counts.

        Parameters
        ----------
        device
            Number of the GPU, or the device.

        Returns
        -------
        dict of str to int
            In bytes: ``requested`` by the live tensors, ``live`` in their memory blocks, ``peak``, the
            largest value of ``live``, and ``reserved``, taken from the device. ``launches``, ``uploads`` and
            ``downloads`` count kernels and transfers so far, ``blas_calls``, ``conv_calls`` and
            ``fft_calls`` and ``solver_calls`` the calls of the vendor's libraries (rocBLAS, MIOpen, rocFFT,
            rocSOLVER; cuBLAS, cuDNN, cuFFT and cuSOLVER), ``compiles`` the kernel files that were compiled
            because they were not on disk. ``graph_launches`` counts replays of graphs; each is also one of
            ``launches``, whatever the graph contains.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     assert rl.rocm.memory_stats(0)["live"] >= 0
        """
        return _gpu_memory_stats(self.kind, self.index(device))

    def reset_peak_memory(self, device: int | str | Device = 0) -> None:
        """Sets ``peak`` of `memory_stats` to the current value of ``live``.

        Parameters
        ----------
        device
            Number of the GPU, or the device.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     rl.rocm.reset_peak_memory(0)
        """
        _gpu_reset_peak(self.kind, self.index(device))

    def synchronize(self, device: int | str | Device | None = None) -> None:
        """Waits until the GPU has done all its work.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Raises
        ------
        DeviceError
            If there is no such GPU.
        IndexError
            If a kernel found an index out of range.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     rl.rocm.synchronize(0)
        """
        _gpu_synchronize(self.kind, self.index(device))

    def empty_cache(self, device: int | str | Device | None = None) -> None:
        """Frees the GPU memory that is kept for reuse.

        Parameters
        ----------
        device
            Number of the GPU, or the device; by default all of them, also where there is none.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     rl.rocm.empty_cache(0)
        """
        if device is not None:
            _gpu_empty_cache(self.kind, self.index(device))
            return
        for number in range(self.device_count()):
            _gpu_empty_cache(self.kind, number)

    def current_device(self) -> int:
        """Returns 0: the GPU that is meant where only the kind is named.

        Returns
        -------
        int
            0.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.current_device()
        0
        """
        return 0

    def set_device(self, device: int | str | Device) -> None:
        """Accepts the first GPU as the current one; tensors of others are made by naming the GPU.

        Parameters
        ----------
        device
            Number of the GPU, or the device.

        Raises
        ------
        ValueError
            If it is another one than the first.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.set_device(0)
        """
        number = self.index(device)
        if number > 0:
            raise ValueError(
                f"set_device: '{self.kind}' without a number is '{self.kind}:0'; name the device "
                f"'{self.kind}:{number}' where tensors are made"
            )

    def get_device_name(self, device: int | str | Device | None = None) -> str:
        """Returns a GPU's name: `device_name` under PyTorch's name.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Returns
        -------
        str
            As the runtime reports it.

        Raises
        ------
        DeviceError
            If there is no such GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> if rl.rocm.is_available():
        ...     assert rl.rocm.get_device_name()
        """
        return self.device_name(self.index(device))

    def is_bf16_supported(self, including_emulation: bool = True) -> bool:
        """Returns whether bfloat16 can be used, as on every GPU.

        Parameters
        ----------
        including_emulation
            Accepted as in PyTorch, without effect.

        Returns
        -------
        bool
            Whether there is a GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.is_bf16_supported() == rl.rocm.is_available()
        True
        """
        return self.is_available()

    def _bytes(self, name: str, device: int | str | Device | None) -> int:
        """Return an entry of `memory_stats`; 0 where there is no GPU."""
        if not self.is_available():
            return 0
        return self.memory_stats(self.index(device))[name]

    def memory_allocated(self, device: int | str | Device | None = None) -> int:
        """Returns the bytes of the memory blocks of live tensors: ``live`` of `memory_stats`.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Returns
        -------
        int
            Bytes; 0 without a GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.memory_allocated() >= 0
        True
        """
        return self._bytes("live", device)

    def max_memory_allocated(self, device: int | str | Device | None = None) -> int:
        """Returns the largest value of `memory_allocated` so far: ``peak`` of `memory_stats`.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Returns
        -------
        int
            Bytes; 0 without a GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.max_memory_allocated() >= 0
        True
        """
        return self._bytes("peak", device)

    def memory_reserved(self, device: int | str | Device | None = None) -> int:
        """Returns the bytes taken from the GPU: ``reserved`` of `memory_stats`.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Returns
        -------
        int
            Bytes; 0 without a GPU.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.memory_reserved() >= 0
        True
        """
        return self._bytes("reserved", device)

    def reset_peak_memory_stats(self, device: int | str | Device | None = None) -> None:
        """Sets the largest value back: `reset_peak_memory` under PyTorch's name; nothing without a GPU.

        Parameters
        ----------
        device
            Number of the GPU, or the device; the first by default.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.rocm.reset_peak_memory_stats()
        """
        if self.is_available():
            self.reset_peak_memory(self.index(device))
