"""Properties of `Tensor` that are written in Python."""

from __future__ import annotations

import builtins

from .. import _compose
from .._native import Tensor

__all__ = ["H", "imag", "is_cpu", "is_cuda", "is_sparse", "is_sparse_csr", "mH", "real"]


def H(self: Tensor) -> Tensor:
    """Transposed and conjugated matrix: a view of a real one, a copy of a complex one.

    Raises AttributeError unless the tensor has rank 2.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((2, 3)).H.shape
    (3, 2)
    """
    if self.ndim != 2:
        raise AttributeError(f"H is for matrices; this tensor has rank {self.ndim}: use mH")
    return mH(self)


def mH(self: Tensor) -> Tensor:
    """Transposed and conjugated matrices: a view of real ones, a copy of complex ones.

    Raises AttributeError if the tensor has rank 0 or 1.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((5, 2, 3)).mH.shape
    (5, 3, 2)
    """
    if self.ndim < 2:
        raise AttributeError(f"mH is for matrices; this tensor has rank {self.ndim}")
    return _compose.adjoint(self)


def real(self: Tensor) -> Tensor:
    """Real part: a copy for a complex tensor, else the tensor itself.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1 + 2j]).real.tolist()
    [1.0]
    """
    return _compose.real(self)


def imag(self: Tensor) -> Tensor:
    """Imaginary part of a complex tensor, a copy.

    Raises AttributeError if the tensor is not complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.tensor([1 + 2j]).imag.tolist()
    [2.0]
    """
    if not self.dtype.is_complex:
        raise AttributeError(f"imag is for complex tensors, not {self.dtype}")
    return _compose.imag(self)


def is_cpu(self: Tensor) -> builtins.bool:
    """Whether the tensor is on the CPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones(2).is_cpu
    True
    """
    return self.device.type == "cpu"


def is_cuda(self: Tensor) -> builtins.bool:
    """Whether the tensor is on an NVIDIA GPU; ``x.device.type`` is ``"rocm"`` on an AMD GPU.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones(2).is_cuda
    False
    """
    return self.device.type == "cuda"


def is_sparse(self: Tensor) -> builtins.bool:
    """False; True of a `rushlight.sparse.COOTensor`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.zeros(2).is_sparse, rl.zeros(2).to_sparse().is_sparse
    (False, True)
    """
    return False


def is_sparse_csr(self: Tensor) -> builtins.bool:
    """False; True of a `rushlight.sparse.CSRTensor`.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.zeros((2, 2)).is_sparse_csr, rl.zeros((2, 2)).to_sparse_csr().is_sparse_csr
    (False, True)
    """
    return False
