"""Write torch_names.tsv: public names of PyTorch, and what they take. Needs PyTorch.

python torch_names.py           writes the file
python torch_names.py --check   compares with it
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "torch_names.tsv"
MODULES = (
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.parametrizations",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.autograd",
    "torch.autograd.functional",
    "torch.func",
    "torch.utils.data",
)
# Classes whose methods are listed, too.
CLASSES = ("torch.nn.Module", "torch.optim.Optimizer", "torch.optim.lr_scheduler.LRScheduler")
# Helpers, and names that functional imports: neither is documented.
HELPERS = {"assert_int_or_pair", "factory_kwargs", "boolean_dispatch", "PackedSequence_", "bind"}


def names(module: Any) -> list[str]:
    """Classes and functions that a user calls."""
    found = []
    for name in dir(module):
        value = getattr(module, name)
        home = str(getattr(value, "__module__", None) or "torch")
        if name.startswith("_") or name in HELPERS or not callable(value):
            continue
        if home.split(".")[0] != "torch" or home in ("torch.overrides", "torch._jit_internal"):
            continue
        if name.startswith(("has_torch", "handle_torch")) or home.startswith("torch._library"):
            continue
        if home.startswith("torch.utils") and module.__name__ != "torch.utils.data":
            continue
        whole = module.__name__ == "torch.func" and name in module.__all__
        inside = whole or home.startswith(module.__name__) or home in ("torch", "torch._C", "torch._C._nn")
        if inside and name != "Tensor":
            found.append(name)
    return found


def signature(value: Any) -> str:
    """Return parameter names and defaults; ? if PyTorch does not give them."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        # The first line of a built-in function's documentation has its signature.
        text = re.search(r"^\s*\w+\((.*?)\)\s*->", value.__doc__ or "", re.S)
        return re.sub(r"\s+", " ", text[1]).replace(" = ", "=") if text else "?"
    parts = []
    for p in parameters:
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={p.default!r}"
        parts.append(f"{star}{p.name}{default}")
    # Without addresses, which differ in every run.
    return re.sub(r" at 0x\w+", "", ", ".join(parts))


def top_names(torch: Any) -> list[str]:
    """Return the functions of the top level that are documented, or that are methods of a tensor, too."""
    found = []
    for name in sorted(torch.__all__):
        value = getattr(torch, name)
        known = str(value.__doc__ or "").strip() or hasattr(torch.Tensor, name)
        if callable(value) and not isinstance(value, type) and known and name[0] != "_":
            found.append(name)
    return found


def tensor_names(torch: Any) -> list[str]:
    """Return methods and properties of a tensor."""
    return sorted(name for name in dir(torch.Tensor) if name[0] != "_" and name not in HELPERS)


def table() -> str:
    """A line for each name, and for each method of a module."""
    torch = importlib.import_module("torch")
    lines = [
        "# Public names of PyTorch, and what they take. Written by torch_names.py, PyTorch "
        + torch.__version__.split("+")[0],
        "module\tname\tsignature",
    ]
    for at in MODULES:
        module = importlib.import_module(at)
        for name in names(module):
            # A function that switches on `return_indices` has the parameters of its variant that returns
            # indices.
            chosen = getattr(module, f"{name}_with_indices", getattr(module, name))
            lines.append(f"{at}\t{name}\t{signature(chosen)}")
    # Parameters of these have the array API's names, too, and are not compared.
    lines += [f"torch\t{name}\t?" for name in top_names(torch)]
    lines += [f"torch.Tensor\t{name}\t?" for name in tensor_names(torch)]
    for at in CLASSES:
        home, _, last = at.rpartition(".")
        owner = getattr(importlib.import_module(home), last)
        methods = [name for name, value in vars(owner).items() if inspect.isroutine(value) and name[0] != "_"]
        methods += [name for name in owner.__annotations__ if name == "forward"]
        for name in sorted(set(methods)):
            lines.append(f"{at}\t{name}\t{signature(getattr(owner, name))}")
    return "\n".join(lines) + "\n"


def main() -> int:
    warnings.simplefilter("ignore")
    text = table()
    if sys.argv[1:] == ["--check"]:
        return int(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
