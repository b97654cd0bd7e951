"""Gradients under PyTorch's names: `grad`, `backward`, functions with a custom gradient, and checks.

`rushlight.func` has the same as transforms of functions.
"""

from . import functional as functional
from ._anomaly import detect_anomaly, set_detect_anomaly
from ._check import GradcheckError, gradcheck, gradgradcheck
from ._function import Function, FunctionCtx, once_differentiable
from ._walk import backward, grad

__all__ = [
    "Function",
    "FunctionCtx",
    "GradcheckError",
    "backward",
    "detect_anomaly",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "once_differentiable",
    "set_detect_anomaly",
]
