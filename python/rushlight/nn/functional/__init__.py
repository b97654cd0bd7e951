"""Functions of tensors for neural networks, with PyTorch's names and signatures.

`rushlight.functional` has the same functions. Every function is differentiable in its
floating-point arguments unless it says otherwise.
"""

from .activations import dropout, elu, gelu, log_softmax, relu, sigmoid, silu, softmax, tanh
from .conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .linear import embedding, flatten, linear, one_hot
from .losses import cross_entropy, mse_loss, nll_loss
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from .pool import avg_pool1d, avg_pool2d, avg_pool3d, interpolate, max_pool1d, max_pool2d, max_pool3d

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "flatten",
    "gelu",
    "group_norm",
    "instance_norm",
    "interpolate",
    "layer_norm",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "rms_norm",
    "sigmoid",
    "silu",
    "softmax",
    "tanh",
]
