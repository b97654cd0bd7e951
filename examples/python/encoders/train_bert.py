"""Trains a small BERT on text files, by default the documents of this project.

First it learns masked tokens (Devlin et al. 2018), then to give a heading and the text below it vectors in
the same direction (as Reimers and Gurevych 2019 do with pairs of sentences), for a search.
Writes a folder as model hubs have it. Needs the package `tokenizers`.

    python train_bert.py --out bert --device rocm:0
    python use_bert.py bert fill "A tensor has a shape and a [MASK]."
    python use_bert.py bert search "how do I save weights"
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bert import Bert, Config, mean_embeddings
from bert_gguf import save_gguf
from hub import save_folder
from wordpiece import CLS, MASK, SEP, SPECIAL, padded, train_tokenizer

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs"


def read_sections(paths: Sequence[Path]) -> list[tuple[str, str]]:
    """Read files, and the Markdown files below folders, as headings and the texts below them.

    Lines of tables and code are left out, and headings without a text.
    """
    files = [file for path in paths for file in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    found: list[tuple[str, list[str]]] = []
    for file in files:
        found.append((file.stem, []))
        code = False
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("```"):
                code = not code
            elif line.startswith("#") and not code:
                found.append((line.lstrip("# "), []))
            elif not code and not line.startswith("|"):
                found[-1][1].append(line)
    sections = [(heading, " ".join(lines).strip()) for heading, lines in found]
    sections = [(heading, text) for heading, text in sections if text]
    if not sections:
        raise SystemExit(f"no text in {', '.join(map(str, paths))}")
    return sections


def learner(model: nn.Module, lr: float, steps: int) -> Callable[[rl.Tensor], float]:
    """Return a function that learns from a loss by AdamW with a warmup and a cosine, and returns the loss."""
    decayed = [p for p in model.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if p.ndim != 2]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=lr)
    warmup = max(1, steps // 10)

    def factor(step: int) -> float:
        share = max(0.0, (step - warmup) / max(1, steps - warmup))
        return min(1.0, (step + 1) / warmup) * (0.05 + 0.475 * (1.0 + math.cos(math.pi * share)))

    schedule = optim.lr_scheduler.LambdaLR(optimizer, factor)

    def learn(loss: rl.Tensor) -> float:
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return float(loss.item())

    return learn


def mask_tokens(
    ids: rl.Tensor, vocab_size: int, generator: rl.Generator, share: float = 0.15
) -> tuple[rl.Tensor, rl.Tensor]:
    """Replace tokens of `ids`, `(B, L)` without padding. Return the new tokens and the positions `(B, k)`.

    Of each row `share` of the tokens are chosen, never the first and the last. Of these 80 % become `[MASK]`,
    10 % a random token, and 10 % stay.
    """
    batch, length = ids.shape
    count = max(1, round(share * (length - 2)))
    chosen = rl.argsort(rl.rand((batch, length - 2), generator=generator), dim=1)[:, :count] + 1
    draw = rl.rand((batch, count), generator=generator)
    other = rl.randint(len(SPECIAL), vocab_size, (batch, count), generator=generator)
    rows = rl.arange(batch)[:, None]
    new = ids.clone()
    new[rows, chosen] = rl.where(draw < 0.8, MASK, rl.where(draw < 0.9, other, ids[rows, chosen]))
    return new, chosen


def train_masked(
    model: Bert,
    tokens: rl.Tensor,
    steps: int,
    batch: int = 32,
    length: int = 64,
    lr: float = 1e-3,
    seed: int = 0,
    report_every: int = 50,
) -> list[float]:
    """Learn masked tokens of random pieces of `tokens`, a vector on the CPU. Return the losses.

    Random numbers are drawn on the CPU, so that a seed means the same pieces and masks on each device.
    """
    device = model.device
    generator = rl.Generator().manual_seed(seed)
    learn = learner(model, lr, steps)
    positions = rl.arange(length - 2)
    ends = [rl.full((batch, 1), token, dtype=rl.int64) for token in (CLS, SEP)]
    rows = rl.arange(batch)[:, None]
    losses, start = [], time.perf_counter()
    model.train()
    for step in range(steps):
        at = rl.randint(0, tokens.shape[0] - length + 3, (batch, 1), generator=generator)
        ids = rl.concat([ends[0], tokens[at + positions], ends[1]], 1)
        masked, chosen = mask_tokens(ids, model.config.vocab_size, generator)
        # Only these tokens are mapped to logits.
        hidden = model.bert(masked.to(device)).reshape(batch * length, -1)
        logits = model.logits(hidden[(rows * length + chosen).reshape(-1).to(device)])
        losses.append(learn(F.cross_entropy(logits, ids[rows, chosen].reshape(-1).to(device))))
        if report_every and (step % report_every == 0 or step == steps - 1):
            recent = sum(losses[-report_every:]) / len(losses[-report_every:])
            rate = (step + 1) / (time.perf_counter() - start)
            print(f"step {step:5}  loss of masked tokens {recent:.4f}  {rate:.1f} steps/s", flush=True)
    return losses


def pair_loss(model: Bert, left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> rl.Tensor:
    """Compute the cross-entropy with which each text on the left finds its partner among those on the right.

    The logits are 20 times the cosines of the angles between the mean vectors.
    """
    device = model.device
    found = []
    for texts in (left, right):
        ids, seen = padded(texts, device)
        found.append(mean_embeddings(model.bert(ids, seen), seen))
    return F.cross_entropy(20.0 * found[0] @ found[1].mT, rl.arange(len(left), device=device))


def train_pairs(
    model: Bert,
    sections: Sequence[tuple[Sequence[int], Sequence[int]]],
    steps: int,
    batch: int = 32,
    length: int = 64,
    lr: float = 5e-4,
    seed: int = 0,
    report_every: int = 50,
) -> list[float]:
    """Learn which heading belongs to a random piece of a text. Return the losses.

    The tokens of headings and texts are without `[CLS]` and `[SEP]`.
    """
    generator = rl.Generator().manual_seed(seed)
    learn = learner(model, lr, steps)
    batch, losses = min(batch, len(sections)), []
    model.train()
    for step in range(steps):
        chosen = rl.randperm(len(sections), generator=generator)[:batch].tolist()
        starts = rl.rand(batch, generator=generator).tolist()
        left, right = [], []
        for i, start in zip(chosen, starts, strict=True):
            heading, text = sections[i]
            first = int(start * max(1, len(text) - length + 3))
            left.append([CLS, *heading[: length - 2], SEP])
            right.append([CLS, *text[first : first + length - 2], SEP])
        losses.append(learn(pair_loss(model, left, right)))
        if report_every and (step % report_every == 0 or step == steps - 1):
            recent = sum(losses[-report_every:]) / len(losses[-report_every:])
            print(f"step {step:5}  loss of pairs {recent:.4f}", flush=True)
    return losses


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, default=[DOCUMENTS], help="files and folders")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--steps", type=int, default=900, help="steps with masked tokens")
    parser.add_argument("--pair-steps", type=int, default=150, help="steps with headings and texts")
    parser.add_argument("--batch", type=int, default=32, help="pieces of a step")
    parser.add_argument("--length", type=int, default=64, help="tokens of a piece")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vocab", type=int, default=2048, help="tokens of the vocabulary")
    parser.add_argument("--width", type=int, default=128, help="hidden size")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--context", type=int, default=128, help="positions of the model")
    parser.add_argument("--gguf", nargs="*", default=["Q8_0"], help="block types of the GGUF files")
    return parser.parse_args()


def main() -> None:
    """Train a tokenizer and a model, and write them."""
    args = arguments()
    rl.manual_seed(args.seed)
    sections = read_sections(args.texts)
    tokenizer = train_tokenizer([text for section in sections for text in section], args.vocab)

    def code(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    coded = [(code(heading), code(text)) for heading, text in sections]
    text = [token for section in coded for part in section for token in part]
    if len(text) < args.length or args.length > args.context:
        raise SystemExit(
            f"pieces of {args.length} tokens, of a text of {len(text)} and {args.context} positions"
        )
    config = Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=args.width,
        intermediate_size=4 * args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        max_position_embeddings=args.context,
    )
    model = Bert(config).to(args.device)
    count = sum(p.numel() for p in model.parameters())
    print(f"{len(text):,} tokens of {len(sections)} sections, {count:,} parameters, {args.device}")
    train_masked(model, rl.tensor(text), args.steps, args.batch, args.length, args.lr, args.seed)
    train_pairs(model, coded, args.pair_steps, args.batch, args.length, args.lr / 4, args.seed)
    files = {
        "tokenizer.json": json.loads(tokenizer.to_str()),
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": True,
            "model_max_length": args.context,
        },
    }
    save_folder(model, args.out, files)
    for kind in args.gguf:
        save_gguf(model, args.out / f"model-{kind}.gguf", tokenizer, kind)
    for file in sorted(args.out.iterdir()):
        print(f"{file.stat().st_size:>12,}  {file}")


if __name__ == "__main__":
    main()
