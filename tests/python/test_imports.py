"""Import order: modules of the package import one another without cycles, and each can be imported first."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight

PACKAGE = Path(rushlight.__file__).parent


def modules(package: Path) -> dict[str, Path]:
    """Return the Python files of a package, and the stubs of extension modules, by module name."""
    found = {}
    for path in sorted(package.rglob("*.py")) + sorted(package.rglob("*.pyi")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def at_import(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that run when a module is imported: not those in functions or for types."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from at_import(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ("body", "orelse", "finalbody", "handlers"):
                yield from at_import(getattr(node, inner, []))


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules of the package whose content a module needs while it is imported.

    ``from rushlight import nn`` needs the module ``rushlight.nn``; ``from rushlight import Tensor`` and
    ``import rushlight`` need the package itself, whose ``__init__`` may not have finished.
    """
    if path.suffix == ".pyi":  # an extension module imports when its functions are called
        return set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in at_import(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
            continue
        base = package.rsplit(".", node.level - 1)[0] if node.level else ""
        source = ".".join(part for part in (base, node.module) if part)
        for alias in node.names:
            inner = f"{source}.{alias.name}"
            found.add(inner if inner in known else source)
    return found & set(known) - {name}


def cycle(package: Path) -> list[str]:
    """Return the modules of an import cycle, the first one again at the end; empty if there is none."""
    known = modules(package)
    graph = {name: sorted(imported(name, path, known)) for name, path in known.items()}
    done: set[str] = set()

    def walk(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return []
        for other in graph[name]:
            found = walk(other, [*trail, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in graph if (found := walk(name, []))), [])


def test_imports_have_no_cycle() -> None:
    assert not cycle(PACKAGE)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("from .b import x", "from . import a", ["p.a", "p.b", "p.a"]),
        ("from .b import x", "import p", ["p", "p.a", "p.b", "p"]),
        ("from .b import x", "from p import a, x", ["p", "p.a", "p.b", "p"]),
        (
            "try:\n    from .b import x\nexcept ImportError:\n    x = 1",
            "from p.a import y",
            ["p.a", "p.b", "p.a"],
        ),
        ("from .b import x", "def f():\n    from . import a", []),
        ("from .b import x", "if TYPE_CHECKING:\n    from . import a", []),
        ("from .b import x", "import os", []),
    ],
)
def test_cycle_is_found(tmp_path: Path, first: str, second: str, expected: list[str]) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("from . import a\n")
    (package / "a.py").write_text(first + "\n")
    (package / "b.py").write_text(second + "\n")
    found = cycle(package)
    assert set(found) == set(expected)
    assert found[:1] == found[-1:]


# Imports a module while the packages that contain it are empty: their `__init__` does not run.
ALONE = """
import importlib, sys, types
name, folder = sys.argv[1:]
parts = name.split(".")
for n in range(1, len(parts)):
    package = types.ModuleType(".".join(parts[:n]))
    package.__path__ = ["/".join([folder, *parts[1:n]])]
    sys.modules[package.__name__] = package
importlib.import_module(name)
"""


@pytest.mark.parametrize("name", modules(PACKAGE))
def test_module_imports_alone(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", ALONE, name, str(PACKAGE)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert run.returncode == 0, run.stderr


def test_importing_the_package_imports_no_module_for_several_processes() -> None:
    code = """
import sys, rushlight as rl
print("multiprocessing" in sys.modules, rl.multiprocessing.Pool.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "Pool"]
