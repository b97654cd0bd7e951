"""Graphs and meshes: reductions by group, messages along edges, and convolutions.

A graph with n nodes and m edges is a tensor of node features, whose axis 0 has n entries, and `edge_index`,
an integer tensor of shape (2, m): edge k leads from node ``edge_index[0, k]`` to node ``edge_index[1, k]``,
as in PyTorch Geometric.
"""

from .convolutions import diffusion_conv, mesh_conv, spiral_conv
from .groups import edge_softmax, scatter, segment_max, segment_mean, segment_min, segment_sum
from .layers import GATConv, GCNConv, MessagePassing
from .surface_layers import DiffusionConv, MeshConv, SpiralConv

__all__ = [
    "DiffusionConv",
    "GATConv",
    "GCNConv",
    "MeshConv",
    "MessagePassing",
    "SpiralConv",
    "diffusion_conv",
    "edge_softmax",
    "mesh_conv",
    "scatter",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "spiral_conv",
]
