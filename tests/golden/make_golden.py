"""Make the golden files: results and gradients of PyTorch on a CPU. See README.md.

python make_golden.py                     every family and the MNIST losses
python make_golden.py conv loss           these families only
python make_golden.py --check             compare with the files instead of writing them
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

# The plainest code paths of PyTorch and MKL, so that every x86-64 CPU gives the same bits.
os.environ["ATEN_CPU_CAPABILITY"] = "default"
os.environ["MKL_CBWR"] = "COMPATIBLE"

import numpy as np
import numpy.typing as npt

import attention_cases
import golden_cases
import layer_cases
import mnist_data
import network_cases
import recurrent_cases
import sampling_cases
import training_cases
from torch_calls import function, functional, rounded, tensor, torch

Array: TypeAlias = npt.NDArray[Any]
Json: TypeAlias = dict[str, Any]

SEED = 20260101
FAMILIES = {
    **golden_cases.FAMILIES,
    **network_cases.FAMILIES,
    **layer_cases.FAMILIES,
    **attention_cases.FAMILIES,
    **recurrent_cases.FAMILIES,
    **sampling_cases.FAMILIES,
    **training_cases.FAMILIES,
}
FOLDER = Path(__file__).resolve().parent
MNIST = FOLDER.parents[1] / ".cache" / "assets"
SHORT = {
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float16": "f16",
    "int64": "i64",
    "uint8": "u8",
}


class Book:
    """The cases of one family."""

    def __init__(self, family: str) -> None:
        self.family = family
        self.arrays: dict[str, Array] = {"meta": np.array(json.dumps(header(family)))}
        self.cases: list[Json] = []

    def case(
        self,
        op: str,
        variant: str,
        inputs: dict[str, golden_cases.Recipe],
        *,
        dtypes: Sequence[str] = golden_cases.FLOATS,
        grad: bool = True,
        permuted: dict[str, list[int]] | None = None,
        tags: Sequence[str] = (),
        constants: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """Draw the inputs once, then call the op in each dtype. `constants` get no gradient."""
        stem = f"{op}_{variant}" if variant else op
        seed = zlib.crc32(f"{self.family}/{stem}".encode()) ^ SEED
        for dtype in dtypes:
            rng = np.random.default_rng(seed)
            drawn = {arg: rounded(recipe(rng)) for arg, recipe in inputs.items()}
            name = f"{stem}_{SHORT[dtype]}"
            entry: Json = {"name": name, "op": op, "dtype": dtype, "seed": seed, "kwargs": kwargs}
            tensors = {arg: tensor(x, dtype, (permuted or {}).get(arg)) for arg, x in drawn.items()}
            entry["inputs"] = {
                arg: self._put(name, f"in{i}", x) for i, (arg, x) in enumerate(tensors.items())
            }
            if grad:
                for arg, x in tensors.items():
                    x.requires_grad_(x.is_floating_point() and arg not in constants)
            answer = function(op)(**tensors, **kwargs)
            outputs = list(answer) if isinstance(answer, tuple) else [answer]
            entry["outputs"] = [self._put(name, f"out{i}", x) for i, x in enumerate(outputs)]
            entry["grads"], entry["cotangent"] = [None] * len(tensors), None
            if outputs[0].requires_grad:
                cotangent = tensor(rounded(rng.normal(size=tuple(outputs[0].shape))), dtype)
                leaves = {arg: x for arg, x in tensors.items() if x.requires_grad}
                found = torch.autograd.grad(outputs[0], list(leaves.values()), cotangent)
                by_arg = dict(zip(leaves, found, strict=True))
                entry["cotangent"] = self._put(name, "cot0", cotangent)
                entry["grads"] = [
                    self._put(name, f"grad{i}", by_arg[arg]) if arg in by_arg else None
                    for i, arg in enumerate(tensors)
                ]
            if permuted:
                entry["permuted"] = permuted
            if tags:
                entry["tags"] = list(tags)
            self.cases.append(entry)

    def _put(self, case: str, what: str, value: Any) -> str:
        """Store a tensor under `<case>/<what>`; half precision is stored as float32."""
        if value.dtype in (torch.bfloat16, torch.float16):
            value = value.float()
        key = f"{case}/{what}"
        assert key not in self.arrays, f"two cases are called {case}"
        self.arrays[key] = np.array(value.detach().numpy(), order="C")
        return key


def mnist_losses(source: Path) -> tuple[Json, dict[str, Array]]:
    """The losses of the first training steps on MNIST, in float32 and again in float64."""

    def forward(model: str, p: dict[str, Any], x: Any) -> Any:
        if model == "mlp":
            hidden = functional.linear(x, p["fc1.weight"], p["fc1.bias"]).relu()
            return functional.linear(hidden, p["fc2.weight"], p["fc2.bias"])
        x = x.reshape(-1, 1, 28, 28)
        for layer in ("conv1", "conv2"):
            x = functional.conv2d(x, p[f"{layer}.weight"], p[f"{layer}.bias"], padding=1)
            x = functional.max_pool2d(x.relu(), 2)
        return functional.linear(x.flatten(1), p["fc.weight"], p["fc.bias"])

    runs: list[tuple[str, str, str, Json]] = [
        ("mlp_sgd", "mlp", "SGD", {"lr": 0.1, "momentum": 0.9}),
        ("mlp_adam", "mlp", "Adam", {"lr": 0.001}),
        ("cnn_adamw", "cnn", "AdamW", {"lr": 0.001}),
    ]
    data = mnist_data.batches(source)
    info = header("mnist_losses")
    info["first_batch_sha256"] = mnist_data.checksum(*data[0])
    info["batches_sha256"] = mnist_data.checksum(*(part for batch in data for part in batch))
    info["weights_sha256"] = {
        model: mnist_data.checksum(*mnist_data.weights(model).values()) for model in mnist_data.MODELS
    }
    info["runs"] = {}
    arrays: dict[str, Array] = {"meta": np.array(json.dumps(header("mnist_losses")))}
    for name, model, optimizer, kwargs in runs:
        entry: Json = {"model": model, "optimizer": optimizer, "kwargs": kwargs, "dtype": "float32"}
        for dtype in (torch.float32, torch.float64):
            params = {
                key: torch.from_numpy(value).to(dtype).requires_grad_()
                for key, value in mnist_data.weights(model).items()
            }
            stepper = getattr(torch.optim, optimizer)(params.values(), foreach=False, **kwargs)
            losses: list[float] = []
            for x, y in data:
                stepper.zero_grad()
                logits = forward(model, params, torch.from_numpy(x).to(dtype))
                value = functional.cross_entropy(logits, torch.from_numpy(y))
                value.backward()
                if not losses and dtype == torch.float32:
                    arrays[f"{name}/logits0"] = logits.detach().numpy().copy()
                    for key, param in params.items():
                        arrays[f"{name}/grad_norm0/{key}"] = param.grad.norm().numpy().copy()
                losses.append(float(value.item()))
                stepper.step()
            suffix = "" if dtype == torch.float32 else "_f64"
            entry[f"losses{suffix}"] = losses
            stored = np.float32 if dtype == torch.float32 else np.float64
            arrays[f"{name}/losses{suffix}"] = np.array(losses, dtype=stored)
        info["runs"][name] = entry
    return info, arrays


def header(family: str) -> Json:
    version = torch.__version__.split("+")[0]
    return {"format": 1, "family": family, "torch": version, "seed": SEED}


def npz_bytes(arrays: dict[str, Array]) -> bytes:
    """Return the bytes that np.savez_compressed would write, but the same ones each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for key, value in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, value, allow_pickle=False)
            info = zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, member.getvalue())
    return packed.getvalue()


