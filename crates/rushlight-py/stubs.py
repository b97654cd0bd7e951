"""Write `python/rushlight/_native.pyi` from the installed module; ``--check`` fails where it is stale.

PyO3 leaves a description of every class and function in the module's symbols, as JSON behind its length.
The functions that are declared as data describe themselves (``_native._signatures``).
"""

from __future__ import annotations

import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

Chunk = dict[str, Any]
# The first parameters of methods that are also functions of the module; of other methods it is `self`.
FIRST: dict[str, str] = {}
# A function as data: whether it is a method, its name, its parameters (name, kind, type, default), result
# type, docstring.
Signature = tuple[bool, str, list[tuple[str, str, str, str | None]], str, str]


def symbols(elf: bytes) -> list[tuple[str, int]]:
    """Return the dynamic symbols of a 64-bit little-endian ELF file, with their offsets in the file."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("stubs are made from a 64-bit little-endian ELF module (Linux)")
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, start + i * entry) for i in range(count)]
    out = []
    for _, kind, _, _, offset, size, link, _, _, step in sections:
        if kind != 11:  # the type SHT_DYNSYM: dynamic symbols
            continue
        names = sections[link][4]
        for at_symbol in range(offset, offset + size, step):
            name, _, _, section, value = struct.unpack_from("<IBBHQ", elf, at_symbol)
            end = elf.index(b"\0", names + name)
            text = elf[names + name : end].decode()
            if text.startswith("PYO3_INTROSPECTION_1_") and section < count:
                _, _, _, address, at, *_ = sections[section]
                out.append((text, value - address + at))
    return out


def chunks(module: Path) -> list[Chunk]:
    """Return the descriptions in a module."""
    elf = module.read_bytes()
    out = []
    for _, start in sorted(symbols(elf)):
        (length,) = struct.unpack_from("<I", elf, start)
        out.append(json.loads(elf[start + 4 : start + 4 + length]))
    return out


# Element types of containers, which the description leaves out.
RESULTS = {
    "dlpack": "builtins.tuple[builtins.int, builtins.int]",
    "shape": "Size",
    "size": "Count",
    "stride": "builtins.tuple[builtins.int, ...]",
    "memory_stats": "builtins.dict[builtins.str, builtins.int]",
    "_gpu_memory_stats": "builtins.dict[builtins.str, builtins.int]",
    "_gpu_properties": "builtins.dict[builtins.str, typing.Any]",
    "__cuda_array_interface__": "builtins.dict[builtins.str, typing.Any]",
    "__reduce__": "builtins.tuple[typing.Any, ...]",
    "__iter__": "collections.abc.Iterator[Tensor]",
    "__int__": "builtins.int",
    "__index__": "builtins.int",
    "__format__": "builtins.str",
    "_gguf_metadata": "builtins.dict[builtins.str, typing.Any]",
    "_gpu_warm": "builtins.dict[builtins.str, typing.Any]",
    "_profiler_stop": "builtins.tuple[builtins.float, "
    "builtins.list[builtins.dict[builtins.str, typing.Any]]]",
    "_samples": "builtins.list[typing.Any]",
    "_signatures": "builtins.list[typing.Any]",
    "_rocm_folders": "builtins.list[builtins.str]",
    "cases": "builtins.list[builtins.tuple[builtins.str, ...]]",
    "order": "builtins.list[builtins.int]",
    "run": "builtins.dict[builtins.str, typing.Any]",
    "judge_true": "builtins.dict[builtins.str, typing.Any]",
    "compare": "builtins.dict[builtins.str, typing.Any]",
    "inputs": "builtins.list[Tensor]",
}
CONTAINERS = {
    "builtins.tuple": "builtins.tuple[Tensor, ...]",
    "builtins.dict[typing.Any, typing.Any]": "builtins.dict[builtins.str, Tensor]",
}
COMPARISONS = ("__eq__", "__ne__")

_AXES = "builtins.int | collections.abc.Sequence[builtins.int] | None"
_EXTREME = [
    (
        f"*, axis: {_AXES} = None, keepdims: builtins.bool | None = None",
        f"*, axis: {_AXES} = None, keepdims: builtins.bool | None = None, out: None = None",
        "Tensor",
    ),
    # A tensor is a `SupportsIndex`, too, so `dim` by position is an int.
    ("x: Tensor, other: Tensor, /", "other: Tensor, /", "Tensor"),
    (
        "*, dim: typing.SupportsIndex, keepdim: builtins.bool = False",
        "dim: builtins.int, keepdim: builtins.bool = False",
        "ValuesIndices",
    ),
]
_ORDER = "descending: builtins.bool = False"
_STABLE = "stable: builtins.bool = True"
_OPERAND = "Tensor | builtins.complex"
# Overloads of functions: parameters of the function, of the method if it has these, and the result.
OVERLOADS = {
    "max": _EXTREME,
    "min": _EXTREME,
    "nonzero": [
        (
            "*, as_tuple: typing.Literal[True] = True",
            "*, as_tuple: typing.Literal[True]",
            "builtins.tuple[Tensor, ...]",
        ),
        ("*, as_tuple: typing.Literal[False]", "*, as_tuple: typing.Literal[False] = False", "Tensor"),
    ],
    "matmul": [
        ("x1: Tensor | SparseTensor, x2: Tensor, /", "other: Tensor | SparseTensor, /", "Tensor"),
        ("x1: Tensor, x2: SparseTensor, /", "", "Tensor"),
        ("x1: SparseTensor, x2: SparseTensor, /", "", "SparseTensor"),
    ],
    "sort": [
        (
            f"*, axis: typing.SupportsIndex | None = -1, {_ORDER}, {_STABLE}",
            f"*, axis: typing.SupportsIndex | None, {_ORDER}, {_STABLE}",
            "Tensor",
        ),
        (
            f"*, dim: typing.SupportsIndex, {_ORDER}, {_STABLE}",
            f"dim: typing.SupportsIndex = -1, {_ORDER}, *, {_STABLE}",
            "ValuesIndices",
        ),
    ],
    "where": [
        ("condition: Tensor, /", "", "builtins.tuple[Tensor, ...]"),
        (f"condition: Tensor, x1: {_OPERAND}, x2: {_OPERAND}, /", "", "Tensor"),
    ],
}


def overloads(name: str, indent: str, f: Chunk) -> list[str]:
    """Return the overloads of a function (or, indented, of a method) as lines."""
    out = []
    forms = [form for form in OVERLOADS[name] if form[1] or not indent]
    for function, method, result in forms:
        head = f"self, {method}" if indent else function if "/" in function else f"x: Tensor, /, {function}"
        out += [f"{indent}@typing.overload"] if len(forms) > 1 else []
        out += [f"{indent}def {name}({head}) -> {result}:", *doc(f, indent)]
    return out


class Stub:
    """The text of a stub from descriptions."""

    def __init__(
        self, found: list[Chunk], made: list[Signature], properties: dict[str, tuple[str, str]]
    ) -> None:
        self.names = {c["id"]: c["name"] for c in found if "id" in c}
        self.found = found
        self.made = made
        # Result type and docstring of properties written in Python.
        self.properties = properties

    def hint(self, e: Chunk) -> str:
        """Return a type as text."""
        match e["type"]:
            case "name":
                if e["id"] == "dict":
                    return "builtins.dict[typing.Any, typing.Any]"
                known = ("int", "str", "complex", "float", "bool", "bytes", "property")
                return f"builtins.{e['id']}" if e["id"] in known else str(e["id"])
            case "id":
                return str(self.names[e["id"]])
            case "attribute":
                whole = f"{self.hint(e['value'])}.{e['attr']}"
                if whole == "builtins.dict":
                    return "builtins.dict[typing.Any, typing.Any]"
                return "typing.Any" if whole.endswith("Incomplete") else whole
            case "binop":
                return f"{self.hint(e['left'])} | {self.hint(e['right'])}"
            case "subscript":
                base = self.hint(e["value"]).removesuffix("[typing.Any, typing.Any]")
                whole = f"{base}[{self.hint(e['slice'])}]"
                # PyO3 writes this type for a vector argument, which accepts sequences only.
                return whole.replace("_typeshed.SupportsGetItem[builtins.int, ", "collections.abc.Sequence[")
            case "tuple":
                return ", ".join(self.hint(x) for x in e["elts"])
            case "list":
                return "[" + ", ".join(self.hint(x) for x in e["elts"]) + "]"
            case "constant":
                return {"none": "None", "ellipsis": "..."}.get(e["kind"], str(e.get("value")))
            case other:
                raise SystemExit(f"a type of an unknown form: {other}")

    def value(self, e: Chunk) -> str:
        """Return a default as text."""
        if e["type"] != "constant":
            return "..."
        match e["kind"]:
            case "str":
                return json.dumps(e["value"])
            case "bool":
                return str(bool(e["value"]))
            case _:
                return self.hint(e)

    def parameter(self, a: Chunk, default: Any = None) -> str:
        """Return a parameter as text."""
        text = str(a["name"])
        if "annotation" in a:
            text += f": {self.hint(a['annotation'])}"
        elif text not in ("self", "cls"):
            text += ": typing.Any"
        if "default" in a:
            text += f" = {self.value(a['default'])}" if ":" in text else f"={self.value(a['default'])}"
        return text

    def function(self, f: Chunk, indent: str) -> list[str]:
        """Return a function or method as lines."""
        args, parts = f["arguments"], []
        for a in args.get("posonlyargs", []):
            parts.append(self.parameter(a))
        if args.get("posonlyargs") and [a["name"] for a in args["posonlyargs"]] not in (["self"], ["cls"]):
            parts.append("/")
        parts += [self.parameter(a) for a in args.get("args", [])]
        if "vararg" in args:
            parts.append("*" + self.parameter(args["vararg"]).replace("typing.Any", self.more(f)))
        elif args.get("kwonlyargs"):
            parts.append("*")
        parts += [self.parameter(a) for a in args.get("kwonlyargs", [])]
        name = f["name"]
        result = self.hint(f["returns"]) if "returns" in f else "typing.Any"
        result = RESULTS.get(name, CONTAINERS.get(result, result))
        if name == "__new__" or (name.startswith("__i") and result == "None"):
            result = "typing.Self"
        if name in COMPARISONS:
            parts = ["self", "other: typing.Any", "/"]
        if name == "__ipow__":  # Unlike ``__pow__`` it takes no modulus.
            parts = ["self", "other: object", "/"]
        lines = [f"{indent}@{self.hint(d).replace('Tensor.', '')}" for d in f.get("decorators", [])]
        ignore = "  # type: ignore[override]" if name in COMPARISONS and result == "Tensor" else ""
        ignore = "  # type: ignore[misc]" if name == "__ipow__" else ignore
        if name in OVERLOADS:
            return overloads(name, indent, f)
        head = f"{indent}def {name}({', '.join(parts)}) -> {result}:"
        return (
            [*lines, f"{head} ...{ignore}"] if not f.get("doc") else [*lines, head + ignore, *doc(f, indent)]
        )

    def made_function(self, made: Signature, indent: str) -> list[str]:
        """Return a function that is declared as data, or indented a method, as lines."""
        _, name, parameters, result, text = made
        if name in OVERLOADS and (not indent or OVERLOADS[name][0][1]):
            return overloads(name, indent, {"doc": text})
        parts = [FIRST.get(name, "self")] if indent else []
        kinds = [kind for _, kind, _, _ in parameters]
        for i, (parameter, kind, hint, default) in enumerate(parameters):
            before = kinds[i - 1] if i else ""
            if kind == "KEYWORD_ONLY" and before not in ("KEYWORD_ONLY", "VAR_POSITIONAL"):
                parts.append("*")
            star = "*" if kind == "VAR_POSITIONAL" else ""
            hint = "builtins.int" if star and "Sequence" not in hint else plain(hint)
            parts.append(f"{star}{parameter}: {hint}" + (f" = {default}" if default is not None else ""))
            if kind == "POSITIONAL_ONLY" and kinds[i + 1 : i + 2] != ["POSITIONAL_ONLY"]:
                parts.append("/")
        return [f"{indent}def {name}({', '.join(parts)}) -> {plain(result)}:", *doc({"doc": text}, indent)]

    def more(self, f: Chunk) -> str:
        """Return the type of a function's further arguments."""
        return "typing.Any" if f["name"] in ("to", "_promote") else "builtins.int"

    def text(self) -> str:
        """Return the whole stub."""
        from rushlight._compose import _further

        out = [
            "# Made from the module by crates/rushlight-py/stubs.py; not edited by hand.",
            "import builtins",
            "import collections.abc",
            "import os",
            "import pathlib",
            "import typing",
            "",
            "import typing_extensions",
            "",
            "from ._tensor.size import Count, Size",
            "from .return_types import QR, USV, Frexp, Histogram, MinMax, Slogdet, ValuesIndices",
            "from .sparse import COOTensor, CSRTensor, SparseTensor",
            "",
            "__commit__: builtins.str",
            "__version__: builtins.str",
            "",
            "class DeviceError(builtins.RuntimeError): ...",
        ]
        for c in sorted((c for c in self.found if c["type"] == "class"), key=lambda c: str(c["name"])):
            out += ["", *(f"@{self.hint(d)}" for d in c.get("decorators", []))]
            out += [f"class {c['name']}:", *doc(c, "")]
            members = [m for m in self.found if m.get("parent") == c["id"]]
            if c["name"] == "Tensor":
                known = {str(m["name"]) for m in members}
                members += [{**m, "name": a} for a, m in aliases(members) if a not in known]
                members += [{"name": made[1], "type": "made", "made": made} for made in self.made if made[0]]
                members += [{"name": name, "type": "property"} for name in self.properties]
            for m in sorted(members, key=lambda m: (str(m["name"]), "setter" in str(m), "deleter" in str(m))):
                if m["type"] == "made":
                    out += self.made_function(m["made"], "    ")
                elif m["type"] == "property":
                    hint, text = self.properties[str(m["name"])]
                    out += ["    @property", f"    def {m['name']}(self) -> {plain(hint)}:"]
                    out += doc({"doc": text}, "    ")
                elif m["type"] == "attribute":
                    out.append(f"    {m['name']}: {self.hint(m['annotation'])}")
                else:
                    out += self.function(m, "    ")
            if c["name"] == "_Memory":
                out.append("    def __buffer__(self, flags: builtins.int, /) -> builtins.memoryview: ...")
        functions = [c for c in self.found if c["type"] == "function" and not c.get("parent")]
        made = [m for m in self.made if not m[0]]
        functions += [{"name": m[1], "type": "made", "made": m} for m in made]
        defined = [str(c["name"]) for c in self.found if not c.get("parent")]
        public = sorted(["DeviceError", *defined, *(m[1] for m in made)])
        # Without those that a function written in Python replaces.
        names = [name for name in public if not name.startswith("_") and name not in _further.__all__]
        out += ["", "__all__ = [", *(f'    "{name}",' for name in names), "]"]
        for f in sorted(functions, key=lambda f: str(f["name"])):
            out += ["", *(self.made_function(f["made"], "") if f["type"] == "made" else self.function(f, ""))]
        return "\n".join(out) + "\n"


