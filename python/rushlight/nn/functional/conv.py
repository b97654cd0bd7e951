"""Convolutions."""

from __future__ import annotations

from rushlight import Tensor, _native

from .arguments import Size, per_axis

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
]


def _conv(
    op: str,
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size | str,
    dilation: Size,
    groups: int,
) -> Tensor:
    steps, spread = per_axis(op, "stride", stride, rank), per_axis(op, "dilation", dilation, rank)
    if isinstance(padding, str):
        pads = named_padding(op, padding, weight.shape[2:], steps, spread)
    else:
        pads = per_axis(op, "padding", padding, rank)
    call = getattr(_native, op)
    out: Tensor = call(input, weight, bias, steps, pads, spread, groups)
    return out


def named_padding(
    op: str, name: str, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...]:
    """The padding that ``"valid"`` or ``"same"`` means; an error where there is none."""
    if name == "valid":
        return (0,) * len(kernel)
    if name != "same":
        raise ValueError(f"{op}: padding {name!r} is neither 'valid' nor 'same'")
    if any(s != 1 for s in stride):
        raise ValueError(f"{op}: padding 'same' needs stride 1, got {stride}")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(t % 2 for t in total):
        raise ValueError(f"{op}: padding 'same' of kernel {kernel} would differ between the two sides")
    return tuple(t // 2 for t in total)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation along one axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``, or ``(C, L)``.
    weight
        Shape ``(O, C / groups, K)``.
    bias
        Shape ``(O,)``, or None.
    stride, dilation
        Steps of the kernel and between its elements.
    padding
        Zeros added at both ends, ``"valid"`` or ``"same"``.
    groups
        Blocks into which the channels are split.

    Returns
    -------
    Tensor
        Shape ``(N, O, (L + 2 * padding - dilation * (K - 1) - 1) // stride + 1)``.
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation over two axes: `conv1d` with ``(H, W)`` in place of ``L``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8, 8)), rl.ones((4, 3, 3, 3))
    >>> rl.functional.conv2d(x, w, padding=1, stride=2).shape
    (1, 4, 4, 4)
    """
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation over three axes: `conv1d` with ``(D, H, W)`` in place of ``L``."""
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Gradient of `conv1d` with respect to its input, as an op of its own.

    Parameters
    ----------
    input
        Shape ``(N, C, L)``.
    weight
        Shape ``(C, O / groups, K)``.
    bias
        Shape ``(O,)``, or None.
    stride, padding, dilation, groups
        Of the convolution that is turned round.
    output_padding
        Extra length at the end, below `stride` or `dilation`.

    Returns
    -------
    Tensor
        Length ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``.
    """
    op = "conv_transpose1d"
    return _native.conv_transpose1d(
        input,
        weight,
        bias,
        per_axis(op, "stride", stride, 1),
        per_axis(op, "padding", padding, 1),
        per_axis(op, "dilation", dilation, 1),
        groups,
        per_axis(op, "output_padding", output_padding, 1),
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Gradient of `conv2d` with respect to its input: `conv_transpose1d` over two axes."""
    op = "conv_transpose2d"
    return _native.conv_transpose2d(
        input,
        weight,
        bias,
        per_axis(op, "stride", stride, 2),
        per_axis(op, "padding", padding, 2),
        per_axis(op, "dilation", dilation, 2),
        groups,
        per_axis(op, "output_padding", output_padding, 2),
    )
