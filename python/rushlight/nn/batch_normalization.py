"""Batch and instance normalization layers, with PyTorch's names, defaults, initial values and state."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor

from . import functional as F
from ._settings import count
from .normalization import Affine

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
]


class _Tracked(Affine):
    """Normalization of channels, with running statistics."""

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    ranks: tuple[int, ...] = ()

    def _start(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Any,
        dtype: Any,
        bias: bool,
    ) -> None:
        self.num_features = features = count(type(self).__name__, "num_features", num_features)
        self.eps, self.momentum, self.affine = eps, momentum, affine
        self.track_running_stats = track_running_stats
        self._add_affine((features,), affine, affine and bias, device, dtype)
        track = track_running_stats
        mean = rl.zeros((features,), device=device, dtype=dtype) if track else None
        var = rl.ones((features,), device=device, dtype=dtype) if track else None
        batches = rl.zeros((), device=device, dtype=rl.int64) if track else None
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", batches)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Sets the running mean to 0, the running variance to 1 and the number of batches to 0.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.BatchNorm1d(1)
        >>> _ = layer(rl.tensor([[1.0], [3.0]]))
        >>> layer.reset_running_stats()
        >>> layer.running_mean.tolist(), int(layer.num_batches_tracked)
        ([0.0], 0)
        """
        for name, start in (("running_mean", 0.0), ("running_var", 1.0), ("num_batches_tracked", 0)):
            value = self._buffers.get(name)
            if value is not None:
                value.fill_(start)

    def reset_parameters(self) -> None:
        """Sets the weight to 1, the bias to 0 and the running statistics to their initial values."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check(self, input: Tensor) -> None:
        name = type(self).__name__
        if input.ndim not in self.ranks:
            ranks = " or ".join(str(rank) for rank in self.ranks)
            raise ValueError(f"{name}: input must have rank {ranks}, got shape {input.shape}")

    def extra_repr(self) -> str:
        """Returns the settings.

        Returns
        -------
        str
            Text for the repr.
        """
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Tracked):
    ops = ("batch_norm",)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self._start(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes each channel: in training by the batch, which updates running statistics, else by these.

        Parameters
        ----------
        input
            Shape ``(n, num_features, ...)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape and dtype of `input`.

        Raises
        ------
        ValueError
            If `input` has another rank or another number of channels.
        """
        self._check(input)
        by_channel = (self.weight, self.running_mean)
        if input.shape[1] != self.num_features and any(t is not None for t in by_channel):
            raise ValueError(
                f"{type(self).__name__}: num_features is {self.num_features}, got shape {input.shape}"
            )
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / int(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        kept = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if kept else None,
            self.running_var if kept else None,
            self.weight,
            self.bias,
            by_batch,
            momentum,
            self.eps,
        )


class _InstanceNorm(_Tracked):
    ops = ("group_norm", "batch_norm")

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self._start(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalizes each channel of each sample, or by running statistics outside of training.

        Parameters
        ----------
        input
            Shape ``(n, num_features, ...)`` or ``(num_features, ...)``, of the dtype of the weight.

        Returns
        -------
        Tensor
            Shape and dtype of `input`.
        """
        self._check(input)
        single = input.ndim == self.ranks[0]
        out = F.instance_norm(
            input[None] if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return out[0] if single else out


class BatchNorm1d(_BatchNorm):
    """Normalization of each channel of ``(n, num_features)`` or ``(n, num_features, l)``.

    `rushlight.nn.functional.batch_norm` is the function.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of the input.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; the average of all batches if None.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.BatchNorm1d(2, eps=0.0)
    >>> layer(rl.tensor([[1.0, 10.0], [3.0, 30.0]])).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    >>> layer.running_mean.tolist()
    [0.20000000298023224, 2.0]
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalization of each channel of ``(n, num_features, h, w)``, see `rushlight.nn.functional.batch_norm`.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of the input.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; the average of all batches if None.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.BatchNorm2d(2, eps=0.0)
    >>> layer(rl.tensor([[1.0, 10.0], [3.0, 30.0]])[:, :, None, None]).tolist()
    [[[[-1.0]], [[-1.0]]], [[[1.0]], [[1.0]]]]
    >>> layer.running_mean.tolist()
    [0.20000000298023224, 2.0]
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalization of each channel of ``(n, num_features, d, h, w)``.

    `rushlight.nn.functional.batch_norm` is the function.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of the input.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; the average of all batches if None.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.BatchNorm3d(2, eps=0.0)
    >>> layer(rl.tensor([[1.0, 10.0], [3.0, 30.0]])[:, :, None, None, None]).tolist()
    [[[[[-1.0]]], [[[-1.0]]]], [[[[1.0]]], [[[1.0]]]]]
    >>> layer.running_mean.tolist()
    [0.20000000298023224, 2.0]
    """

    ranks = (5,)


class InstanceNorm1d(_InstanceNorm):
    """Normalization of each channel of each sample of ``(n, num_features, l)`` or ``(num_features, l)``.

    `rushlight.nn.functional.instance_norm` is the function.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of a batch.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; None does not update them.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.InstanceNorm1d(2, eps=0.0)
    >>> layer(rl.tensor([[[1.0, 3.0], [10.0, 30.0]]])).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalization of each channel of each sample, of ``(n, num_features, h, w)`` or without ``n``.

    `rushlight.nn.functional.instance_norm` is the function.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of a batch.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; None does not update them.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.InstanceNorm2d(2, eps=0.0)
    >>> layer(rl.tensor([[[[1.0, 3.0]], [[10.0, 30.0]]]])).tolist()
    [[[[-1.0, 1.0]], [[-1.0, 1.0]]]]
    """

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalization of each channel of each sample, of ``(n, num_features, d, h, w)`` or without ``n``.

    `rushlight.nn.functional.instance_norm` is the function.

    Parameters
    ----------
    num_features
        Number of channels, axis 1 of a batch.
    eps
        Added to the variance.
    momentum
        Weight of the new statistics in the running ones; None does not update them.
    affine
        Whether there are a weight and a bias.
    track_running_stats
        Whether there are running statistics.
    device, dtype
        Device and dtype of the parameters and statistics; the CPU and float32 by default.
    bias
        Whether there is a bias beside the weight.

    Attributes
    ----------
    weight
        Shape ``(num_features,)``, initially 1; or None.
    bias
        Shape ``(num_features,)``, initially 0; or None.
    running_mean
        Shape ``(num_features,)``, initially 0; or None.
    running_var
        Shape ``(num_features,)``, initially 1; or None.
    num_batches_tracked
        Number of batches seen in training; or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.InstanceNorm3d(2, eps=0.0)
    >>> layer(rl.tensor([[[[[1.0, 3.0]]], [[[10.0, 30.0]]]]])).tolist()
    [[[[[-1.0, 1.0]]], [[[-1.0, 1.0]]]]]
    """

    ranks = (4, 5)
