"""Which of PyTorch's names Rushlight has, by the committed list of them: docs/guide/torch-names.md.

python tests/python/torch_names.py      writes the page
"""

from __future__ import annotations

import fnmatch
import functools
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "tests" / "golden" / "torch_names.tsv"
MISSING = ROOT / "tests" / "parity" / "torch_missing.tsv"
PAGE = ROOT / "docs" / "guide" / "torch-names.md"
# Deprecated in PyTorch, or private.
OLD = {
    "size_average",
    "reduce",
    "min_value",
    "max_value",
    "_stacklevel",
    "_random_samples",
    "_weight",
    "_freeze",
}
OPEN = {"self", "out", "args", "kwargs", "input"}
# Parameters that are missing or have no default, by what `differences` says of them.
KNOWN = {
    "no chunk_size": "rows are computed one after another",
    "no _preallocate_and_copy": "rows are computed one after another",
    "no randomness": "of `vmap`",
    "no grad_variables": "deprecated in PyTorch",
    "generator=None, PyTorch's is <torch._C.Generator object>": "None is the generator of `rl.manual_seed`",
    **dict.fromkeys(
        [f"no check_{x}" for x in ("undefined_grad", "grad_dtypes", "batched_grad", "batched_forward_grad")]
        + ["no check_forward_ad", "no check_backward_ad", "no check_fwd_over_rev", "no check_rev_over_rev"]
        + ["no nondet_tol", "no fast_mode", "no masked", "no gen_non_contig_grad_outputs"],
        "every gradient is compared with differences, backwards: results have the same bits in every run",
    ),
    "no default of dim": "PyTorch's choice of an axis by the rank is deprecated",
    "no default of batch_sizes": "a packed sequence has sizes",
}


class Name(NamedTuple):
    """A line of the list."""

    module: str
    name: str
    signature: str


def names() -> list[Name]:
    """PyTorch's names."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()[2:]
    return [Name(*line.split("\t")) for line in lines]


@functools.cache
def reasons() -> list[Name]:
    """Patterns of missing names, with the reason in the last column."""
    lines = MISSING.read_text(encoding="utf-8").splitlines()[2:]
    return [Name(*line.split("\t")) for line in lines]


def ours(name: Name) -> Any:
    """Return the object of a name in Rushlight, or None."""
    if name.module == "torch":
        return getattr(importlib.import_module("rushlight"), name.name, None)
    home, _, last = name.module.replace("torch", "rushlight", 1).rpartition(".")
    # A class, whose methods are listed, or a module.
    owner = getattr(importlib.import_module(home), last) if last[0].isupper() else None
    return getattr(owner or importlib.import_module(f"{home}.{last}"), name.name, None)


def reason(name: Name) -> str | None:
    """Return the reason why a name is missing."""
    for pattern in reasons():
        if pattern.module == name.module and fnmatch.fnmatchcase(name.name, pattern.name):
            return pattern.signature
    return None


def parameters(signature: str) -> dict[str, str | None]:
    """Names and defaults of a signature's text, without `self`."""
    parts, depth = [""], 0
    for char in signature:
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    found = {}
    for part in parts:
        key, equals, value = part.strip().partition("=")
        if key.strip("*/"):
            found[key.strip().lstrip("*")] = value if equals else None
    return found


def differences(name: Name, call: Callable[..., Any]) -> list[str]:
    """Return the differences of Rushlight's parameters from PyTorch's, in names, order or defaults."""
    theirs = {k: v for k, v in parameters(name.signature).items() if k not in OLD | OPEN}
    mine = {
        p.name: None if p.default is p.empty else repr(p.default)
        for p in inspect.signature(call).parameters.values()
        if p.name not in OLD | OPEN
    }
    found = [f"no {key}" for key in theirs if key not in mine]
    common = [key for key in theirs if key in mine]
    # The order of those that are given by name does not matter.
    kinds = inspect.signature(call).parameters
    ordered = [key for key in common if kinds[key].kind is not inspect.Parameter.KEYWORD_ONLY]
    if [key for key in mine if key in ordered] != ordered:
        found.append("another order")
    for key in common:
        if mine[key] is None and theirs[key] is not None:
            found.append(f"no default of {key}")
        elif value(theirs[key]) != value(mine[key]):
            found.append(f"{key}={mine[key]}, PyTorch's is {theirs[key]}")
    return found


def value(text: str | None) -> Any:
    """Return a default as a comparable value; for a function a text without its address."""
    try:
        return eval(text, {}) if text is not None else inspect.Parameter.empty
    except (NameError, SyntaxError):
        return re.sub(r" at 0x\w+", "", text or "")


def page() -> str:
    """The text of the page."""
    text = [
        "# Names of torch, Tensor, nn, optim, autograd, func and data",
        "",
        "<!-- Written by tests/python/torch_names.py. Do not edit. -->",
        "",
        "The public functions and classes of these modules of "
        + NAMES.read_text(encoding="utf-8").splitlines()[0].rsplit(", ", 1)[1]
        + ", of `torch` the",
        "documented functions, and the members of the classes that have a heading; and whether",
        "Rushlight has them under `rl` instead of `torch`. Parameters have",
        "PyTorch's names, order and defaults; those that PyTorch calls deprecated (`size_average`, `reduce`)",
        "are left out. Functions of `torch` and methods of `torch.Tensor` take the array API's parameters,",
        "too; they are not compared here: [the guide from PyTorch](from-pytorch.md) has the differences.",
    ]
    found = names()
    for module in dict.fromkeys(name.module for name in found):
        rows = [name for name in found if name.module == module]
        there = [name for name in rows if ours(name) is not None]
        text += ["", f"## {module}", "", f"{len(there)} of {len(rows)}.", ""]
        text += ["Present: " + ", ".join(f"`{name.name}`" for name in there) + "."]
        groups: dict[str, list[str]] = {}
        for name in rows:
            if ours(name) is None:
                groups.setdefault(reason(name) or "", []).append(name.name)
        if groups:
            text += ["", "| missing | reason |", "|---|---|"]
            text += [f"| {', '.join(f'`{n}`' for n in group)} | {why} |" for why, group in groups.items()]
    text += ["", "## Parameters that differ", ""]
    lacking: dict[str, list[str]] = {}
    for name in found:
        call = ours(name)
        for difference in differences(name, call) if call is not None and name.signature != "?" else []:
            lacking.setdefault(difference, []).append(f"`{name.name}`")
    text += ["| difference | of | reason |", "|---|---|---|"]
    text += [f"| {what} | {', '.join(where)} | {KNOWN.get(what, '')} |" for what, where in lacking.items()]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
