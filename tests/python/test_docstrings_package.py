"""Every public name that is written in Python has a numpydoc docstring, and its examples run."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as rl

# Private modules whose names are those of `rushlight` itself.
TOP = (
    "_compose",
    "_files",
    "_grad",
    "_info",
    "_tensor.methods",
    "_tensor.new",
    "_tensor.random",
    "_tensor.reshaped",
    "_tensor.size",
)
# Methods that the example of their class shows.
SHOWN = {"forward", "extra_repr", "reset_parameters", "append", "extend"}
# Classes of results, which the example of the function that returns them shows.
MADE = {"LoadResult", "UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult", "finfo_object"} | {
    "iinfo_object", "Kernel", "VirtualRocm", "Split", "Mnist"
}  # fmt: skip


def public_modules() -> list[str]:
    """Return the names of the public modules, and of the private modules whose names they export; without the
    package itself."""
    found = [
        info.name
        for info in pkgutil.walk_packages(rl.__path__, "rushlight.")
        if not any(part.startswith("_") for part in info.name.split("."))
    ]
    return sorted([*found, *(f"rushlight.{name}" for name in TOP)])


MODULES = public_modules()


def names() -> Iterator[tuple[str, Any]]:
    """Public functions, classes and methods of the package, each once, with a name to show."""
    seen: set[int] = set()
    for module in MODULES:
        space = importlib.import_module(module)
        for name in getattr(space, "__all__", ()):
            thing = getattr(space, name)
            inside = str(getattr(thing, "__module__", "")).startswith("rushlight")
            if not (inspect.isclass(thing) or callable(thing)) or not inside or id(thing) in seen:
                continue
            if (
                inspect.isbuiltin(thing)
                or type(thing).__module__ == "typing"
                or "_native" in thing.__module__
            ):
                continue
            seen.add(id(thing))
            yield f"{module}.{name}", thing
            if inspect.isclass(thing):
                yield from methods(f"{module}.{name}", thing, seen)


def methods(name: str, owner: type, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Public methods that a class defines, or inherits from a class of the package."""
    for base in owner.__mro__:
        private = base.__name__.startswith("_") or base.__module__.rsplit(".", 1)[-1].startswith("_")
        if not base.__module__.startswith("rushlight.") or (base is not owner and not private):
            continue
        for key, method in vars(base).items():
            if not key.startswith("_") and inspect.isfunction(method) and id(method) not in seen:
                seen.add(id(method))
                yield f"{name}.{key}", method


FOUND = dict(names())


def sections(doc: str) -> dict[str, str]:
    """The sections of a numpydoc docstring; what comes before them is ''."""
    parts = re.split(r"^([A-Z]\w+)\n-{3,}\n", inspect.cleandoc(doc), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(text: str) -> set[str]:
    """The names of a section of parameters."""
    heads = [line for line in text.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(" : ")[0].split(",")}


def raises(thing: Callable[..., Any]) -> bool:
    """Return whether the body of a function raises an error itself."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing))))
    except OSError:
        return False
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def parameters(thing: Any) -> set[str]:
    """The names of the parameters that a caller gives."""
    if inspect.isclass(thing):
        if dataclasses.is_dataclass(thing) or hasattr(thing, "_fields"):
            return set(getattr(thing, "_fields", ()) or [f.name for f in dataclasses.fields(thing)])
        made = thing.__new__ if "__new__" in vars(thing) else thing.__init__
        thing = made
        if made is object.__init__:
            return set()
    return {name for name in inspect.signature(thing).parameters if name not in ("self", "cls")}


def problems(name: str, thing: Any) -> list[str]:
    """Return the parts that a docstring lacks."""
    doc = thing.__doc__
    if not doc or (inspect.isclass(thing) and doc == getattr(thing.__mro__[1], "__doc__", None)):
        return ["a docstring"]
    found = sections(doc)
    lacking = []
    summary = found[""].split("\n\n")[0].strip()
    if not summary.endswith((".", "..")) or len(summary.split()) < 2:
        lacking.append("a summary that ends with a full stop")
    last = name.rsplit(".", 1)[-1]
    wanted = set() if last == "Kernel" else parameters(thing)
    if documented(found.get("Parameters", "")) != wanted:
        got = sorted(documented(found.get("Parameters", "")))
        lacking.append(f"Parameters {sorted(wanted)}, got {got}")
    if not inspect.isclass(thing):
        result = inspect.signature(thing).return_annotation
        if (result not in (None, "None")) != ("Returns" in found):
            lacking.append(f"Returns, of {result}")
        if raises(thing) and "Raises" not in found:
            lacking.append("Raises")
    if last not in SHOWN | MADE and ">>>" not in found.get("Examples", ""):
        lacking.append("Examples")
    return lacking


@pytest.mark.parametrize("name", FOUND)
def test_a_public_name_has_every_section(name: str) -> None:
    assert problems(name, FOUND[name]) == [], name


@pytest.mark.parametrize("name", FOUND)
def test_examples_run(name: str) -> None:
    thing = FOUND[name]
    if ">>>" not in (thing.__doc__ or ""):
        assert name.rsplit(".", 1)[-1] in SHOWN | MADE
        return
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failures: list[str] = []
    tests = doctest.DocTestFinder(recurse=False).find(thing, name, module=False, globs={})
    for test in tests:
        runner.run(test, out=failures.append)
    assert runner.failures == 0, "".join(failures)


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_lists_its_names(module: str) -> None:
    space = importlib.import_module(module)
    listed = space.__all__
    assert listed
    assert len(set(listed)) == len(listed)
    assert [name for name in listed if not hasattr(space, name)] == []
    assert space.__doc__


def test_the_package_is_found() -> None:
    assert len(FOUND) > 170
    assert "rushlight.nn.Module.load_state_dict" in FOUND
    assert "rushlight._compose.einsum" in FOUND
    assert {"rushlight.nn.functional", "rushlight.optim", "rushlight.rocm", "rushlight.testing"} <= set(
        MODULES
    )


def test_a_lacking_section_is_found() -> None:
    def bad(x: int, y: int) -> int:
        """Returns a sum.

        Parameters
        ----------
        x
            A number.
        """
        if x < y:
            raise ValueError("x")
        return x + y

    def none() -> None:
        pass

    assert problems("bad", bad) == [
        "Parameters ['x', 'y'], got ['x']",
        "Returns, of int",
        "Raises",
        "Examples",
    ]
    assert problems("none", none) == ["a docstring"]
