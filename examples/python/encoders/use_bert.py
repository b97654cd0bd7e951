"""Uses a BERT: the most probable tokens for a mask, and a search for the sections of texts.

Needs the package `tokenizers`.

python use_bert.py bert fill "A tensor has a shape and a [MASK]."
python use_bert.py bert search "how do I save weights" --device rocm:0
python use_bert.py bert/model-Q8_0.gguf search "how do I save weights"
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import hub
from bert import Bert, mean_embeddings
from bert_gguf import load_gguf
from tokenizers import Tokenizer
from train_bert import DOCUMENTS, read_sections
from wordpiece import padded

import rushlight as rl

DTYPES = {"float32": rl.float32, "float16": rl.float16, "bfloat16": rl.bfloat16}


def load(path: Path, device: str = "cpu", dtype: rl.DType = rl.float32) -> tuple[Bert, Tokenizer]:
    """Load the model and the tokenizer of a folder, or of a GGUF file, which stays quantized.

    Texts are cut at the end of the model's positions.
    """
    if path.is_dir():
        if not (path / "tokenizer.json").exists():
            raise SystemExit(f"{path} has no tokenizer.json")
        model, tokenizer = hub.load(path, device, dtype), Tokenizer.from_file(str(path / "tokenizer.json"))
    else:
        if dtype != rl.float32:
            raise SystemExit(f"{path}: a GGUF file is computed in float32; --dtype is for folders")
        model, tokenizer = load_gguf(path, device)
    if not isinstance(model, Bert):
        raise SystemExit(f"{path}: not a BERT")
    tokenizer.no_padding()
    tokenizer.enable_truncation(model.config.max_position_embeddings)
    return model, tokenizer


def fill(model: Bert, tokenizer: Tokenizer, text: str, count: int = 5) -> list[list[tuple[str, float]]]:
    """Return the most probable tokens for each `[MASK]` of a text, with their probabilities."""
    ids = tokenizer.encode(text).ids
    mask = tokenizer.token_to_id("[MASK]")
    if mask not in ids:
        raise SystemExit(f"{text!r} has no [MASK] among the tokens that the model takes")
    device = model.device
    with rl.no_grad():
        hidden = model.bert(rl.tensor([ids]).to(device))[0]
        at = [i for i, token in enumerate(ids) if token == mask]
        found = rl.softmax(model.logits(hidden[at]).to(rl.float32), -1)
    values, tokens = rl.topk(found, count)
    return [
        [(str(tokenizer.id_to_token(token)), p) for token, p in zip(*row, strict=True)]
        for row in zip(tokens.tolist(), values.tolist(), strict=True)
    ]


def embed(model: Bert, tokenizer: Tokenizer, texts: Sequence[str], batch: int = 32) -> rl.Tensor:
    """Compute the mean vectors of texts, of length 1: `(len(texts), hidden_size)`, float32 on the CPU."""
    device, found = model.device, []
    for start in range(0, len(texts), batch):
        codes = [tokenizer.encode(text).ids for text in texts[start : start + batch]]
        ids, seen = padded(codes, device)
        with rl.no_grad():
            found.append(mean_embeddings(model.bert(ids, seen), seen).to("cpu").to(rl.float32))
    return rl.concat(found)


def search(
    model: Bert, tokenizer: Tokenizer, query: str, texts: Sequence[str], count: int = 5
) -> list[tuple[int, float]]:
    """Return the texts whose vectors have the greatest cosines with that of the query, and the cosines."""
    vectors = embed(model, tokenizer, [query, *texts])
    values, order = rl.topk(vectors[1:] @ vectors[0], min(count, len(texts)))
    return list(zip(order.tolist(), values.tolist(), strict=True))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path, help="a folder as on a model hub, or for a search a GGUF file")
    parser.add_argument("use", choices=["fill", "search"])
    parser.add_argument("text", help="with [MASK], or what to search for")
    parser.add_argument("--texts", nargs="*", type=Path, default=[DOCUMENTS], help="where to search")
    parser.add_argument("--count", type=int, default=5, help="results to show")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--dtype", default="float32", choices=DTYPES)
    return parser.parse_args()


def main() -> None:
    """Load a model and print what it finds."""
    args = arguments()
    model, tokenizer = load(args.model, args.device, DTYPES[args.dtype])
    if args.use == "fill":
        for guesses in fill(model, tokenizer, args.text, args.count):
            print("  ".join(f"{token} {100 * p:.1f} %" for token, p in guesses))
        return
    sections = read_sections(args.texts)
    texts = [f"{heading} {text}" for heading, text in sections]
    for i, cosine in search(model, tokenizer, args.text, texts, args.count):
        heading, text = sections[i]
        print(f"{cosine:.3f}  {heading}: {text[:80]}")


if __name__ == "__main__":
    main()
