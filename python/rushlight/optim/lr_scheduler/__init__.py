"""Learning rates that change over time, with PyTorch's names, arguments and numbers."""

from ._base import LRScheduler
from ._combined import ChainedScheduler, SequentialLR
from ._curves import CosineAnnealingLR, CosineAnnealingWarmRestarts, LinearLR, PolynomialLR
from ._cycles import CyclicLR, OneCycleLR
from ._factors import ConstantLR, ExponentialLR, LambdaLR, MultiplicativeLR, MultiStepLR, StepLR
from ._plateau import ReduceLROnPlateau

# PyTorch's older name, which schedules of other packages inherit from.
_LRScheduler = LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
