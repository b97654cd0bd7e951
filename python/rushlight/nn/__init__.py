"""Neural networks: layers, losses, containers and functions, under PyTorch's names."""

from . import functional, init, utils
from .activations import GELU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Tanh
from .batch_normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from .containers import ModuleList, Sequential
from .convolution import Conv1d, Conv2d
from .layers import Dropout, Embedding, Flatten, Linear
from .losses import CrossEntropyLoss, MSELoss, NLLLoss
from .module import LoadResult, Module
from .normalization import GroupNorm, LayerNorm, RMSNorm
from .parameter import Parameter
from .pooling import AvgPool2d, MaxPool2d

__all__ = [
    "GELU",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "Linear",
    "LoadResult",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "RMSNorm",
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
