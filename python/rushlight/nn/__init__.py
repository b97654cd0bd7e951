"""Neural networks: layers, losses, containers and functions, under PyTorch's names."""

from . import functional, init, utils
from .activations import GELU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Softplus, Tanh
from .containers import ModuleList, Sequential
from .convolution import Conv1d, Conv2d
from .layers import Dropout, Embedding, Flatten, Linear
from .losses import CrossEntropyLoss, MSELoss, NLLLoss
from .module import LoadResult, Module
from .parameter import Parameter
from .pooling import AvgPool2d, MaxPool2d

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
    "Softplus",
    "Tanh",
    "functional",
    "init",
    "utils",
]
