"""Sphinx's settings for the site: `make docs`.

The sources are the documents of this repository where they are: the root is the source folder. The pages of
the Python reference are written from the modules' `__all__` before Sphinx reads them.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.ext.autosummary import autosummary_toc
from sphinx.util import logging

import rushlight

ROOT = Path(__file__).parents[2]
API = ROOT / "docs" / "reference" / "api"

project = "Rushlight"
copyright = "The Rushlight developers"
release = rushlight.__version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "crates/rushlight-vgpu/README.md"]
exclude_patterns = [
    "target",
    ".venv*",
    ".cache",
    "dist",
    "out",
    "docs/site",
    "docs/ci",
    "crates/*/[a-z]*",
    "python",
    "tests",
]

html_theme = "furo"
html_title = f"Rushlight {release}"
html_extra_path = ["extra"]
html_theme_options = {"source_directory": ""}
# autosummary looks in the source folder, Sphinx beside this file: an absolute path serves both.
templates_path = [str(Path(__file__).parent / "templates")]

myst_heading_anchors = 4
myst_enable_extensions = ["fieldlist"]
# Code fences of unknown languages and tables without a header do not fail the build.
suppress_warnings = ["myst.header"]

autosummary_generate = True
autosummary_imported_members = True
# A class's page has its own members and those of private base classes; public ones have pages.
EXCLUDED: dict[str, str] = {}
autosummary_context = {"excluded": EXCLUDED}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Text in single back quotes links to the reference where it names an object of it.
default_role = "py:obj"

# The modules of the reference, in the order of the pages.
MODULES = [
    "rushlight",
    "rushlight.nn",
    "rushlight.nn.functional",
    "rushlight.nn.init",
    "rushlight.nn.utils",
    "rushlight.nn.utils.parametrizations",
    "rushlight.nn.utils.parametrize",
    "rushlight.nn.utils.rnn",
    "rushlight.autograd",
    "rushlight.autograd.functional",
    "rushlight.func",
    "rushlight.graph",
    "rushlight.distributions",
    "rushlight.distributions.constraints",
    "rushlight.special",
    "rushlight.quantized",
    "rushlight.sparse",
    "rushlight.fft",
    "rushlight.optim",
    "rushlight.optim.lr_scheduler",
    "rushlight.optim.swa_utils",
    "rushlight.linalg",
    "rushlight.data",
    "rushlight.utils.checkpoint",
    "rushlight.amp",
    "rushlight.random",
    "rushlight.jit",
    "rushlight.backends.cudnn",
    "rushlight.backends.cuda",
    "rushlight.rocm",
    "rushlight.cuda",
    "rushlight.testing",
]


# The module whose page describes a class.
PAGE_OF: dict[type, str] = {}


def public(module: ModuleType) -> list[str]:
    """Return the public names of a module: its `__all__`, else the names that it defines."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in vars(module) if not n.startswith("_") and _defined(module, getattr(module, n))]
    return sorted(n for n in names if not inspect.ismodule(getattr(module, n)) and not n.startswith("__"))


def _defined(module: ModuleType, value: Any) -> bool:
    home = getattr(value, "__module__", None) or "builtins"
    name = module.__name__
    return f"{home}.".startswith(f"{name}.") or (name == "rushlight" and home == "builtins")


def named_class(name: str, value: Any) -> bool:
    """Return whether a value is a class under its own name, not an alias such as ``rushlight.device``."""
    return inspect.isclass(value) and value.__name__ == name


