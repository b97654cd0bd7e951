"""Properties of `Tensor` that are written in Python."""

from __future__ import annotations

import builtins

from .._native import Tensor

__all__ = ["H", "is_cpu", "is_cuda", "is_sparse", "is_sparse_csr", "mH"]


def H(self: Tensor) -> Tensor:
    """Transposed real matrix, a view: PyTorch's name of `T` with complex numbers.

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
    """View with the last two axes of a real tensor exchanged: PyTorch's name of `mT` with complex numbers.

    Raises AttributeError if the tensor has rank 0 or 1, or is complex.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.ones((5, 2, 3)).mH.shape
    (5, 3, 2)
    """
    if self.ndim < 2 or "complex" in self.dtype.kind:
        raise AttributeError(
            f"mH is for real matrices; this tensor has rank {self.ndim} and the dtype {self.dtype}"
        )
    return self.transpose(-2, -1)


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
