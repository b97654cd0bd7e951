"""Sequences of several lengths in one tensor."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rushlight import _core as rl
from rushlight._native import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence(NamedTuple):
    """Elements of sequences without padding: those of the first step, then of the second, and so on.

    Parameters
    ----------
    data
        The elements, of all steps in one axis.
    batch_sizes
        For each step the number of sequences that have it; int64, on the CPU.
    sorted_indices
        The permutation that sorted the sequences by descending length, or None.
    unsorted_indices
        The inverse permutation, or None.

    Examples
    --------
    >>> import rushlight as rl
    >>> packed = rl.nn.utils.rnn.pack_sequence([rl.tensor([1, 2, 3]), rl.tensor([4, 5])])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 4, 2, 5, 3], [2, 2, 1])
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Moves or converts the elements.

        Parameters
        ----------
        *args, **kwargs
            The arguments of `Tensor.to`.

        Returns
        -------
        PackedSequence
            The same sequences.

        Examples
        --------
        >>> import rushlight as rl
        >>> packed = rl.nn.utils.rnn.pack_sequence([rl.tensor([1.0, 2.0])])
        >>> str(packed.to(rl.float64).data.dtype)
        'float64'
        """
        data = self.data.to(*args, **kwargs)
        order, back = self.sorted_indices, self.unsorted_indices
        if order is not None and back is not None:
            order, back = order.to(device=data.device), back.to(device=data.device)
        return PackedSequence(data, self.batch_sizes, order, back)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Returns the permutation that undoes another.

    Parameters
    ----------
    permutation
        Each of 0 to n - 1 once, shape ``(n,)``; or None.

    Returns
    -------
    Tensor
        Of the same shape and dtype; None for None.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.utils.rnn.invert_permutation(rl.tensor([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    return None if permutation is None else rl.argsort(permutation).astype(permutation.dtype)


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs sequences that are padded to one length.

    Parameters
    ----------
    input
        Shape ``(T, N, ...)``, or with `batch_first` ``(N, T, ...)``.
    lengths
        The length of each sequence, from 1 to ``T``.
    batch_first
        Whether the first axis is that of the sequences.
    enforce_sorted
        Whether lengths that are not in descending order are an error; otherwise sequences are sorted.

    Returns
    -------
    PackedSequence
        The elements without padding.

    Raises
    ------
    ValueError
        If lengths do not fit, or are not sorted.

    Examples
    --------
    >>> import rushlight as rl
    >>> padded = rl.tensor([[1, 2, 3], [4, 5, 0]])
    >>> rl.nn.utils.rnn.pack_padded_sequence(padded, [3, 2], batch_first=True).data.tolist()
    [1, 4, 2, 5, 3]
    """
    steps = rl.swapaxes(input, 0, 1) if batch_first else input
    longest, batch = steps.shape[:2]
    sizes = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    if len(sizes) != batch or any(not 1 <= n <= longest for n in sizes):
        raise ValueError(f"pack_padded_sequence: lengths {sizes} do not fit the shape {input.shape}")
    order = list(range(batch))
    if not enforce_sorted:
        order.sort(key=lambda i: -sizes[i])
    elif any(a < b for a, b in itertools.pairwise(sizes)):
        raise ValueError(
            f"pack_padded_sequence: lengths {sizes} rise; sort them, or pass enforce_sorted=False"
        )
    counts = [sum(n > t for n in sizes) for t in range(max(sizes))]
    positions = [t * batch + i for t, count in enumerate(counts) for i in order[:count]]
    flat = rl.reshape(steps, (longest * batch, *steps.shape[2:]))
    data = rl.take(flat, rl.asarray(positions, dtype=rl.int64, device=input.device), axis=0)
    if enforce_sorted:
        return PackedSequence(data, rl.asarray(counts, dtype=rl.int64, device="cpu"))
    sorting = rl.asarray(order, dtype=rl.int64, device=input.device)
    return PackedSequence(
        data, rl.asarray(counts, dtype=rl.int64, device="cpu"), sorting, invert_permutation(sorting)
    )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Pads packed sequences to one length: the inverse of `pack_padded_sequence`.

    Parameters
    ----------
    sequence
        The packed sequences.
    batch_first
        Whether the first axis is that of the sequences.
    padding_value
        The element that is added.
    total_length
        The length; that of the longest sequence if None.

    Returns
    -------
    tuple of (Tensor, Tensor)
        Shape ``(T, N, ...)``, or with `batch_first` ``(N, T, ...)``; and the length of each sequence.

    Raises
    ------
    ValueError
        If `total_length` is below the longest sequence.

    Examples
    --------
    >>> import rushlight as rl
    >>> packed = rl.nn.utils.rnn.pack_sequence([rl.tensor([1, 2, 3]), rl.tensor([4, 5])])
    >>> padded, lengths = rl.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    >>> padded.tolist(), lengths.tolist()
    ([[1, 2, 3], [4, 5, 0]], [3, 2])
    """
    counts = [int(n) for n in sequence.batch_sizes.tolist()]
    longest, batch = len(counts), counts[0]
    if total_length is not None and total_length < longest:
        raise ValueError(f"pad_packed_sequence: total_length {total_length} is below {longest}")
    data = sequence.data
    order = list(range(batch)) if sequence.sorted_indices is None else sequence.sorted_indices.tolist()
    back = {original: at for at, original in enumerate(order)}
    starts = [sum(counts[:t]) for t in range(longest)]
    # The index behind the last element stands for the padding.
    fill = data.shape[0]
    index = [
        [starts[t] + back[i] if t < longest and back[i] < counts[t] else fill for i in range(batch)]
        for t in range(longest if total_length is None else total_length)
    ]
    end = rl.full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
    at = rl.asarray(index, dtype=rl.int64, device=data.device)
    padded = rl.take(rl.concat([data, end]), at, axis=0)
    lengths = [sum(count > back[i] for count in counts) for i in range(batch)]
    return (rl.swapaxes(padded, 0, 1) if batch_first else padded), rl.asarray(
        lengths, dtype=rl.int64, device="cpu"
    )


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Pads sequences to the length of the longest.

    Parameters
    ----------
    sequences
        Tensors ``(L, ...)`` that differ in their first axis only.
    batch_first
        Whether the first axis of the result is that of the sequences.
    padding_value
        The element that is added.
    padding_side
        ``"right"`` or ``"left"``.

    Returns
    -------
    Tensor
        Shape ``(T, N, ...)``, or with `batch_first` ``(N, T, ...)``.

    Raises
    ------
    ValueError
        If there is no sequence, or the side is unknown.

    Examples
    --------
    >>> import rushlight as rl
    >>> sequences = [rl.tensor([1, 2, 3]), rl.tensor([4, 5])]
    >>> rl.nn.utils.rnn.pad_sequence(sequences, batch_first=True).tolist()
    [[1, 2, 3], [4, 5, 0]]
    """
    found = list(sequences)
    if not found:
        raise ValueError("pad_sequence: no sequences")
    if padding_side not in ("left", "right"):
        raise ValueError(f"pad_sequence: padding_side is 'left' or 'right', got {padding_side!r}")
    longest = max(x.shape[0] for x in found)
    rows = []
    for x in found:
        shape = (longest - x.shape[0], *x.shape[1:])
        parts = [x, rl.full(shape, padding_value, dtype=x.dtype, device=x.device)]
        rows.append(rl.concat(parts if padding_side == "right" else parts[::-1]))
    return rl.stack(rows, axis=0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False
) -> list[Tensor]:
    """Returns padded sequences one by one, without the padding at their ends.

    Parameters
    ----------
    padded_sequences
        Shape ``(T, N, ...)``, or with `batch_first` ``(N, T, ...)``.
    lengths
        The length of each sequence.
    batch_first
        Whether the first axis is that of the sequences.

    Returns
    -------
    list of Tensor
        One tensor for each sequence.

    Examples
    --------
    >>> import rushlight as rl
    >>> padded = rl.tensor([[1, 2, 3], [4, 5, 0]])
    >>> [x.tolist() for x in rl.nn.utils.rnn.unpad_sequence(padded, [3, 2], batch_first=True)]
    [[1, 2, 3], [4, 5]]
    """
    rows = padded_sequences if batch_first else rl.swapaxes(padded_sequences, 0, 1)
    sizes = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [rows[i, : int(n)] for i, n in enumerate(sizes)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of several lengths.

    Parameters
    ----------
    sequences
        Tensors ``(L, ...)`` that differ in their first axis only.
    enforce_sorted
        Whether lengths that are not in descending order are an error; otherwise sequences are sorted.

    Returns
    -------
    PackedSequence
        The elements.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.nn.utils.rnn.pack_sequence([rl.tensor([1, 2, 3]), rl.tensor([4, 5])]).data.tolist()
    [1, 4, 2, 5, 3]
    """
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Returns packed sequences one by one: the inverse of `pack_sequence`.

    Parameters
    ----------
    packed_sequences
        The packed sequences.

    Returns
    -------
    list of Tensor
        One tensor for each sequence.

    Examples
    --------
    >>> import rushlight as rl
    >>> packed = rl.nn.utils.rnn.pack_sequence([rl.tensor([1, 2, 3]), rl.tensor([4, 5])])
    >>> [x.tolist() for x in rl.nn.utils.rnn.unpack_sequence(packed)]
    [[1, 2, 3], [4, 5]]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
