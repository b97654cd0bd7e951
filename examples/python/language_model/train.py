"""Trains a small language model on text files, by default the documents of this project.

Writes a folder as model hubs have it (config.json, tokenizer.json, model.safetensors) and GGUF files.
Needs the package `tokenizers`.

    python train.py --out model --device rocm:0
    python generate.py model --prompt "The virtual GPU"
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

from hub import FILE_TYPES, save_folder, save_gguf
from llama import Config, Llama
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs"
END = "<|endoftext|>"


def read(paths: Sequence[Path]) -> list[str]:
    """Read files, and the Markdown files below folders. Lines of tables are left out."""
    files = [file for path in paths for file in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    if not files:
        raise SystemExit(f"no text in {', '.join(map(str, paths))}")
    texts = [file.read_text(encoding="utf-8").splitlines(keepends=True) for file in files]
    return ["".join(line for line in lines if not line.startswith("|")) for lines in texts]


def train_tokenizer(texts: Sequence[str], vocab_size: int) -> Tokenizer:
    """Train a byte-level BPE tokenizer: 256 bytes, merges of them, and the end of a text as token 0."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def train(
    model: Llama,
    tokens: rl.Tensor,
    steps: int,
    batch: int = 8,
    length: int = 128,
    lr: float = 2e-3,
    seed: int = 0,
    report_every: int = 20,
) -> list[float]:
    """Train on random pieces of `tokens`, a vector on the device of the model. Return the losses."""
    decayed = [p for p in model.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if p.ndim != 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))
    warmup = max(1, steps // 20)

    def factor(step: int) -> float:
        """Rise over the first steps, then fall to a tenth along a cosine."""
        share = max(0.0, (step - warmup) / max(1, steps - warmup))
        return min(1.0, (step + 1) / warmup) * (0.1 + 0.45 * (1.0 + math.cos(math.pi * share)))

    schedule = optim.lr_scheduler.LambdaLR(optimizer, factor)
    # The offsets are drawn on the CPU, so that a seed means the same pieces on each device.
    generator = rl.Generator().manual_seed(seed)
    positions = rl.arange(length + 1, device=tokens.device)
    losses, seen, start = [], 0, time.perf_counter()
    for step in range(steps):
        at = rl.randint(0, tokens.shape[0] - length, (batch, 1), generator=generator)
        pieces = tokens[at.to(tokens.device) + positions]
        logits = model(pieces[:, :-1])
        loss = F.cross_entropy(logits.reshape(batch * length, -1), pieces[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        seen += batch * length
        if report_every and (step % report_every == 0 or step == steps - 1):
            rate = seen / (time.perf_counter() - start)
            print(f"step {step:5}  loss {losses[-1]:.4f}  {rate:,.0f} tokens/s", flush=True)
    return losses


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, default=[DOCUMENTS], help="files and folders")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=8, help="pieces of a step")
    parser.add_argument("--length", type=int, default=128, help="tokens of a piece")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vocab", type=int, default=1024, help="tokens of the vocabulary, at least 257")
    parser.add_argument("--width", type=int, default=256, help="hidden size; for Q4K a multiple of 256")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--kv-heads", type=int, default=2)
    parser.add_argument("--context", type=int, default=512, help="positions of the model")
    parser.add_argument("--untied", action="store_true", help="a separate head, not the table of tokens")
    parser.add_argument(
        "--gguf", nargs="*", default=["Q8_0", "Q4K"], choices=FILE_TYPES, help="block types of the GGUF files"
    )
    parser.add_argument("--shard-bytes", type=int, help="the most bytes of a safetensors file")
    args = parser.parse_args()
    if args.vocab < 257:
        parser.error(f"--vocab {args.vocab}: 256 bytes and the end of a text take 257 tokens")
    for name in ("steps", "batch", "length", "width", "layers", "heads", "kv_heads", "context"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} {getattr(args, name)}: expected at least 1")
    if args.length > args.context:
        parser.error(f"--length {args.length} is more than --context {args.context}")
    if args.width % (2 * args.heads):
        parser.error(f"--width {args.width}: expected a multiple of twice --heads, {2 * args.heads}")
    if args.heads % args.kv_heads:
        parser.error(f"--heads {args.heads}: expected a multiple of --kv-heads, {args.kv_heads}")
    # A folder that cannot be written is found out before the training.
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def main() -> None:
    """Train a tokenizer and a model, and write them."""
    args = arguments()
    rl.manual_seed(args.seed)
    texts = read(args.texts)
    tokenizer = train_tokenizer(texts, args.vocab)
    text = [i for part in texts for i in [*tokenizer.encode(part).ids, tokenizer.token_to_id(END)]]
    if len(text) <= args.length:
        raise SystemExit(f"{len(text)} tokens are too few for pieces of {args.length}")
    config = Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=args.width,
        intermediate_size=2 * args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        num_key_value_heads=args.kv_heads,
        max_position_embeddings=args.context,
        tie_word_embeddings=not args.untied,
    )
    model = Llama(config).to(args.device)
    count = sum(p.numel() for p in model.parameters())
    print(f"{len(text):,} tokens of {len(texts)} texts, {count:,} parameters, {args.device}")
    tokens = rl.tensor(text).to(args.device)
    train(model, tokens, args.steps, args.batch, args.length, args.lr, args.seed)
    save_folder(model, args.out, tokenizer.to_str(), args.shard_bytes)
    for kind in args.gguf:
        save_gguf(model, args.out / f"model-{kind}.gguf", tokenizer.to_str(), kind)
    for file in sorted(args.out.iterdir()):
        print(f"{file.stat().st_size:>12,}  {file}")


if __name__ == "__main__":
    main()
