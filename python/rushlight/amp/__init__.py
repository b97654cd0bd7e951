"""Mixed precision: the scaling of losses, with PyTorch's names."""

from .grad_scaler import GradScaler

__all__ = ["GradScaler"]
