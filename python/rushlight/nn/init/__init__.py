"""Initial values of parameters, after PyTorch's `torch.nn.init`. Each function fills its tensor in place."""

from .fill import (
    calculate_gain,
    constant_,
    fans,
    kaiming_normal_,
    kaiming_uniform_,
    normal_,
    ones_,
    uniform_,
    xavier_normal_,
    xavier_uniform_,
    zeros_,
)
from .structured import dirac_, eye_, orthogonal_, sparse_, trunc_normal_

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "fans",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
