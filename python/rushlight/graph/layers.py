"""Layers for graphs."""

from __future__ import annotations

import inspect
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor
from rushlight.nn import init
from rushlight.nn.functional import dropout, leaky_relu
from rushlight.nn.layers import Linear
from rushlight.nn.module import Module
from rushlight.nn.parameter import Parameter

from ._checks import edges_of, naming, places_of
from .groups import _NAMES, edge_softmax, scatter

__all__ = ["GATConv", "GCNConv", "MessagePassing"]


def _with_loops(edge_index: Tensor, nodes: int) -> Tensor:
    """Return the edges without those from a node to itself, and with one such edge for each node."""
    kept = edge_index[:, edge_index[0] != edge_index[1]]
    loops = rl.arange(nodes, dtype=edge_index.dtype, device=edge_index.device)
    return rl.concat([kept, rl.stack([loops, loops])], axis=1)


class MessagePassing(Module):
    """A layer in which nodes receive messages along edges, as `torch_geometric.nn.MessagePassing`.

    A subclass calls `propagate`, which computes ``update(aggregate(message(...)))``, and overrides `message`,
    whose arguments with names that end with ``_j`` are entries of the nodes that send, and with ``_i`` of
    those that receive.

    Parameters
    ----------
    aggr
        How a node combines its messages: ``"sum"`` (or ``"add"``), ``"mean"``, ``"mul"``, ``"max"`` or
        ``"min"``. Any value for a subclass that overrides `aggregate`.
    flow
        ``"source_to_target"``: node ``edge_index[1, k]`` receives. ``"target_to_source"``: node
        ``edge_index[0, k]``.

    Raises
    ------
    ValueError
        If `aggr` or `flow` is another word.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.graph.MessagePassing(aggr="mean")
    >>> edges = rl.tensor([[0, 1, 2], [2, 2, 0]])
    >>> layer.propagate(edges, x=rl.tensor([[1.0], [5.0], [7.0]])).tolist()
    [[7.0], [0.0], [3.0]]
    """

    def __init__(self, aggr: str = "sum", *, flow: str = "source_to_target") -> None:
        super().__init__()
        if flow not in ("source_to_target", "target_to_source"):
            raise ValueError(
                f"MessagePassing: flow must be source_to_target or target_to_source, not {flow!r}"
            )
        if aggr not in _NAMES and type(self).aggregate is MessagePassing.aggregate:
            raise ValueError(f"MessagePassing: aggr must be one of {', '.join(_NAMES)}, not {aggr!r}")
        self.aggr, self.flow = aggr, flow

    def propagate(self, edge_index: Tensor, size: int | None = None, **kwargs: Any) -> Tensor:
        """Send messages along the edges.

        Parameters
        ----------
        edge_index
            Integers of shape (2, edges).
        size
            The number of nodes; by default, that of the first tensor whose name `message` has with ``_i`` or
            ``_j``.
        **kwargs
            What `message` and `update` take: `x` gives ``x_i`` and ``x_j``, and other names give themselves.

        Returns
        -------
        Tensor
            One entry for each node.

        Raises
        ------
        IndexError
            If an edge leads from or to a node that does not exist.
        TypeError
            If an argument of `message` is not given, or `edge_index` is not a tensor of integers.
        ValueError
            If `edge_index` has another shape.

        Examples
        --------
        >>> import rushlight as rl
        >>> layer = rl.graph.MessagePassing()
        >>> layer.propagate(rl.tensor([[0, 1], [1, 1]]), x=rl.tensor([[2.0], [3.0]])).tolist()
        [[0.0], [5.0]]
        """
        edges_of("propagate", edge_index)
        sender, receiver = (edge_index[0], edge_index[1])
        if self.flow == "target_to_source":
            sender, receiver = receiver, sender
        given: dict[str, Any] = {}
        for name in inspect.signature(self.message).parameters:
            base, end = name[:-2], name[-2:]
            if end in ("_i", "_j") and base in kwargs:
                size = kwargs[base].shape[0] if size is None else size
                at = places_of("propagate", "edge_index", receiver if end == "_i" else sender)
                with naming(type(self).__name__):
                    given[name] = rl.take(kwargs[base], at, axis=0)
            elif name in kwargs:
                given[name] = kwargs[name]
            elif name == "index":
                given[name] = receiver
            else:
                raise TypeError(f"propagate: message() of {type(self).__name__} needs {name}")
        names = list(inspect.signature(self.update).parameters)[1:]
        with naming(type(self).__name__):
            combined = self.aggregate(self.message(**given), receiver, size)
        return self.update(combined, **{k: kwargs[k] for k in names if k in kwargs})

    def message(self, x_j: Tensor) -> Tensor:
        """Return the message of each edge: the features of the node that sends.

        Parameters
        ----------
        x_j
            One entry for each edge.

        Returns
        -------
        Tensor
            One entry for each edge.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.graph.MessagePassing().message(rl.tensor([[2.0], [3.0]])).tolist()
        [[2.0], [3.0]]
        """
        return x_j

    def aggregate(self, inputs: Tensor, index: Tensor, dim_size: int | None = None) -> Tensor:
        """Combine the messages of each node.

        Parameters
        ----------
        inputs
            One message for each edge.
        index
            The node that receives it.
        dim_size
            The number of nodes.

        Returns
        -------
        Tensor
            One entry for each node; 0 without a message.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.graph.MessagePassing().aggregate(rl.tensor([[2.0], [3.0]]), rl.tensor([1, 1]), 2).tolist()
        [[0.0], [5.0]]
        """
        return scatter(inputs, index, 0, dim_size, self.aggr)

    def update(self, inputs: Tensor) -> Tensor:
        """Return the new features of the nodes: those that `aggregate` returns.

        Parameters
        ----------
        inputs
            One entry for each node.

        Returns
        -------
        Tensor
            One entry for each node.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.graph.MessagePassing().update(rl.tensor([[2.0]])).tolist()
        [[2.0]]
        """
        return inputs


