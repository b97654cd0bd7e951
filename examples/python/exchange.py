"""Exchanges tensors with NumPy and PyTorch without copies: DLPack, `asarray` and `numpy`.

PyTorch is optional: without it that part is skipped, and said so.
"""

from __future__ import annotations

import importlib.util

import numpy as np

import rushlight as rl


def with_numpy() -> None:
    """Share memory with NumPy in both directions."""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = rl.asarray(array)
    array[0, 0] = 10.0
    assert tensor[0, 0].item() == 10.0, "asarray shares the array's memory"

    back = np.from_dlpack(tensor.T)
    assert back.shape == (3, 2)
    assert np.shares_memory(back, array)
    print("NumPy: shared both ways, also the transposed view")


def with_torch() -> None:
    """Share memory with PyTorch in both directions; dtypes that NumPy lacks too."""
    import torch

    tensor = rl.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    theirs = torch.from_dlpack(tensor)
    theirs[0, 0] = -1.0
    assert tensor[0, 0].item() == -1.0, "from_dlpack shares the tensor's memory"
    assert torch.asarray(tensor.T).shape == (3, 2)
    assert torch.asarray(tensor.to(rl.bfloat16)).dtype == torch.bfloat16

    ours = rl.from_dlpack(torch.arange(4))
    assert ours.dtype == rl.int64
    print("PyTorch: shared both ways, bfloat16 too")


def main() -> None:
    """Run both parts."""
    with_numpy()
    if importlib.util.find_spec("torch") is None:
        print("PyTorch: skipped, it is not installed")
    else:
        with_torch()


if __name__ == "__main__":
    main()
