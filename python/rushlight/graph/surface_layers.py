"""Layers for surfaces: meshes, and vertices with the eigenvectors of a Laplacian."""

from __future__ import annotations

from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor
from rushlight.nn.layers import Linear
from rushlight.nn.module import Module
from rushlight.nn.parameter import Parameter

from .convolutions import diffusion_conv, mesh_conv, spiral_conv

__all__ = ["DiffusionConv", "MeshConv", "SpiralConv"]


class DiffusionConv(Module):
    """Heat diffusion with a learned time for each channel, see `diffusion_conv`, and a linear layer.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of features.
    bias
        Whether the linear layer has a bias.
    device, dtype
        Device and dtype of the parameters; the CPU and float32 by default.

    Raises
    ------
    ValueError
        If a number of features is not positive.

    Attributes
    ----------
    time
        The times, initially 0. Negative ones count as 0.

    Examples
    --------
    >>> import rushlight as rl
    >>> layer = rl.graph.DiffusionConv(3, 8)
    >>> layer(rl.randn(5, 3), rl.ones(5), rl.arange(4.0), rl.randn(5, 4)).shape
    (5, 8)
    """

    def __init__(
        self, in_channels: int, out_channels: int, bias: bool = True, *, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.lin = Linear(in_channels, out_channels, bias=bias, device=device, dtype=dtype)
        self.time = Parameter(rl.zeros(in_channels, device=device, dtype=dtype))

    def forward(self, x: Tensor, mass: Tensor, evals: Tensor, evecs: Tensor) -> Tensor:
        """Apply the layer to features; the arguments are those of `diffusion_conv`.

        Parameters
        ----------
        x, mass, evals, evecs
            Features, areas, eigenvalues and eigenvectors.

        Returns
        -------
        Tensor
            Shape (..., n, out_channels).

        Raises
        ------
        ValueError
            If the shapes do not fit.
        """
        out: Tensor = self.lin(diffusion_conv(x, mass, evals, evecs, self.time.clamp(min=0.0)))
        return out


class MeshConv(Module):
    """A convolution over the edges of a mesh, see `mesh_conv`.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of features.
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
    >>> layer = rl.graph.MeshConv(3, 8)
    >>> layer(rl.randn(6, 3), rl.randint(0, 6, (6, 4))).shape
    (6, 8)
    """

    def __init__(
        self, in_channels: int, out_channels: int, bias: bool = True, *, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        # The parameters, and their initial values, are those of a linear layer of 5 times the features.
        flat = Linear(5 * in_channels, out_channels, bias=bias, device=device, dtype=dtype)
        self.weight = Parameter(flat.weight.detach().reshape(out_channels, in_channels, 5))
        self.bias = flat.bias

    def forward(self, x: Tensor, neighbors: Tensor) -> Tensor:
        """Apply the layer.

        Parameters
        ----------
        x
            Features of the edges: shape (edges, in_channels).
        neighbors
            Integers of shape (edges, 4); -1 for none.

        Returns
        -------
        Tensor
            Shape (edges, out_channels).

        Raises
        ------
        IndexError
            If a neighbour is neither an edge nor -1.
        ValueError
            If the shapes do not fit.
        """
        return mesh_conv(x, neighbors, self.weight, self.bias)


class SpiralConv(Module):
    """A convolution along the spirals at the vertices of a mesh, see `spiral_conv`.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of features.
    indices
        Integers of shape (vertices, length): the spiral of each vertex. They are a buffer of the layer.
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
    >>> layer = rl.graph.SpiralConv(3, 8, rl.randint(0, 6, (6, 4)))
    >>> layer(rl.randn(2, 6, 3)).shape
    (2, 6, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        indices: Tensor,
        bias: bool = True,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.register_buffer("indices", indices if device is None else indices.to(device))
        self.layer = Linear(
            indices.shape[1] * in_channels, out_channels, bias=bias, device=device, dtype=dtype
        )

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layer.

        Parameters
        ----------
        x
            Features of the vertices: shape (..., n, in_channels).

        Returns
        -------
        Tensor
            Shape (..., vertices, out_channels).

        Raises
        ------
        IndexError
            If an index is not a vertex.
        ValueError
            If the shapes do not fit.
        """
        return spiral_conv(x, self.indices, self.layer.weight, self.layer.bias)
