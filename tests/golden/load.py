"""Read the golden files. Needs NumPy and nothing else.

for case in cases("conv"):
    print(case.name, case.op, case.kwargs, [x.shape for x in case.inputs])
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """One call of one op, with PyTorch's results."""

    name: str
    op: str
    kwargs: dict[str, Any]
    dtype: str
    """The dtype of the call. bfloat16 and float16 values are stored as float32 arrays."""
    inputs: list[Array]
    """Tensor arguments in signature order. Some are views whose strides are permuted."""
    outputs: list[Array]
    grads: list[Array | None]
    """One per input, of sum(outputs[0] * cotangent); None for an input without a gradient."""
    cotangent: Array | None
    args: list[str]
    """The parameter name of each input: op(**dict(zip(args, inputs)), **kwargs)."""
    tags: list[str]
    seed: int


def families() -> list[str]:
    """Return the names that `cases` accepts."""
    found = [path.stem for path in FOLDER.glob("*.json") if path.with_suffix(".npz").exists()]
    return sorted(name for name in found if "cases" in index(name))


def index(family: str) -> dict[str, Any]:
    """The parsed `<family>.json`."""
    data: dict[str, Any] = json.loads((FOLDER / f"{family}.json").read_text(encoding="utf-8"))
    return data


def cases(family: str) -> list[Case]:
    """Every case of a family, in file order."""
    with np.load(FOLDER / f"{family}.npz", allow_pickle=False) as arrays:
        return [_case(entry, arrays) for entry in index(family)["cases"]]


def _case(entry: dict[str, Any], arrays: Any) -> Case:
    def get(key: str | None) -> Array | None:
        return None if key is None else np.asarray(arrays[key])

    permuted: dict[str, list[int]] = entry.get("permuted", {})
    inputs: list[Array] = []
    for arg, key in entry["inputs"].items():
        value = np.asarray(arrays[key])
        inputs.append(permute_strides(value, permuted[arg]) if arg in permuted else value)
    return Case(
        name=entry["name"],
        op=entry["op"],
        kwargs=entry["kwargs"],
        dtype=entry["dtype"],
        inputs=inputs,
        outputs=[np.asarray(arrays[key]) for key in entry["outputs"]],
        grads=[get(key) for key in entry["grads"]],
        cotangent=get(entry["cotangent"]),
        args=list(entry["inputs"]),
        tags=entry.get("tags", []),
        seed=entry["seed"],
    )


def permute_strides(value: Array, order: list[int]) -> Array:
    """The same values and shape, laid out in memory so that `transpose(order)` is contiguous."""
    return np.ascontiguousarray(value.transpose(order)).transpose(np.argsort(order))