def json_bytes(info: Json) -> bytes:
    """Return JSON with one line per case, so that a diff shows the changed cases."""
    cases = info.get("cases")
    if cases is None:
        return (json.dumps(info, indent=1) + "\n").encode()
    head = json.dumps({key: value for key, value in info.items() if key != "cases"})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    return f'{head[:-1]}, "cases": [\n{lines}\n]}}\n'.encode()


def compare(name: str, info: Json, arrays: dict[str, Array]) -> list[str]:
    """Return how the committed files differ from the arrays computed now."""
    paths = FOLDER / f"{name}.json", FOLDER / f"{name}.npz"
    if not all(path.exists() for path in paths):
        return [f"{name}: not there"]
    found = []
    if paths[0].read_bytes() != json_bytes(info):
        found.append(f"{name}.json: differs")
    with np.load(paths[1], allow_pickle=False) as old:
        if list(old) != list(arrays):
            found.append(f"{name}.npz: other arrays")
        for key in set(old) & set(arrays):
            was, now = np.asarray(old[key]), arrays[key]
            if was.dtype != now.dtype or was.tobytes() != now.tobytes():
                found.append(f"{name}.npz: {key} differs")
    return sorted(found)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the golden files from PyTorch on a CPU.")
    names = [*FAMILIES, "mnist_losses"]
    parser.add_argument("family", nargs="*", help=f"default: all of {', '.join(names)}")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--mnist", type=Path, default=MNIST, help="mnist_5k.csv.gz, wheel or folder")
    args = parser.parse_args(argv)
    wanted = args.family or names
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"no such family: {', '.join(unknown)}")
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    differences: list[str] = []
    for name in wanted:
        if name == "mnist_losses":
            info, arrays = mnist_losses(args.mnist)
        else:
            book = Book(name)
            FAMILIES[name](book)
            info, arrays = {**header(name), "cases": book.cases}, book.arrays
        if args.check:
            differences += compare(name, info, arrays)
            continue
        for suffix, data in [("npz", npz_bytes(arrays)), ("json", json_bytes(info))]:
            (FOLDER / f"{name}.{suffix}").write_bytes(data)
            print(f"{name}.{suffix}: {len(data):,} bytes")
    for line in differences:
        print(line)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
