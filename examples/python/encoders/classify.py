"""Classifies images with a ViT or a ResNet: a folder as on a model hub.

python classify.py vit                                  # MNIST's held-out digits
python classify.py vit --images photos.safetensors --device rocm:0
"""

from __future__ import annotations

import argparse
from pathlib import Path

import hub
from bert import Bert
from images import Preprocessing, digits
from train_vision import ASSETS, accuracy, predict

import rushlight as rl
from rushlight.data import mnist_5k

DTYPES = {"float32": rl.float32, "float16": rl.float16, "bfloat16": rl.bfloat16}


def read_images(path: Path) -> rl.Tensor:
    """Read the tensor `pixels` of a safetensors file, uint8 `(n, C, H, W)`, as numbers in 0..1."""
    pixels = rl.load_file(path)["pixels"]
    if pixels.dtype != rl.uint8 or pixels.ndim != 4:
        raise SystemExit(f"{path}: pixels are {pixels.dtype} {pixels.shape}, not uint8 (n, C, H, W)")
    return pixels.to(rl.float32) / 255.0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path, help="a folder as on a model hub")
    parser.add_argument("--images", type=Path, help="a safetensors file with the tensor `pixels`")
    parser.add_argument("--data", type=Path, default=ASSETS, help="where `make data` put MNIST's digits")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--dtype", default="float32", choices=DTYPES)
    parser.add_argument("--count", type=int, default=5, help="classes to show of each image")
    parser.add_argument("--save-pixels", type=Path, help="write what the model takes, for examples/candle")
    return parser.parse_args()


def main() -> None:
    """Load a model and print the classes of images, or its accuracy on the digits."""
    args = arguments()
    model = hub.load(args.model, args.device, DTYPES[args.dtype])
    if isinstance(model, Bert):
        raise SystemExit(f"{args.model}: not a model of images")
    config = hub.read_keys(args.model)
    preprocessing = Preprocessing.from_files(config, hub.read_keys(args.model, "preprocessor_config.json"))
    test = None if args.images else mnist_5k(args.data).test
    images = digits(test) if test else read_images(args.images)
    if args.save_pixels:
        rl.save_file({"pixels": preprocessing(images)}, args.save_pixels)
    logits = predict(model, preprocessing, images)
    if test:
        print(f"{100 * accuracy(logits, test.labels):.1f} % of {len(test.labels):,} held-out digits")
        return
    names = config.get("id2label", {})
    values, classes = rl.topk(rl.softmax(logits, 1), min(args.count, logits.shape[1]))
    for row, p in zip(classes.tolist(), values.tolist(), strict=True):
        print("  ".join(f"{names.get(str(i), i)} {100 * q:.1f} %" for i, q in zip(row, p, strict=True)))


if __name__ == "__main__":
    main()