def aliases(members: list[Chunk]) -> list[tuple[str, Chunk]]:
    """Return the other names of methods that describe themselves."""
    from rushlight import _tensor

    return [(name, m) for name, other in _tensor.ALIASES.items() for m in members if m["name"] == other]


def written(native: list[Signature]) -> list[Signature]:
    """Return the methods that are written in Python: functions, other names, and changes in place."""
    import inspect

    from rushlight import _tensor

    made = {name: (parameters, result, text) for method, name, parameters, result, text in native if method}

    def hint(annotation: str) -> str:
        # Inside the class, names such as `int` would mean its methods.
        out = re.sub(r"\bNumber\b", "complex", annotation)
        out = re.sub(r"(?<![\w.])Sequence\b", "collections.abc.Sequence", out)
        return re.sub(r"(?<![\w.])Any\b", "typing.Any", out)

    def described(function: Any) -> tuple[list[tuple[str, str, str, str | None]], str, str]:
        _, *rest = inspect.signature(function).parameters.values()
        parameters = []
        for p in rest:
            default = None if p.default is p.empty else repr(p.default)
            parameters.append((p.name, p.kind.name, hint(str(p.annotation)), default))
        result = hint(str(inspect.signature(function).return_annotation))
        return parameters, result, inspect.getdoc(function) or ""

    for name, function in _tensor.METHODS.items():
        made[name] = described(function)
        first, *rest = inspect.signature(function).parameters.values()
        alone = all(p.kind is not p.POSITIONAL_ONLY for p in rest)
        FIRST[name] = first.name + (", /" if alone and first.kind is first.POSITIONAL_ONLY else "")
    for name, other in _tensor.ALIASES.items():
        if other in made:
            made[name] = made[other]
            FIRST[name] = FIRST.get(other, "self")
    for name, other in _tensor.IN_PLACE.items():
        made[name] = made[other][0], "typing.Self", inspect.getdoc(getattr(_tensor.Tensor, name)) or ""
    known = {name for method, name, *_ in native if method}
    replaced = {*_tensor.METHODS} & known
    return [f for f in native if not (f[0] and f[1] in replaced)] + [
        (True, name, *parts) for name, parts in made.items() if name not in known or name in replaced
    ]


