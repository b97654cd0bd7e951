"""Folders of model hubs: `config.json`, other JSON files, and the weights in safetensors files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bert
import vit

import resnet
import rushlight as rl
from rushlight.quantized import QTensor

Model = bert.Bert | vit.Vit | resnet.ResNet


def save_folder(model: Model, folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Write `config.json`, `model.safetensors`, and other JSON files.

    Entries for `config.json` in `files` are added to those of the model.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.keys() | dict(files.get("config.json", {}))
    for name, keys in (dict(files) | {"config.json": config}).items():
        (folder / name).write_text(json.dumps(keys, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    weights = {name: x.to("cpu") for name, x in model.state_dict().items()}
    # The index of an earlier model would be read instead of the file.
    (folder / "model.safetensors.index.json").unlink(missing_ok=True)
    # Hugging Face's reader asks for this entry.
    rl.save_file(weights, folder / "model.safetensors", {"format": "pt"})


def read_keys(folder: Path, name: str = "config.json") -> dict[str, Any]:
    """Read one of the JSON files; one that is missing has no entries."""
    path = folder / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def read_weights(folder: Path) -> dict[str, rl.Tensor]:
    """Read the weights from one file, or from those that an index lists."""
    shards = read_keys(folder, "model.safetensors.index.json").get("weight_map", {})
    weights: dict[str, rl.Tensor] = {}
    for file in sorted(set(shards.values())) or ["model.safetensors"]:
        # The files are mapped: their bytes are read when a tensor is used.
        weights |= rl.load_file(folder / file)
    return weights


def load(folder: Path, device: str = "cpu", dtype: rl.DType = rl.float32) -> Model:
    """Make the model that a folder describes, with its weights, for evaluation."""
    keys = read_keys(folder)
    if not keys:
        raise ValueError(f"{folder} has no config.json with entries")
    weights = read_weights(folder)
    model: Model
    if keys.get("model_type") == "bert":
        weights = bert.hub_weights(weights)
        head = any(name.startswith("cls.") for name in weights)
        model = bert.Bert(bert.Config.from_keys(keys), head)
    elif keys.get("model_type") == "vit":
        weights = vit.hub_weights(weights)
        model = vit.Vit(vit.Config.from_keys(keys))
    elif str(keys.get("architecture")).startswith("resnet"):
        model = resnet.ResNet(resnet.Config.from_keys(keys))
    else:
        found = keys.get("model_type", keys.get("architecture"))
        raise ValueError(f"{folder}: expected a model of the type bert or vit, or a ResNet, got {found!r}")
    set_weights(model, weights)
    return model.to(device).to(dtype).eval()


def check_weights(model: Model, weights: Mapping[str, rl.Tensor | QTensor]) -> None:
    """Raise an error that lists the weights whose names or shapes are not those of the model.

    A count of the batches that a batch norm has seen may be missing: it changes no result.
    """
    wanted = {name: tuple(x.shape) for name, x in model.state_dict().items()}
    given = {name: tuple(x.shape) for name, x in weights.items()}
    for name in [name for name in wanted if name.endswith(".num_batches_tracked") and name not in given]:
        del wanted[name]
    wrong = sorted(name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name))
    if wrong:
        none = "not there"
        texts = [f"{name} is {given.get(name, none)}, the model's {wanted.get(name, none)}" for name in wrong]
        raise ValueError("weights do not fit the sizes of the model: " + ", ".join(texts))


def set_weights(model: Model, weights: Mapping[str, rl.Tensor]) -> None:
    """Copy weights into a model. Names and shapes have to be those of the model."""
    check_weights(model, weights)
    model.load_state_dict(weights, strict=False)
