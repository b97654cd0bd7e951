"""Gradients under PyTorch's names: `grad`, `backward`, functions with a custom gradient, and checks.

`rushlight.func` has the same as transforms of functions.
"""

from rushlight._grad import enable_grad, inference_mode, no_grad, set_grad_enabled

from . import functional as functional
from ._anomaly import detect_anomaly, set_detect_anomaly
from ._check import GradcheckError, gradcheck, gradgradcheck
from ._function import Function, FunctionCtx, once_differentiable
from ._variable import Variable
from ._walk import backward, grad

__all__ = [
    "Function",
    "FunctionCtx",
    "GradcheckError",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "once_differentiable",
    "set_detect_anomaly",
    "set_grad_enabled",
]
