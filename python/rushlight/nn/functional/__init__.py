"""Functions of tensors for neural networks, with PyTorch's names and signatures.

`rushlight.functional` has the same functions. Every function is differentiable in its
floating-point arguments unless it says otherwise.
"""

from .activations import elu, gelu, log_softmax, relu, relu_squared, sigmoid, silu, softmax, softplus, tanh
from .adaptive_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from .attention import multi_head_attention_forward, rotary_embedding, scaled_dot_product_attention
from .binary_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    multilabel_soft_margin_loss,
    sigmoid_focal_loss,
    soft_margin_loss,
)
from .conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .ctc import ctc_loss
from .decoding import viterbi_decode
from .deformable import deform_conv2d, locally_connected2d
from .distance import cosine_similarity, normalize, pairwise_distance, pdist
from .dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .embedding import embedding, embedding_bag, one_hot
from .fold import fold, unfold
from .fractional_pool import fractional_max_pool2d, fractional_max_pool3d
from .fused import (
    bias_activation,
    bias_dropout,
    embedding_rms_norm,
    gemm_bias_gelu,
    gemm_bias_relu,
    gemm_bias_sigmoid,
    gemm_bias_swish,
    gemm_bias_tanh,
    layernorm_gelu,
    layernorm_relu,
    residual_layernorm,
)
from .grouped import grouped_mm
from .in_place import celu_, elu_, hardtanh_, leaky_relu_, relu_, rrelu_, selu_, threshold_
from .linear import bilinear, flatten, linear
from .linear_cross_entropy import linear_cross_entropy
from .losses import cross_entropy, nll_loss
from .margin_losses import (
    contrastive_loss,
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .norm_pool import lp_pool1d, lp_pool2d, lp_pool3d, max_unpool1d, max_unpool2d, max_unpool3d
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from .pad import pad
from .piecewise import (
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    prelu,
    relu6,
    rrelu,
    softshrink,
    threshold,
)
from .pool import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from .regression_losses import (
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
)
from .resize import interpolate
from .response import local_response_norm
from .sampling import affine_grid, grid_sample
from .shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from .smooth import celu, glu, gumbel_softmax, logsigmoid, mish, selu, softmin, softsign, tanhshrink

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_activation",
    "bias_dropout",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "contrastive_loss",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "deform_conv2d",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "embedding_rms_norm",
    "feature_alpha_dropout",
    "flatten",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "gaussian_nll_loss",
    "gelu",
    "gemm_bias_gelu",
    "gemm_bias_relu",
    "gemm_bias_sigmoid",
    "gemm_bias_swish",
    "gemm_bias_tanh",
    "glu",
    "grid_sample",
    "group_norm",
    "grouped_mm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "layernorm_gelu",
    "layernorm_relu",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "locally_connected2d",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "relu_squared",
    "residual_layernorm",
    "rms_norm",
    "rotary_embedding",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "sigmoid_focal_loss",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "viterbi_decode",
]