class GCNConv(MessagePassing):
    """The graph convolution of Kipf and Welling (2017), as `torch_geometric.nn.GCNConv`.

    ``D**-0.5 @ (A + I) @ D**-0.5 @ x @ weight.T + bias``, with A the adjacency matrix and D the degrees of
    ``A + I``.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of features.
    add_self_loops
        Whether each node gets an edge to itself (in place of those that it has).
    normalize
        Whether edges are weighted by the degrees.
    bias
        Whether to add a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a number of features is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.graph.GCNConv(4, 8)
    >>> layer(rl.randn(3, 4), rl.tensor([[0, 1], [1, 2]])).shape
    (3, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        add_self_loops: bool = True,
        normalize: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(aggr="sum")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.add_self_loops, self.normalize = add_self_loops, normalize
        self.lin = Linear(in_channels, out_channels, bias=False, device=device, dtype=dtype)
        init.xavier_uniform_(self.lin.weight)
        self.bias = Parameter(rl.zeros(out_channels, device=device, dtype=dtype)) if bias else None

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Apply the layer.

        Parameters
        ----------
        x
            Features of the nodes: shape (nodes, in_channels).
        edge_index
            Integers of shape (2, edges), of nodes from 0 on.
        edge_weight
            A weight for each edge, or None for 1.

        Returns
        -------
        Tensor
            Shape (nodes, out_channels).

        Raises
        ------
        IndexError
            If an edge leads from or to a node that does not exist.
        TypeError
            If `edge_index` is not a tensor of integers.
        ValueError
            If the shapes do not fit.
        """
        nodes = x.shape[0]
        edges_of("GCNConv", edge_index)
        if edge_weight is None:
            edge_weight = rl.ones(edge_index.shape[1], dtype=x.dtype, device=x.device)
        if self.add_self_loops:
            kept = edge_index[0] != edge_index[1]
            ones = rl.ones(nodes, dtype=x.dtype, device=x.device)
            edge_weight = rl.concat([edge_weight[kept], ones])
            edge_index = _with_loops(edge_index, nodes)
        if self.normalize:
            sender, receiver = places_of("GCNConv", "edge_index", edge_index)
            with naming("GCNConv"):
                degree = scatter(edge_weight, receiver, 0, nodes)
                scale = rl.where(degree > 0, degree.clamp(min=1e-30).rsqrt(), rl.zeros_like(degree))
                edge_weight = rl.take(scale, sender) * edge_weight * rl.take(scale, receiver)
        out = self.propagate(edge_index, nodes, x=self.lin(x), edge_weight=edge_weight)
        return out if self.bias is None else out + self.bias

    def message(self, x_j: Tensor, edge_weight: Tensor) -> Tensor:  # type: ignore[override]
        """Return the features of the node that sends, times the edge's weight.

        Parameters
        ----------
        x_j
            One entry for each edge.
        edge_weight
            One number for each edge.

        Returns
        -------
        Tensor
            One entry for each edge.

        Examples
        --------
        >>> import rushlight as rl
        >>> rl.graph.GCNConv(1, 1).message(rl.tensor([[2.0], [3.0]]), rl.tensor([0.5, 2.0])).tolist()
        [[1.0], [6.0]]
        """
        return edge_weight.unsqueeze(-1) * x_j


