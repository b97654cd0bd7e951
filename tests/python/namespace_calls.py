"""A call of each function of the array API standard 2025.12 and of its extensions, for a device.

A call has the name of a function and a text of Python: `xp` is the namespace and `d` the device. The names
in `TENSORS` are tensors on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import rushlight as rl

F = np.array([[0.5, -1.5, 2.0], [3.25, -0.0, 1.0]], np.float32)
TENSORS = {
    "f": F,
    "g": np.array([[2.0, 0.5, -3.0], [1.5, 4.0, -1.0]], np.float32),
    "u": np.array([[0.5, 0.25, -0.75], [0.125, 0.0, 0.5]], np.float32),
    "p": np.abs(F) + np.float32(1.5),
    "i": np.array([[3, -2, 5], [7, 0, -9]], np.int32),
    "j": np.array([[2, 3, 1], [2, 1, 3]], np.int32),
    "b": np.array([[True, False, True], [False, False, True]]),
    "c": np.array([[1 + 2j, -0.5j, 3], [2 - 1j, 1j, -1]], np.complex64),
    "v": np.array([1.0, 2.0, 4.0], np.float32),
    "w": np.array([0.5, -1.0, 3.0], np.float32),
    "n": np.array([2, 0, 1], np.int64),
    "r": np.array([3, 1, 3, 2, 1], np.int32),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]], np.float32),
    "a": np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 1.5]], np.float32),
}
# Names of functions of one shape, and the arguments.
FAMILIES = """
abs ceil floor trunc round sign square negative positive exp expm1 sin cos tan sinh cosh tanh atan asinh : f
isfinite isinf isnan signbit sqrt log1p : p
log log2 log10 reciprocal acosh sqrt : p
acos asin atanh : u
add subtract multiply divide atan2 copysign hypot logaddexp maximum minimum nextafter remainder : f, g
floor_divide equal not_equal less less_equal greater greater_equal : f, g
pow : p, g
bitwise_and bitwise_or bitwise_xor add multiply floor_divide remainder : i, j
bitwise_left_shift bitwise_right_shift : i, j
bitwise_invert sign abs negative square : i
logical_and logical_or logical_xor : b, ~b
logical_not : b
conj real imag abs exp log sqrt sin tanh : c
add multiply divide equal : c, c * 2
sum prod mean max min : f
sum prod max min : f, axis=1
sum mean : c, axis=0
std var : f, axis=0, correction=1
all any : b, axis=1
argmax argmin : f, axis=1
count_nonzero : i, axis=0
cumulative_sum cumulative_prod : f, axis=1, include_initial=True
diff : v, n=2
sort argsort : f, axis=-1, descending=True
unique_all unique_counts unique_inverse unique_values : r
nonzero : b
searchsorted : v, f
isin : r, n
clip : f, min=-1.0, max=v
where : b, f, g
take : f, n, axis=1
take_along_axis : f, xp.argsort(f, axis=1), axis=1
matmul : f, a
matrix_transpose : f
tensordot : f, a, axes=1
vecdot : f, g
broadcast_to : v, (2, 3)
broadcast_arrays : v, f
concat : [f, g], axis=0
stack : [f, g], axis=1
expand_dims : f, axis=1
squeeze : xp.expand_dims(f, axis=0), axis=0
flip : f, axis=1
roll : f, 1, axis=0
moveaxis : f, 0, 1
permute_dims : f, (1, 0)
reshape : f, (3, -1)
repeat : f, 2, axis=1
tile : v, (2, 2)
unstack : f, axis=1
tril triu : s, k=1
meshgrid : v, w
astype : f, xp.int32
asarray : [1.5, 2.0], device=d
arange : 1, 9, 2, device=d
linspace : 0, 1, 5, device=d
eye : 3, k=1, device=d
full : (2, 2), 7, device=d
zeros ones : (2, 2), device=d
zeros_like ones_like : f
full_like : f, 2
linalg.cholesky linalg.inv linalg.det linalg.eigh linalg.eigvalsh linalg.matrix_rank linalg.svdvals : s
linalg.slogdet linalg.pinv linalg.matrix_norm linalg.trace linalg.diagonal : s
linalg.matrix_power : s, 3
linalg.solve : s, v
linalg.qr linalg.svd : s
linalg.cross linalg.outer : v, w
linalg.vector_norm : f, axis=1, ord=3
linalg.matmul : f, a
linalg.matrix_transpose : f
linalg.tensordot : f, a, axes=1
linalg.vecdot : f, g
fft.fft fft.ifft fft.fftn fft.ifftn fft.irfft fft.hfft : c
fft.rfft fft.ihfft fft.rfftn : f
fft.irfftn : c
fft.fftshift fft.ifftshift : f
fft.fftfreq fft.rfftfreq : 5, device=d
"""
# Functions whose results have columns of arbitrary sign.
SIGNS = ("linalg.eigh", "linalg.svd")
# Functions whose results do not depend on a device or have no defined values, and those for the CPU alone.
OTHERS = (
    *("broadcast_shapes", "can_cast", "empty", "empty_like", "finfo", "iinfo", "isdtype", "from_dlpack"),
    *("result_type", "linalg.eig", "linalg.eigvals"),
)


def calls() -> list[tuple[str, str]]:
    """Return the names of functions and their arguments."""
    out = []
    for line in FAMILIES.strip().splitlines():
        names, arguments = line.split(" : ")
        out += [(name, arguments) for name in names.split()]
    return out


def leaves(x: Any) -> Iterator[Any]:
    """Yield the tensors and numbers of a result."""
    if isinstance(x, (tuple, list)):
        for part in x:
            yield from leaves(part)
    else:
        yield x


def result(name: str, arguments: str, device: str) -> list[Any]:
    """Return the tensors and numbers of the result of a call."""
    given = {key: rl.asarray(value, device=device) for key, value in TENSORS.items()}
    function: Any = rl
    for part in name.split("."):
        function = getattr(function, part)
    got = eval(f"function({arguments})", {"function": function, "xp": rl, "d": device, **given})
    return list(leaves(got))


def numpys(name: str, arguments: str) -> list[Any]:
    """Return the arrays of NumPy's result of a call."""
    given = {key: value.copy() for key, value in TENSORS.items()}
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part)
    # NumPy sorts upwards only.
    downwards = ", descending=True"
    known = arguments.removesuffix(downwards)
    got = eval(f"function({known})", {"function": function, "xp": np, "d": "cpu", **given})
    return [np.flip(x, -1) if known != arguments else np.asarray(x) for x in leaves(got)]
