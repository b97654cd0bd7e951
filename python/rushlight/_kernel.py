"""Kernels that users write in HIP."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._native import DType, Tensor, _dtype, _rocm_compile, _RocmKernel, full

__all__ = ["Kernel", "Parameter", "compile_kernel", "parameters_of"]

# The dtypes of C's types for AMD GPUs on Linux.
_C_TYPES = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    **{f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "_Float16": "float16",
    "__half": "float16",
    "half": "float16",
    "__bf16": "bfloat16",
    "hip_bfloat16": "bfloat16",
    "__hip_bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
}
_WORDS = {word for name in _C_TYPES for word in name.split()}
_QUALIFIERS = {"__restrict__", "__restrict", "restrict", "volatile", "const", "struct"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: a scalar of a dtype, or a pointer to elements of one (None: of any)."""

    text: str
    dtype: DType | None
    pointer: bool
    const: bool


def _parameter(text: str) -> Parameter:
    """Read a declaration such as ``const float* x`` or ``int n``, or a dtype's name such as ``float32*``."""
    shown = " ".join(text.split())
    pointer = shown.count("*") + shown.count("[")
    base = re.sub(r"\[.*?\]", " ", shown).split("*")[0].split()
    const = "const" in base
    words = [w for w in base if w not in _QUALIFIERS]
    if len(words) > 1 and words[-1] not in _WORDS:
        words.pop()  # the parameter's name
    name = " ".join(words).replace("long int", "long").replace("short int", "short")
    if pointer > 1 or "&" in shown or "<" in shown:
        raise ValueError(f"'{shown}' is neither a scalar nor a pointer to a dtype's elements")
    if name == "void" and pointer:
        return Parameter(shown, None, True, const)
    try:
        return Parameter(shown, _dtype(_C_TYPES.get(name, name)), pointer == 1, const)
    except TypeError:
        raise ValueError(f"'{shown}' has a type that no dtype matches") from None


def parameters_of(source: str, name: str) -> tuple[Parameter, ...]:
    """Read the parameters of a kernel from its declaration in the source."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    head = re.search(rf"__global__\b[^;{{}}]*?\b{re.escape(name)}\s*\(([^)]*)\)", plain)
    if head is None:
        raise ValueError(f"the source declares no kernel '{name}' (extern \"C\" __global__ void {name}(..))")
    inside = head[1].strip()
    return tuple(_parameter(part) for part in inside.split(",")) if inside not in ("", "void") else ()


def _sizes(name: str, what: str, value: int | Sequence[int]) -> tuple[int, int, int]:
    """Return up to three sizes as three."""
    given: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    if not 1 <= len(given) <= 3 or not all(type(n) is int and 0 < n < 2**32 for n in given):
        raise ValueError(f"{name}: {what} takes one to three sizes of 1 or more, got {value!r}")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


class Kernel:
    """A kernel that a user wrote, compiled for one GPU. Calling it launches it.

    `rushlight.rocm.compile` makes it.

    Attributes
    ----------
    name
        The kernel's name.
    device
        The GPU's number.
    parameters
        Its parameters, in order.
    """

    def __init__(
        self, native: _RocmKernel, name: str, device: int, parameters: tuple[Parameter, ...]
    ) -> None:
        self._native = native
        self.name = name
        self.device = device
        self.parameters = parameters

    def __call__(
        self, *args: Any, grid: int | Sequence[int], block: int | Sequence[int], shared: int = 0
    ) -> None:
        """Launches the kernel on the GPU's stream, after all ops before it.

        The call does not wait: an error of the kernel is raised by a later call. A tensor passed to a pointer
        that is not const counts as changed. The kernel must access only the memory of the tensors; only the
        virtual GPU checks this.

        Parameters
        ----------
        *args
            For each pointer a row-major tensor of the parameter's dtype on the kernel's GPU, for each scalar
            a number that fits its dtype.
        grid, block
            Blocks, and threads of a block: a number, or up to three for x, y and z.
        shared
            Bytes of dynamic LDS (``extern __shared__``) of each block.

        Raises
        ------
        TypeError
            If the number of arguments or a dtype differs from the parameters.
        ValueError
            If a number does not fit, a tensor is not row-major or takes part in a gradient, or a size is
            below 1.
        DeviceError
            If a tensor is on another device, or the GPU has fewer threads or less LDS.
        """
        if len(args) != len(self.parameters):
            wants = ", ".join(p.text for p in self.parameters)
            raise TypeError(
                f"{self.name} takes {len(self.parameters)} arguments ({wants}), {len(args)} were given"
            )
        blocks, threads = _sizes(self.name, "grid", grid), _sizes(self.name, "block", block)
        if type(shared) is not int or not 0 <= shared < 2**32:
            raise ValueError(f"{self.name}: shared takes a number of bytes, got {shared!r}")
        pairs = zip(args, self.parameters, strict=True)
        values = [self._value(i, arg, p) for i, (arg, p) in enumerate(pairs)]
        self._native.launch(blocks, threads, shared, values)

    def _value(self, i: int, arg: Any, p: Parameter) -> tuple[Tensor, int]:
        where = f"{self.name}: argument {i} ({p.text})"
        if p.pointer:
            if not isinstance(arg, Tensor):
                raise TypeError(f"{where} takes a Tensor, got {type(arg).__name__}")
            if p.dtype is not None and arg.dtype != p.dtype:
                raise TypeError(f"{where} takes a tensor of {p.dtype}, got one of {arg.dtype}")
            return arg, 2 if p.const else 1
        if isinstance(arg, Tensor):
            raise TypeError(f"{where} takes a number, got a Tensor; give its item()")
        try:
            # An integer parameter does not accept a float, even a whole one.
            whole = p.dtype is not None and p.dtype.kind in ("signed integer", "unsigned integer")
            return full((), operator.index(arg) if whole else arg, dtype=p.dtype, device="cpu"), 0
        except (TypeError, ValueError, OverflowError) as e:
            raise type(e)(f"{where}: {e}") from None

    def __repr__(self) -> str:
        return f"Kernel({self.name}({', '.join(p.text for p in self.parameters)}) on rocm:{self.device})"


def compile_kernel(
    source: str, name: str, options: Sequence[str], arguments: Sequence[str] | None, device: int
) -> Kernel:
    """Compile a kernel; `rushlight.rocm.compile` has the documentation."""
    if isinstance(options, str):
        raise TypeError('compile: options is a list of texts, such as ["-DN=4"]')
    if arguments is None:
        try:
            parameters = parameters_of(source, name)
        except ValueError as e:
            hint = 'name the parameters by arguments=, as in arguments=["const float*", "int"]'
            raise ValueError(f"compile: {e}; {hint}") from None
    else:
        parameters = tuple(_parameter(text) for text in arguments)
    return Kernel(_rocm_compile(device, source, name, list(options)), name, device, parameters)