def properties() -> dict[str, tuple[str, str]]:
    """Return the result types and docstrings of the properties that are written in Python."""
    import inspect

    from rushlight import _tensor

    return {
        name: (str(inspect.signature(function).return_annotation), inspect.getdoc(function) or "")
        for name, function in _tensor.PROPERTIES.items()
    }


def plain(hint: str) -> str:
    """Return a type as the stub spells it: our classes without the package, Python's with their module."""
    hint = hint.replace("rushlight.", "")
    # PyO3's type of a vector; only sequences are taken.
    hint = hint.replace("_typeshed.SupportsGetItem[int, ", "collections.abc.Sequence[")
    hint = hint.replace("_typeshed.SupportsGetItem[builtins.int, ", "collections.abc.Sequence[")
    return re.sub(r"(?<![\w.])(tuple|list|dict|str|int|float|bool|complex)\b", r"builtins.\1", hint)


def doc(c: Chunk, indent: str) -> list[str]:
    """Return a docstring as lines."""
    lines = str(c.get("doc", "")).splitlines() or [""]
    inner = indent + "    "
    text = [f'{inner}"""{lines[0]}', *(inner + line if line else "" for line in lines[1:])]
    if len(text) == 1:
        return [text[0] + '"""']
    return [*text, inner + '"""']


def main() -> None:
    """Write the stub, or check it."""
    import rushlight._native as native

    target = Path(__file__).resolve().parents[2] / "python/rushlight/_native.pyi"
    text = Stub(chunks(Path(str(native.__file__))), written(native._signatures()), properties()).text()
    if sys.argv[1:] == ["--check"]:
        if not target.exists() or target.read_text() != text:
            raise SystemExit(f"stale: {target.name}; run python crates/rushlight-py/stubs.py")
    elif sys.argv[1:]:
        raise SystemExit("usage: stubs.py [--check]")
    else:
        target.write_text(text)


if __name__ == "__main__":
    main()
