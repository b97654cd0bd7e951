"""Convolutions on surfaces: by heat diffusion, over the edges of a mesh, and along spirals."""

from __future__ import annotations

from rushlight import _core as rl
from rushlight._native import Tensor
from rushlight.nn.functional.linear import linear

from ._checks import naming, places_of

__all__ = ["diffusion_conv", "mesh_conv", "spiral_conv"]


def diffusion_conv(x: Tensor, mass: Tensor, evals: Tensor, evecs: Tensor, time: Tensor) -> Tensor:
    """Let features spread over a surface for a time, one for each channel, by the heat equation.

    ``evecs @ (exp(-evals * time) * (evecs.T @ (mass * x)))``, the spectral form of heat diffusion (Sharp and
    others 2022, DiffusionNet).

    Parameters
    ----------
    x
        Features of the vertices, of a float dtype: shape ``(..., n, channels)``.
    mass
        The area of each vertex: shape ``(..., n)``.
    evals
        The smallest eigenvalues of the surface's Laplacian: shape ``(..., k)``.
    evecs
        Their eigenvectors, orthogonal with respect to the mass: shape ``(..., n, k)``.
    time
        The time of each channel, not negative: shape ``(channels,)``.

    Returns
    -------
    Tensor
        Of the shape of `x`.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, still = rl.tensor([[1.0], [3.0]]), rl.zeros(1)
    >>> rl.graph.diffusion_conv(x, rl.ones(2), rl.tensor([0.0, 2.0]), rl.eye(2), still).tolist()
    [[1.0], [3.0]]
    """
    n, channels = x.shape[-2:] if x.ndim >= 2 else (0, 0)
    if (
        x.ndim < 2
        or mass.shape[-1:] != (n,)
        or evecs.shape[-2:] != (n, *evals.shape[-1:])
        or time.shape != (channels,)
    ):
        raise ValueError(
            f"diffusion_conv: x {x.shape}, mass {mass.shape}, evals {evals.shape}, evecs {evecs.shape} "
            f"and time {time.shape} do not fit (..., n, c), (..., n), (..., k), (..., n, k) and (c,)"
        )
    spectrum = evecs.mT @ (mass.unsqueeze(-1) * x)
    return evecs @ ((-evals.unsqueeze(-1) * time).exp() * spectrum)


def mesh_conv(x: Tensor, neighbors: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Convolve the features of a mesh's edges with those of the four edges of the two triangles at each edge.

    With a, b, c, d the neighbours of edge e, of which a and c, and b and d, are swapped when the triangles
    are: the product of `weight` with ``[e, a + c, b + d, |a - c|, |b - d|]``, which does not depend on the
    order of the triangles (Hanocka and others 2019, MeshCNN).

    Parameters
    ----------
    x
        Features of the edges, of a float dtype: shape ``(m, channels)``.
    neighbors
        Integers of shape ``(m, 4)``: the edges a, b, c, d of each edge, in order around it. -1 means that
        there is none, as at the border of a mesh; its features count as 0.
    weight
        Shape ``(out, channels, 5)``.
    bias
        Shape ``(out,)``, or None.

    Returns
    -------
    Tensor
        Shape ``(m, out)``.

    Raises
    ------
    IndexError
        If a neighbour is neither an edge nor -1.
    TypeError
        If the neighbours are not a tensor of integers.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, around = rl.tensor([[1.0], [2.0]]), rl.tensor([[1, 1, 1, 1], [0, 0, 0, 0]])
    >>> rl.graph.mesh_conv(x, around, rl.ones((1, 1, 5))).tolist()
    [[9.0], [6.0]]
    """
    places = places_of("mesh_conv", "neighbors", neighbors)
    if x.ndim != 2 or neighbors.shape != (x.shape[0], 4) or weight.shape[1:] != (x.shape[1], 5):
        raise ValueError(
            f"mesh_conv: x {x.shape}, neighbors {neighbors.shape} and weight {weight.shape} do not fit "
            "(m, c), (m, 4) and (out, c, 5)"
        )
    missing = places == rl.iinfo(rl.uint64).max if neighbors.dtype.kind == "signed integer" else None
    if missing is not None:
        places = rl.where(missing, rl.zeros_like(places), places)
    with naming("mesh_conv"):
        around = rl.take(x, places, axis=0)
    if missing is not None:
        around = rl.where(missing.unsqueeze(-1), 0, around)
    a, b, c, d = (around[:, k] for k in range(4))
    parts = rl.stack([x, a + c, b + d, (a - c).abs(), (b - d).abs()], axis=-1)
    return linear(parts.reshape(x.shape[0], -1), weight.reshape(weight.shape[0], -1), bias)


def spiral_conv(x: Tensor, indices: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiply the features along the spiral that begins at each vertex by a matrix.

    ``weight @ [x[indices[i, 0]], x[indices[i, 1]], ...] + bias`` (Gong and others 2019, SpiralNet++).

    Parameters
    ----------
    x
        Features of the vertices, of a float dtype: shape ``(..., n, channels)``.
    indices
        Integers of shape ``(vertices, length)``: the spiral of each vertex, 0 or more.
    weight
        Shape ``(out, length * channels)``.
    bias
        Shape ``(out,)``, or None.

    Returns
    -------
    Tensor
        Shape ``(..., vertices, out)``.

    Raises
    ------
    IndexError
        If an index is not a vertex.
    TypeError
        If the indices are not a tensor of integers.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, spirals = rl.tensor([[1.0], [2.0], [4.0]]), rl.tensor([[0, 1], [1, 2], [2, 0]])
    >>> rl.graph.spiral_conv(x, spirals, rl.tensor([[1.0, 10.0]])).tolist()
    [[21.0], [42.0], [14.0]]
    """
    places = places_of("spiral_conv", "indices", indices)
    if x.ndim < 2 or indices.ndim != 2 or weight.shape[1:] != (indices.shape[1] * x.shape[-1],):
        raise ValueError(
            f"spiral_conv: x {x.shape}, indices {indices.shape} and weight {weight.shape} do not fit "
            "(..., n, c), (vertices, length) and (out, length * c)"
        )
    with naming("spiral_conv"):
        around = rl.take(x, places.reshape(-1), axis=-2)
    return linear(around.reshape(*x.shape[:-2], indices.shape[0], weight.shape[1]), weight, bias)