def page(name: str, module: ModuleType) -> str:
    """Return the page of a module: its description, then a table per kind of object."""
    kinds: dict[str, list[str]] = {"Classes": [], "Functions": [], "Constants": []}
    for n in public(module):
        value = getattr(module, n)
        # A class has one page, in the first module that exports it.
        if named_class(n, value) and PAGE_OF.setdefault(value, name) != name:
            continue
        kind = (
            "Classes"
            if named_class(n, value)
            else "Constants"
            if inspect.isclass(value) or not callable(value)
            else "Functions"
        )
        kinds[kind].append(n)
    text = [
        name,
        "=" * len(name),
        "",
        f".. automodule:: {name}",
        "   :no-members:",
        "",
        f".. currentmodule:: {name}",
        "",
    ]
    for kind, names in kinds.items():
        if not names:
            continue
        text += [kind, "-" * len(kind), ""]
        if kind == "Constants":
            for n in names:
                text += [f".. py:data:: {n}", f"   :value: {getattr(module, n)!r}", ""]
        else:
            template = ["   :template: class.rst"] if kind == "Classes" else []
            text += [".. autosummary::", f"   :toctree: {name}", *template, "", *(f"   {n}" for n in names)]
        text.append("")
    return "\n".join(text)


def reference() -> None:
    """Write the pages of the reference."""
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir()
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        path, text = API / f"{name}.rst", page(name, module)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def links_to_files(app: Any, docname: str, source: list[str]) -> None:
    """Show links to files without a page (sources, folders) as code: the site holds documents only."""
    if not docname.endswith("index") and "reference/api" in docname:
        return
    folder = (ROOT / f"{docname}.md").parent

    def plain(match: re.Match[str]) -> str:
        text, target = match[1], match[2].partition("#")[0]
        if "://" in target or not target:
            return match[0]
        path = (folder / target).resolve()
        known = path.suffix == ".md" and str(path.relative_to(ROOT)).removesuffix(".md") in app.env.found_docs
        if known:
            return match[0]
        return text if text.startswith("`") else f"{text} (`{path.relative_to(ROOT)}`)"

    source[0] = re.sub(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)", plain, source[0])


def outside_sidebar(app: Any, doctree: Any) -> None:
    """Keep the pages of single objects out of the sidebar, which the theme renders anew for each page."""
    for node in list(doctree.findall(autosummary_toc)):
        node.parent.remove(node)
    if (ROOT / f"{app.env.docname}.rst").parent.parent == API:
        app.env.metadata[app.env.docname]["orphan"] = True


def complete(app: Any, env: Any) -> None:
    """Warn of public names, methods and properties that the reference lacks."""
    shown = set(env.get_domain("py").objects)
    for name in MODULES:
        module = sys.modules.get(name)
        for n in public(module) if module else []:
            value = getattr(module, n)
            own = named_class(n, value)
            full = f"{PAGE_OF.get(value, name)}.{n}" if own else f"{name}.{n}"
            for entry in [full, *(f"{full}.{m}" for m in members(value) if own)]:
                if entry not in shown:
                    logging.getLogger(__name__).warning("the reference lacks %s", entry)


def homes(value: type) -> list[type]:
    """Return a class and the private classes of this package between it and its first public base class."""
    found = [value]
    for c in value.__mro__[1:]:
        if c in PAGE_OF or c.__module__.partition(".")[0] != "rushlight":
            break
        found.append(c)
    return found


def members(value: Any) -> list[str]:
    """Return the public members that a class's page must have; none for other objects."""
    if not inspect.isclass(value):
        return []
    found = {n: v for c in homes(value) for n, v in vars(c).items() if not n.startswith("_")}
    return sorted(n for n, v in found.items() if callable(v) or inspect.isdatadescriptor(v))


def signature(app: Any, what: str, *rest: Any) -> Any:
    """Keep numpydoc from giving an attribute a signature, which autodoc cannot take."""
    return () if what == "attribute" else None


def setup(app: Any) -> None:
    """Write the reference before anything is read, and check that it is complete."""
    reference()
    app.config.autosummary_context["bases"] = ", ".join(
        sorted({c.__name__ for c in PAGE_OF} | {"tuple", "object"})
    )
    app.connect("autodoc-process-signature", signature, priority=400)
    app.connect("source-read", links_to_files)
    # Before Sphinx collects the pages of the sidebar.
    app.connect("doctree-read", outside_sidebar, priority=100)
    app.connect("env-check-consistency", complete)