class GATConv(MessagePassing):
    """The graph attention of Velickovic and others (2018), as `torch_geometric.nn.GATConv`.

    The message along an edge from j to i is ``a * h_j`` with ``h = x @ weight.T`` and a the softmax, over the
    edges to i, of ``leaky_relu(att_src . h_j + att_dst . h_i)``.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of features; the latter for each head.
    heads
        Number of heads.
    concat
        Whether the heads' results are concatenated; else their mean is taken.
    negative_slope
        Slope of the leaky ReLU.
    dropout
        The probability that a weight is set to 0 in training.
    add_self_loops
        Whether each node gets an edge to itself (in place of those that it has).
    bias
        Whether to add a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a number of features is not positive.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.graph.GATConv(4, 8, heads=2)
    >>> layer(rl.randn(3, 4), rl.tensor([[0, 1], [1, 2]])).shape
    (3, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(aggr="sum")
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.concat, self.negative_slope, self.dropout = concat, negative_slope, dropout
        self.add_self_loops = add_self_loops
        self.lin = Linear(in_channels, heads * out_channels, bias=False, device=device, dtype=dtype)
        init.xavier_uniform_(self.lin.weight)
        shape = (1, heads, out_channels)
        self.att_src = Parameter(rl.empty(shape, device=device, dtype=dtype))
        self.att_dst = Parameter(rl.empty(shape, device=device, dtype=dtype))
        for attention in (self.att_src, self.att_dst):
            init.xavier_uniform_(attention)
        width = heads * out_channels if concat else out_channels
        self.bias = Parameter(rl.zeros(width, device=device, dtype=dtype)) if bias else None

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Apply the layer.

        Parameters
        ----------
        x
            Features of the nodes: shape (nodes, in_channels).
        edge_index
            Integers of shape (2, edges), of nodes from 0 on.

        Returns
        -------
        Tensor
            Shape (nodes, heads * out_channels), or (nodes, out_channels) without `concat`.

        Raises
        ------
        IndexError
            If an edge leads from or to a node that does not exist.
        TypeError
            If `edge_index` is not a tensor of integers.
        ValueError
            If the shapes do not fit.
        """
        nodes = x.shape[0]
        edges_of("GATConv", edge_index)
        if self.add_self_loops:
            edge_index = _with_loops(edge_index, nodes)
        h = self.lin(x).reshape(nodes, self.heads, self.out_channels)
        source, target = (h * self.att_src).sum(-1), (h * self.att_dst).sum(-1)
        out = self.propagate(edge_index, nodes, x=h, source=source, target=target)
        out = out.reshape(nodes, -1) if self.concat else out.mean(1)
        return out if self.bias is None else out + self.bias

    def message(  # type: ignore[override]
        self, x_j: Tensor, source_j: Tensor, target_i: Tensor, index: Tensor
    ) -> Tensor:
        """Return the features of the node that sends, times the edge's weights.

        Parameters
        ----------
        x_j
            One entry for each edge.
        source_j, target_i
            The parts of the scores that both nodes give.
        index
            The node that receives.

        Returns
        -------
        Tensor
            One entry for each edge.

        Examples
        --------
        >>> import rushlight as rl
        >>> x, scores = rl.ones((2, 1, 3)), rl.zeros((2, 1))
        >>> rl.graph.GATConv(3, 3).message(x, scores, scores, rl.tensor([0, 0])).tolist()
        [[[0.5, 0.5, 0.5]], [[0.5, 0.5, 0.5]]]
        """
        weights = edge_softmax(leaky_relu(source_j + target_i, self.negative_slope), index)
        weights = dropout(weights, self.dropout, self.training)
        return weights.unsqueeze(-1) * x_j
