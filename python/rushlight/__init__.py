"""Tensors for CPUs, AMD GPUs and NVIDIA GPUs, with gradients.

The top level is a namespace of the Python array API standard 2025.12; `Tensor`, `nn`, `optim` and
`functional` follow PyTorch's names.

>>> import rushlight as rl
>>> x = rl.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0, 6.0]
"""

from . import _compose, _files, _grad, _info, _native, _types
from . import _tensor as _tensor
from . import amp as amp
from . import autograd as autograd
from . import backends as backends
from . import cuda as cuda
from . import data as data
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import functional as functional
from . import graph as graph
from . import jit as jit
from . import linalg as linalg
from . import multiprocessing as multiprocessing
from . import nn as nn
from . import optim as optim
from . import profiler as profiler
from . import quantized as quantized
from . import random as random
from . import rocm as rocm
from . import sparse as sparse
from . import special as special
from . import testing as testing
from . import utils as utils
from . import version as version
from ._compose.complex import complex as complex
from ._core import *  # noqa: F403
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._native import Device as device
from ._native import __version__ as __version__
from ._tensor.classes import BFloat16Tensor as BFloat16Tensor
from ._tensor.classes import BoolTensor as BoolTensor
from ._tensor.classes import ByteTensor as ByteTensor
from ._tensor.classes import CharTensor as CharTensor
from ._tensor.classes import DoubleTensor as DoubleTensor
from ._tensor.classes import FloatTensor as FloatTensor
from ._tensor.classes import HalfTensor as HalfTensor
from ._tensor.classes import IntTensor as IntTensor
from ._tensor.classes import LongTensor as LongTensor
from ._tensor.classes import ShortTensor as ShortTensor
from ._tensor.size import Size as Size
from ._types import float as float
from ._types import int as int
from .amp.autocast_mode import autocast as autocast
from .amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from .backends.precision import get_float32_matmul_precision as get_float32_matmul_precision
from .backends.precision import set_float32_matmul_precision as set_float32_matmul_precision
from .cuda import amp as _cuda_amp  # noqa: F401
from .distributions.discrete import poisson as poisson
from .distributions.functions import binomial as binomial
from .func import value_and_grad as value_and_grad
from .jit import compile as compile
from .nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from .nn.functional import avg_pool1d as avg_pool1d
from .nn.functional import avg_pool2d as avg_pool2d
from .nn.functional import avg_pool3d as avg_pool3d
from .nn.functional import bilinear as bilinear
from .nn.functional import celu as celu
from .nn.functional import celu_ as celu_
from .nn.functional import channel_shuffle as channel_shuffle
from .nn.functional import conv1d as conv1d
from .nn.functional import conv2d as conv2d
from .nn.functional import conv3d as conv3d
from .nn.functional import conv_transpose1d as conv_transpose1d
from .nn.functional import conv_transpose2d as conv_transpose2d
from .nn.functional import conv_transpose3d as conv_transpose3d
from .nn.functional import cosine_similarity as cosine_similarity
from .nn.functional import cross_entropy as cross_entropy
from .nn.functional import dropout as dropout
from .nn.functional import embedding as embedding
from .nn.functional import hardshrink as hardshrink
from .nn.functional import max_pool1d as max_pool1d
from .nn.functional import max_pool2d as max_pool2d
from .nn.functional import max_pool3d as max_pool3d
from .nn.functional import nll_loss as nll_loss
from .nn.functional import one_hot as one_hot
from .nn.functional import pairwise_distance as pairwise_distance
from .nn.functional import pdist as pdist
from .nn.functional import pixel_shuffle as pixel_shuffle
from .nn.functional import pixel_unshuffle as pixel_unshuffle
from .nn.functional import prelu as prelu
from .nn.functional import relu_ as relu_
from .nn.functional import rrelu as rrelu
from .nn.functional import rrelu_ as rrelu_
from .nn.functional import selu as selu
from .nn.functional import selu_ as selu_
from .nn.functional import threshold as threshold
from .nn.functional import threshold_ as threshold_
from .sparse import sparse_coo_tensor as sparse_coo_tensor
from .sparse import sparse_csr_tensor as sparse_csr_tensor

__array_api_version__ = "2025.12"

# Each public name has one definition: tests/python/test_reference.py.
__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "Size",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "adaptive_avg_pool1d",
    "amp",
    "autocast",
    "autograd",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "backends",
    "bilinear",
    "binomial",
    "celu",
    "celu_",
    "channel_shuffle",
    "compile",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "cross_entropy",
    "cuda",
    "data",
    "device",
    "distributed",
    "distributions",
    "dropout",
    "embedding",
    "fft",
    "func",
    "functional",
    "get_float32_matmul_precision",
    "graph",
    "hardshrink",
    "is_autocast_enabled",
    "jit",
    "linalg",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "nll_loss",
    "nn",
    "one_hot",
    "optim",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "prelu",
    "profiler",
    "quantized",
    "relu_",
    "rocm",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "set_float32_matmul_precision",
    "sparse",
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "special",
    "testing",
    "threshold",
    "threshold_",
    "utils",
    "value_and_grad",
]
__all__ += _compose.__all__
__all__ += _files.__all__
__all__ += _grad.__all__
__all__ += _info.__all__
__all__ += _native.__all__
__all__ += _types.__all__
