"""Writes a language model of a folder, as on a model hub, as GGUF files with quantized matrices.

Needs the package `tokenizers`.

python quantize.py model --gguf Q4K Q8_0
python quantize.py model --gguf Q4_0 --out files
"""

from __future__ import annotations

import argparse
from pathlib import Path

from generate import load
from hub import FILE_TYPES, save_gguf


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path, help="a folder with config.json, tokenizer.json and safetensors")
    parser.add_argument(
        "--gguf", nargs="+", default=["Q8_0"], choices=FILE_TYPES, help="block types; a file each"
    )
    parser.add_argument("--out", type=Path, help="where to write; the model's folder if it is not given")
    args = parser.parse_args()
    if not args.model.is_dir():
        parser.error(f"{args.model}: expected a folder")
    return args


def main() -> None:
    """Load a model and write its files."""
    args = arguments()
    model, tokenizer = load(args.model, "cpu")
    out = args.out or args.model
    out.mkdir(parents=True, exist_ok=True)
    for kind in args.gguf:
        file = out / f"model-{kind}.gguf"
        save_gguf(model, file, tokenizer.to_str(), kind)
        print(f"{file.stat().st_size:>12,}  {file}")


if __name__ == "__main__":
    main()
