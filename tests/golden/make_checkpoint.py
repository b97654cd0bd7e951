"""Make checkpoint.pt, a training checkpoint of PyTorch, and layouts.pt, its conjugated and sparse tensors.

Run it with PyTorch 2.13.
"""

from __future__ import annotations

import importlib
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

# Typed as Any: type checkers need not have PyTorch.
torch: Any = importlib.import_module("torch")

DTYPES = [
    *("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"),
    *("uint16", "uint32", "uint64", "float8_e4m3fn", "complex64"),
]


def checkpoint() -> dict[str, Any]:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, foreach=False)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 1, 5], gamma=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(4, 3)).square().mean().backward()
        optimizer.step()
        schedule.step()
    base = torch.arange(12.0).reshape(3, 4)
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
        "epoch": 2,
        "numbers": [1.5, -7, 2**40, -(10**30), True, None, float("inf"), complex(1, 2)],
        "texts": ("Zürich", b"\x00\xff", {"a", "b"}, frozenset([1])),
        "dicts": [OrderedDict(a=1), Counter("aab"), defaultdict(list, {"x": [1]})],
        "torch": [torch.float32, torch.Size([2, 3]), torch.device("cpu")],
        "views": [base, base.T, base[1:, ::2], base[0, 0].expand(2, 2), base[2, 3]],
        "parameter": torch.nn.Parameter(torch.ones(2), requires_grad=True),
        "grad": torch.ones(1, requires_grad=True),
        "empty": torch.zeros(0, 3),
        "dtypes": {name: torch.tensor([0, 1]).to(getattr(torch, name)) for name in DTYPES},
    }


def layouts() -> dict[str, Any]:
    x = torch.tensor([[1 + 2j, 3 - 4j], [5j, 6 + 0j]])
    dense = torch.tensor([[0.0, 5.0, 0.0], [7.0, 0.0, -2.0]])
    twice = torch.sparse_coo_tensor([[0, 1, 0], [1, 0, 1]], [1.0, 2.0, 4.0], (2, 2))
    return {
        "conj": x.conj(),
        "conj of a view": x.conj().T[1],
        "neg": x.clone().conj().imag,
        "plain": x,
        "coo": dense.to_sparse(),
        "coo twice": twice,
        "csr": dense.to_sparse_csr(),
    }


if __name__ == "__main__":
    torch.save(checkpoint(), Path(__file__).resolve().parent / "checkpoint.pt")
    torch.save(layouts(), Path(__file__).resolve().parent / "layouts.pt")
