"""The cross entropy of a linear map as a layer."""

from __future__ import annotations

import math
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from ._layer import PairLoss
from ._settings import count
from .functional._arguments import Reduction
from .functional.linear_cross_entropy import LinearCrossEntropyOptions
from .layers import Linear

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(PairLoss):
    """The cross entropy of a linear map, see `rushlight.nn.functional.linear_cross_entropy`.

    Parameters
    ----------
    in_features
        Size of the last axis of the input.
    num_classes
        Number of classes.
    out_features
        Axes of the logits behind that of the classes.
    bias
        Whether the linear map has a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.
    reduction
        ``"mean"``, ``"sum"`` or ``"none"``.
    weight
        A factor for each class, shape ``(num_classes,)``.
    ignore_index
        Class indices equal to this do not count; -100 if None.
    label_smoothing
        Share of each target, from 0 to 1, that goes to all classes evenly.
    options
        How the batch is split; None computes all logits at once.

    Attributes
    ----------
    linear
        The linear map, with all outputs in one axis.

    Examples
    --------
    >>> import rushlight as rl
    >>> loss = rl.nn.LinearCrossEntropyLoss(4, 10)
    >>> loss(rl.ones((3, 4)), rl.tensor([1, 2, 3])).shape
    ()
    """

    weight: Tensor | None
    ops = ("matmul", "cross_entropy")
    _shown = ("in_features", "num_classes", "out_features", "ignore_index", "label_smoothing", "options")

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: Reduction = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__(reduction)
        name = type(self).__name__
        self.in_features = count(name, "in_features", in_features)
        self.num_classes = count(name, "num_classes", num_classes)
        self.out_features = tuple(count(name, "out_features", n) for n in out_features)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        size = math.prod((self.num_classes, *self.out_features))
        self.linear = Linear(self.in_features, size, bias, device=device, dtype=dtype)

    def _run(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            rl.reshape(self.linear.weight, (*shape, self.in_features)),
            target,
            linear_bias=None if bias is None else rl.reshape(bias, shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )
