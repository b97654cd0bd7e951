"""Convolutions."""

from __future__ import annotations

from rushlight import _native
from rushlight._check import typed
from rushlight._native import Tensor

from ._arguments import Size, check_dtypes, per_axis
from ._batch import like_input, unbatched
from .pad import pad

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
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
    check_dtypes(op, input, weight)
    batch, single = unbatched(op, input, rank)
    steps, dilations = per_axis(op, "stride", stride, rank), per_axis(op, "dilation", dilation, rank)
    if isinstance(padding, str):
        pads, more = named_padding(op, padding, weight.shape[2:], steps, dilations)
        if any(more):
            # PyTorch adds the odd element at the end.
            batch = pad(batch, [n for end in reversed(more) for n in (0, end)])
    else:
        pads = per_axis(op, "padding", padding, rank)
    call = getattr(_native, f"_{op}")
    out: Tensor = call(batch, weight, bias, steps, pads, dilations, groups)
    return like_input(out, single)


def named_padding(
    op: str, name: str, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding of ``"valid"`` or ``"same"`` on both sides, and what is added at the end."""
    if name == "valid":
        return (0,) * len(kernel), (0,) * len(kernel)
    if name != "same":
        raise ValueError(f"{op}: padding {name!r} is neither 'valid' nor 'same'")
    if any(s != 1 for s in stride):
        raise ValueError(f"{op}: padding 'same' needs stride 1, got {stride}")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    return tuple(t // 2 for t in total), tuple(t % 2 for t in total)


def _transposed(
    op: str,
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    output_padding: Size,
    groups: int,
    dilation: Size,
) -> Tensor:
    check_dtypes(op, input, weight)
    batch, single = unbatched(op, input, rank)
    out: Tensor = getattr(_native, f"_{op}")(
        batch,
        weight,
        bias,
        per_axis(op, "stride", stride, rank),
        per_axis(op, "padding", padding, rank),
        per_axis(op, "dilation", dilation, rank),
        groups,
        per_axis(op, "output_padding", output_padding, rank),
    )
    return like_input(out, single)


@typed
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Returns the cross-correlation along one axis.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point or integer.
    weight
        Shape ``(O, C / groups, K)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, dilation
        Steps of the kernel, and between its elements.
    padding
        Zeros added at both ends, ``"valid"`` (none) or ``"same"`` (the output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.

    Returns
    -------
    Tensor
        Shape ``(N, O, L_out)``, each length being
        ``(L + 2 * padding - dilation * (K - 1) - 1) // stride + 1``.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If shapes do not fit, or ``"same"`` has a stride.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8)), rl.ones((4, 3, 3))
    >>> rl.nn.functional.conv1d(x, w, padding=1, stride=2).shape
    (1, 4, 4)
    """
    return _conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@typed
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Returns the cross-correlation along two axes.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point or integer.
    weight
        Shape ``(O, C / groups, KH, KW)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, dilation
        Steps of the kernel, and between its elements, one number or one for each axis.
    padding
        Zeros added at both ends, one number or one for each axis, ``"valid"`` (none) or ``"same"`` (the
        output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.

    Returns
    -------
    Tensor
        Shape ``(N, O, H_out, W_out)``, each length being
        ``(L + 2 * padding - dilation * (K - 1) - 1) // stride + 1``.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If shapes do not fit, or ``"same"`` has a stride.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8, 8)), rl.ones((4, 3, 3, 3))
    >>> rl.nn.functional.conv2d(x, w, padding=1, stride=2).shape
    (1, 4, 4, 4)
    """
    return _conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@typed
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Returns the cross-correlation along three axes.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point or integer.
    weight
        Shape ``(O, C / groups, KD, KH, KW)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, dilation
        Steps of the kernel, and between its elements, one number or one for each axis.
    padding
        Zeros added at both ends, one number or one for each axis, ``"valid"`` (none) or ``"same"`` (the
        output has the input's size).
    groups
        Number of blocks that the channels are split into; each output block sees one input block.

    Returns
    -------
    Tensor
        Shape ``(N, O, D_out, H_out, W_out)``, each length being
        ``(L + 2 * padding - dilation * (K - 1) - 1) // stride + 1``.

    Raises
    ------
    TypeError
        If `input` and `weight` are of two floating-point dtypes.
    ValueError
        If shapes do not fit, or ``"same"`` has a stride.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 1, 8, 8, 8)), rl.ones((2, 1, 3, 3, 3))
    >>> rl.nn.functional.conv3d(x, w, padding=1, stride=2).shape
    (1, 2, 4, 4, 4)
    """
    return _conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@typed
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
    """Returns the transposed convolution: the gradient of `conv1d` with respect to its input.

    Parameters
    ----------
    input
        Shape ``(N, C, L)`` or ``(C, L)``, floating point.
    weight
        Shape ``(C, O / groups, K)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, padding
        Of the convolution that is transposed.
    output_padding
        Extra length at the end, below `stride` or `dilation`.
    groups, dilation
        Of the convolution that is transposed.

    Returns
    -------
    Tensor
        Shape ``(N, O, L_out)``, each length being
        ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8)), rl.ones((3, 4, 2))
    >>> rl.nn.functional.conv_transpose1d(x, w, stride=2).shape
    (1, 4, 16)
    """
    return _transposed(
        "conv_transpose1d",
        1,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@typed
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
    """Returns the transposed convolution: the gradient of `conv2d` with respect to its input.

    Parameters
    ----------
    input
        Shape ``(N, C, H, W)`` or ``(C, H, W)``, floating point.
    weight
        Shape ``(C, O / groups, KH, KW)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, padding
        Of the convolution that is transposed, one number or one for each axis.
    output_padding
        Extra length at the end, below `stride` or `dilation`, one number or one for each axis.
    groups, dilation
        Of the convolution that is transposed.

    Returns
    -------
    Tensor
        Shape ``(N, O, H_out, W_out)``, each length being
        ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8, 8)), rl.ones((3, 4, 2, 2))
    >>> rl.nn.functional.conv_transpose2d(x, w, stride=2).shape
    (1, 4, 16, 16)
    """
    return _transposed(
        "conv_transpose2d",
        2,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@typed
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Returns the transposed convolution: the gradient of `conv3d` with respect to its input.

    Parameters
    ----------
    input
        Shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``, floating point.
    weight
        Shape ``(C, O / groups, KD, KH, KW)``, of the dtype of `input`.
    bias
        Shape ``(O,)``, or None.
    stride, padding
        Of the convolution that is transposed, one number or one for each axis.
    output_padding
        Extra length at the end, below `stride` or `dilation`, one number or one for each axis.
    groups, dilation
        Of the convolution that is transposed.

    Returns
    -------
    Tensor
        Shape ``(N, O, D_out, H_out, W_out)``, each length being
        ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1``.

    Examples
    --------
    >>> import rushlight as rl
    >>> x, w = rl.ones((1, 3, 8, 8, 8)), rl.ones((3, 4, 2, 2, 2))
    >>> rl.nn.functional.conv_transpose3d(x, w, stride=2).shape
    (1, 4, 16, 16, 16)
    """
    return _transposed(
        "conv_transpose3d",
        3,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )
