"""Sparse tensors: by coordinates (COO) and in compressed rows (CSR), with gradients.

Functions have the names and arguments of `torch.sparse`. A sparse tensor is not a `Tensor`: it holds its
elements and their positions as tensors, on any device. What it has no method for takes `to_dense` first.
"""

from ._base import SparseTensor
from .coo import COOTensor, sparse_coo_tensor
from .csr import CSRTensor, sparse_csr_tensor
from .interchange import from_scipy, to_scipy
from .products import addmm, log_softmax, mm, sampled_addmm, softmax, sum

__all__ = [
    "COOTensor",
    "CSRTensor",
    "SparseTensor",
    "addmm",
    "from_scipy",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sum",
    "to_scipy",
]
