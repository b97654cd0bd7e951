"""Write a Llama model with random weights, as a folder of a hub and as GGUF files, for benches/candle.

    python benches/candle/llama_files.py FOLDER

The sizes are those of a small model, so that all files together have a gigabyte.
"""

import argparse
import json
import sys
from pathlib import Path

import rushlight as rl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python" / "language_model"))

import hub
from llama import Config, Llama

KINDS = ("F32", "Q8_0", "Q4_0", "Q4K")
CONFIG = Config(
    vocab_size=32000,
    hidden_size=1024,
    intermediate_size=2816,
    num_hidden_layers=8,
    num_attention_heads=16,
    num_key_value_heads=16,
    max_position_embeddings=2048,
    rms_norm_eps=1e-5,
    rope_theta=10000.0,
    tie_word_embeddings=False,
    bos_token_id=0,
    eos_token_id=0,
)


def tokenizer() -> str:
    """Return a vocabulary of bytes and of texts that never occur. The benches give numbers of tokens."""
    printable = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    others = [b for b in range(256) if b not in printable]
    texts = ["<s>"] + [chr(b) for b in printable] + [chr(256 + i) for i in range(len(others))]
    texts += [f"word{i}" for i in range(CONFIG.vocab_size - len(texts))]
    start = {"id": 0, "content": "<s>", "special": True}
    vocabulary = {text: i for i, text in enumerate(texts)}
    return json.dumps({"model": {"vocab": vocabulary, "merges": [["a", "b"]]}, "added_tokens": [start]})


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rl.manual_seed(1)
    model = Llama(CONFIG).eval()
    text = tokenizer()
    hub.save_folder(model, folder / "f32", text)
    for kind in KINDS:
        hub.save_gguf(model, folder / f"model-{kind}.gguf", text, kind)


if __name__ == "__main__":
    main()
