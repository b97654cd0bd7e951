"""Tensors for CPUs, AMD GPUs and NVIDIA GPUs, with gradients.

The top level is a namespace of the Python array API standard 2025.12; `Tensor`, `nn`, `optim` and
`functional` follow PyTorch's names.

>>> import rushlight as rl
>>> x = rl.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad.tolist()
[2.0, 4.0, 6.0]
"""

from . import _native as _native
from . import cuda as cuda
from . import rocm as rocm
from ._compose import *  # noqa: F403
from ._grad import *  # noqa: F403
from ._info import *  # noqa: F403
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._native import *  # noqa: F403
from ._native import __version__ as __version__
from ._types import *  # noqa: F403

__array_api_version__ = "2025.12"

# These use the names above.
from . import functional as functional
from . import nn as nn
from . import optim as optim
