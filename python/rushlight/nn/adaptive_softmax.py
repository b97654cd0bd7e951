"""The softmax of many classes in clusters."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight import _core as rl
from rushlight._check import integer
from rushlight._native import Tensor

from . import functional as F
from ._settings import count
from .containers import ModuleList, Sequential
from .layers import Linear
from .module import Module

__all__ = ["ASMoutput", "AdaptiveLogSoftmaxWithLoss"]


class ASMoutput(NamedTuple):
    """The result of `AdaptiveLogSoftmaxWithLoss`.

    Parameters
    ----------
    output
        The log-probability of each target.
    loss
        The negative mean of these.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3])
    >>> layer(rl.ones((2, 4)), rl.tensor([1, 7])).output.shape
    (2,)
    """

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-softmax of many classes of which few are frequent (Grave et al. 2017).

    Classes are numbered by falling frequency. The head decides among the first ``cutoffs[0]`` classes and
    the clusters of the others; a cluster's classes are computed for the rows that need them, from fewer
    features.

    Parameters
    ----------
    in_features
        Size of the last axis of the input.
    n_classes
        Number of classes.
    cutoffs
        The first class of each cluster: rising, from 1 to ``n_classes - 1``.
    div_value
        Cluster i (from 0) has ``in_features // div_value ** (i + 1)`` features.
    head_bias
        Whether the head has a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Attributes
    ----------
    head
        A `Linear` to the first classes and the clusters.
    tail
        For each cluster two `Linear` without bias, to its features and to its classes.

    Raises
    ------
    ValueError
        If the cutoffs do not rise, or are out of range.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.nn.AdaptiveLogSoftmaxWithLoss(8, 1000, [10, 100])
    >>> output, loss = layer(rl.ones((3, 8)), rl.tensor([2, 50, 999]))
    >>> output.shape, layer.log_prob(rl.ones((3, 8))).shape
    ((3,), (3, 1000))
    """

    head: Linear
    tail: ModuleList
    ops = ("matmul", "log_softmax", "gather", "index_select", "index_add")

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "AdaptiveLogSoftmaxWithLoss"
        self.in_features = count(name, "in_features", in_features)
        self.n_classes = count(name, "n_classes", n_classes)
        found = [integer(c) for c in cutoffs]
        bounds = [0, *(0 if c is None else c for c in found), self.n_classes]
        if not found or any(a >= b for a, b in itertools.pairwise(bounds)):
            raise ValueError(
                f"{name}: cutoffs are integers that rise from 1 to {self.n_classes - 1}, got {list(cutoffs)}"
            )
        self.cutoffs = bounds[1:]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(self.in_features, self.head_size, head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            features = int(self.in_features // div_value ** (i + 1))
            classes = self.cutoffs[i + 1] - self.cutoffs[i]
            first = Linear(self.in_features, features, False, device=device, dtype=dtype)
            self.tail.append(Sequential(first, Linear(features, classes, False, device=device, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Draws new first values of the parameters, from the generator that `rushlight.manual_seed` seeds."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> ASMoutput:
        """Computes the log-probabilities of targets, and the loss.

        Parameters
        ----------
        input
            Shape ``(N, in_features)`` or ``(in_features,)``.
        target
            Classes, shape ``(N,)`` or ``()``.

        Returns
        -------
        ASMoutput
            The log-probability of each target, and the negative mean of these.

        Raises
        ------
        ValueError
            If shapes do not fit, or a target is out of range.
        """
        if target.ndim > 1 or input.ndim != target.ndim + 1 or input.shape[:-1] != target.shape:
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: shapes {input.shape} of input and {target.shape} of target"
            )
        if target.ndim == 0:
            found = self(rl.expand_dims(input, axis=0), rl.expand_dims(target, axis=0))
            return ASMoutput(rl.squeeze(found.output, axis=0), found.loss)
        if target.numel() and not bool(rl.all((target >= 0) & (target < self.n_classes))):
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: targets from {int(rl.min(target))} to {int(rl.max(target))} "
                f"for {self.n_classes} classes"
            )
        head = F.log_softmax(self.head(input), 1)
        column = target
        parts: list[tuple[Tensor, Tensor]] = []
        for i, (low, high) in enumerate(itertools.pairwise(self.cutoffs)):
            inside = (target >= low) & (target < high)
            column = rl.where(inside, self.shortlist_size + i, column)
            rows = rl.nonzero(inside)[0]
            if rows.numel():
                local = F.log_softmax(self.tail[i](rl.take(input, rows, axis=0)), 1)
                at = rl.take(target, rows, axis=0) - low
                parts.append((rows, rl.squeeze(rl.gather(local, 1, at[:, None]), axis=1)))
        output = rl.squeeze(rl.gather(head, 1, column[:, None]), axis=1)
        for rows, more in parts:
            output = rl.index_add(output, 0, rows, more)
        return ASMoutput(output, -rl.mean(output))

    def log_prob(self, input: Tensor) -> Tensor:
        """Computes the log-probabilities of all classes.

        Parameters
        ----------
        input
            Shape ``(N, in_features)``.

        Returns
        -------
        Tensor
            Shape ``(N, n_classes)``.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3])
        >>> bool(abs(layer.log_prob(rl.ones((1, 4))).exp().sum() - 1) < 1e-5)
        True
        """
        self._check(input)
        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            column = self.shortlist_size + i
            parts.append(F.log_softmax(cluster(input), 1) + head[:, column : column + 1])
        return rl.concat(parts, axis=1)

    def predict(self, input: Tensor) -> Tensor:
        """Returns the most probable class of each row.

        A row for which the head prefers one of the first classes to the others and to all clusters gets that
        class, as in PyTorch; for the other rows all classes are compared.

        Parameters
        ----------
        input
            Shape ``(N, in_features)``.

        Returns
        -------
        Tensor
            Shape ``(N,)``, int64.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3]).predict(rl.ones((2, 4))).shape
        (2,)
        """
        self._check(input)
        found = rl.argmax(self.head(input), axis=1)
        rows = rl.nonzero(found >= self.shortlist_size)[0]
        if rows.numel():
            best = rl.argmax(self.log_prob(rl.take(input, rows, axis=0)), axis=1)
            found[rows] = best
        return found

    def _check(self, input: Tensor) -> None:
        if input.ndim != 2:
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: expected the shape (N, {self.in_features}), got {input.shape}"
            )
