"""Neural networks: layers, losses, containers and functions, under PyTorch's names."""

from . import functional, init, utils
from .containers import ModuleList, Sequential
from .layers import (
    GELU,
    AvgPool2d,
    Conv1d,
    Conv2d,
    Dropout,
    Embedding,
    Flatten,
    Linear,
    LogSoftmax,
    MaxPool2d,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
)
from .losses import CrossEntropyLoss, MSELoss, NLLLoss
from .module import LoadResult, Module
from .parameter import Parameter

__all__ = [
    "GELU",
    "AvgPool2d",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Linear",
    "LoadResult",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "functional",
    "init",
    "utils",
]
