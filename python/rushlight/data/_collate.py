"""Functions that make a batch of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight import _core as rl
from rushlight._native import Tensor


def _is_array(x: Any) -> bool:
    """Return whether the value is a NumPy array or scalar of numbers."""
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    return type(x).__module__ == "numpy" and bool(kind) and kind in "biufc"


def default_convert(data: Any) -> Any:
    """Turns the NumPy arrays of nested lists, tuples and dicts into tensors, for ``batch_size=None``.

    Parameters
    ----------
    data
        A sample.

    Returns
    -------
    Any
        The same structure.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.data.default_convert({"x": (1, "a")})
    {'x': (1, 'a')}
    """
    if _is_array(data):
        return rl.asarray(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(value) for value in data))
    if isinstance(data, (list, tuple)):
        return type(data)(default_convert(value) for value in data)
    return data


def default_collate(batch: Sequence[Any]) -> Any:
    """Makes a batch of samples: tensors and arrays are stacked, numbers become a tensor, texts a list.

    Parameters
    ----------
    batch
        Samples of one structure: tensors, arrays, numbers, texts, and dicts, tuples and lists of them.

    Returns
    -------
    Any
        The same structure of batches; a tuple becomes a list.

    Raises
    ------
    TypeError
        If a sample is of another type.
    ValueError
        If samples have different lengths or shapes.

    Examples
    --------
    >>> import rushlight as rl
    >>> rl.data.default_collate([{"x": 1, "name": "a"}, {"x": 2, "name": "b"}])
    {'x': tensor([1, 2], dtype=int64, device='cpu'), 'name': ['a', 'b']}
    """
    if not batch:
        raise ValueError("default_collate: the batch has no samples")
    first = batch[0]
    if isinstance(first, Tensor):
        shapes = {x.shape for x in batch}
        if len(shapes) > 1:
            raise ValueError(
                f"default_collate: samples have the shapes {', '.join(map(str, sorted(shapes)))}; "
                "pad them, or give the loader a collate_fn"
            )
        return rl.stack(list(batch))
    if _is_array(first):
        return default_collate([rl.asarray(x) for x in batch])
    if isinstance(first, float):
        return rl.asarray(list(batch), dtype=rl.float64)
    if isinstance(first, (bool, int, complex)):
        return rl.asarray(list(batch))
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        lengths = {len(sample) for sample in batch}
        if len(lengths) > 1:
            raise ValueError(
                f"default_collate: samples have {' and '.join(map(str, sorted(lengths)))} parts; "
                "give the loader a collate_fn"
            )
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: a sample holds a {type(first).__name__}, not tensors, arrays, numbers, texts, "
        "dicts or sequences; give the loader a collate_fn"
    )


Collate = Callable[[Any], Any]
