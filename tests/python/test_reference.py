"""The Python reference: every public native function, method, property and class is documented."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import _compose, _files, _grad, _info, _native, _tensor, _types

CLASSES = [rl.Tensor, rl.Device, rl.DType, rl.Generator]
STUB = Path(str(_native.__file__)).parent / "_native.pyi"


def entries() -> dict[str, Any]:
    """Every documented thing by its dotted name."""
    found = {name: getattr(_native, name) for name in _native.__all__}
    for cls in CLASSES:
        members = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
        found.update({f"{cls.__name__}.{name}": value for name, value in members.items()})
    # (test_docstrings_package.py checks those that are functions written in Python.)
    return {name: value for name, value in found.items() if value not in _tensor.METHODS.values()}


def without_result() -> set[str]:
    """Names of the functions and methods that return None, from the stub."""
    names = set()
    for node in ast.parse(STUB.read_text()).body:
        inside = [(f"{node.name}.", f) for f in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, f in inside:
            if isinstance(f, ast.FunctionDef) and isinstance(f.returns, ast.Constant):
                names.add(prefix + f.name)
    return names


ENTRIES = entries()
WITHOUT_RESULT = without_result()


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by heading; the summary has the heading ''."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def missing(name: str, entry: Any) -> list[str]:
    """The parts of a docstring that are missing."""
    found = sections(inspect.getdoc(entry) or "")
    lacks = []
    summary = found[""].split("\n\n")[0].strip()
    if not summary.endswith("."):
        lacks.append("a summary that ends with a full stop")
    if "Examples" not in found or ">>>" not in found["Examples"]:
        lacks.append("Examples")
    if inspect.isclass(entry) or inspect.isgetsetdescriptor(entry) or isinstance(entry, property):
        return lacks
    parameters = [
        p.name
        for p in inspect.signature(entry).parameters.values()
        if p.name != "self" and p.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    documented = found.get("Parameters", "")
    lacks += [f"the parameter {p}" for p in parameters if not re.search(rf"\b{p}\b", documented)]
    if parameters and "Raises" not in found:
        lacks.append("Raises")
    if name not in WITHOUT_RESULT and "Returns" not in found:
        lacks.append("Returns")
    return lacks


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_entry_has_every_section(name: str) -> None:
    assert missing(name, ENTRIES[name]) == []


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_examples_print_what_they_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(ENTRIES[name]) or ""
    example = doctest.DocTestParser().get_doctest(text, {"rl": rl}, name, None, None)
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(report)


def test_check_finds_a_missing_section() -> None:
    def bad(x: rl.Tensor, size: int) -> rl.Tensor:
        """The work that it does

        Parameters
        ----------
        x : Tensor
            Input.
        """
        return x

    assert missing("bad", bad) == [
        "a summary that ends with a full stop",
        "Examples",
        "the parameter size",
        "Raises",
        "Returns",
    ]


def test_public_names_have_one_definition() -> None:
    count = Counter(rl.__all__)
    # (PyTorch's short names of dtypes and the like are defined in one module, too.)
    assert [name for name, n in count.items() if n > 1] == []
    assert [name for name in rl.__all__ if not hasattr(rl, name)] == []
    for module in (_compose, _files, _grad, _info, _native, _types):
        for name in module.__all__:
            assert getattr(rl, name) is getattr(module, name), name


def test_star_import_takes_no_private_name() -> None:
    assert [name for name in rl.__all__ if name.startswith("_") and not name.endswith("__")] == []
