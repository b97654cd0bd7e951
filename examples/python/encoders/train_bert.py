"""Trains a small BERT on text files, by default the documents of this project.

It learns masked tokens (Devlin et al. 2018), and in the last steps also to give a heading and the text below
it vectors in the same direction (as Reimers and Gurevych 2019 do with pairs of sentences), for a search.
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
from collections.abc import Sequence
from pathlib import Path

from bert import Bert, Config, mean_embeddings
from bert_gguf import FILE_TYPES, save_gguf
from hub import save_folder
from wordpiece import CLS, MASK, SEP, SPECIAL, padded, train_tokenizer

import rushlight as rl
from rushlight import functional as F
from rushlight import nn, optim

# More tokens are masked than the paper's 15 %, so that a small model learns sooner.
SHARE = 0.2
Section = tuple[Sequence[int], Sequence[int]]
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


def masked_loss(
    model: Bert, tokens: rl.Tensor, batch: int, length: int, generator: rl.Generator
) -> rl.Tensor:
    """Compute the cross-entropy of masked tokens in random pieces of `tokens`, a vector on the CPU."""
    at = rl.randint(0, tokens.shape[0] - length + 3, (batch, 1), generator=generator)
    first, last = (rl.full((batch, 1), token, dtype=rl.int64) for token in (CLS, SEP))
    ids = rl.concat([first, tokens[at + rl.arange(length - 2)], last], 1)
    masked, chosen = mask_tokens(ids, model.config.vocab_size, generator, SHARE)
    rows = rl.arange(batch)[:, None]
    # Only the chosen tokens are mapped to logits.
    hidden = model.bert(masked.to(model.device)).reshape(batch * length, -1)
    logits = model.logits(hidden[(rows * length + chosen).reshape(-1).to(model.device)])
    return F.cross_entropy(logits, ids[rows, chosen].reshape(-1).to(model.device))


def pair_loss(
    model: Bert, sections: Sequence[Section], batch: int, length: int, generator: rl.Generator
) -> rl.Tensor:
    """Compute the cross-entropy with which each heading finds its text among the random ones of a batch.

    Sections have the tokens of a heading and of a text, without `[CLS]` and `[SEP]`; of a text a random piece
    is taken. The logits are 20 times the cosines of the angles between the mean vectors.
    """
    batch = min(batch, len(sections))
    chosen = rl.randperm(len(sections), generator=generator)[:batch].tolist()
    starts = rl.rand(batch, generator=generator).tolist()
    left, right = [], []
    for i, start in zip(chosen, starts, strict=True):
        heading, text = sections[i]
        first = int(start * max(1, len(text) - length + 3))
        left.append([CLS, *heading[: length - 2], SEP])
        right.append([CLS, *text[first : first + length - 2], SEP])
    found = []
    for texts in (left, right):
        ids, seen = padded(texts, model.device)
        found.append(mean_embeddings(model.bert(ids, seen), seen))
    return F.cross_entropy(20.0 * found[0] @ found[1].mT, rl.arange(batch, device=model.device))


def train(
    model: Bert,
    tokens: rl.Tensor,
    sections: Sequence[Section],
    steps: int,
    pair_steps: int,
    batch: int = 16,
    length: int = 64,
    lr: float = 1e-3,
    seed: int = 0,
    report_every: int = 100,
) -> tuple[list[float], list[float]]:
    """Learn masked tokens, and in the last `pair_steps` steps also pairs. Return the losses of both.

    Before these steps there are twice as many pieces of half the length, as the paper begins with short ones.
    Random numbers are drawn on the CPU, so that a seed means the same pieces and masks on each device.
    """
    decayed = [p for p in model.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if p.ndim != 2]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = optim.AdamW(groups, lr=lr)
    warmup = max(1, steps // 10)

    def factor(step: int) -> float:
        """Rise over the first steps, then fall to a twentieth along a cosine."""
        share = max(0.0, (step - warmup) / max(1, steps - warmup))
        return min(1.0, (step + 1) / warmup) * (0.05 + 0.475 * (1.0 + math.cos(math.pi * share)))

    schedule = optim.lr_scheduler.LambdaLR(optimizer, factor)
    generator = rl.Generator().manual_seed(seed)
    masked: list[float] = []
    pairs: list[float] = []
    start = time.perf_counter()
    model.train()
    for step in range(steps):
        long = step >= steps - pair_steps
        size = (batch, length) if long else (2 * batch, length // 2)
        loss = masked_loss(model, tokens, *size, generator)
        masked.append(loss.item())
        if long:
            added = pair_loss(model, sections, 2 * batch, length, generator)
            pairs.append(added.item())
            loss = loss + added
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if report_every and ((step + 1) % report_every == 0 or step == steps - 1):
            recent = [sum(x[-report_every:]) / len(x[-report_every:]) for x in (masked, pairs) if x]
            rate = (step + 1) / (time.perf_counter() - start)
            text = "  ".join(f"{x:.4f}" for x in recent)
            print(
                f"step {step + 1:5}  losses of masked tokens and pairs {text}  {rate:.1f} steps/s", flush=True
            )
    return masked, pairs


def ranks(model: Bert, sections: Sequence[Section], length: int) -> list[int]:
    """Return how many texts are closer to each heading than its own, by the first `length` tokens of each."""
    found = []
    model.eval()
    for part in range(2):
        ids, seen = padded([[CLS, *section[part][: length - 2], SEP] for section in sections], model.device)
        with rl.no_grad():
            found.append(mean_embeddings(model.bert(ids, seen), seen))
    cosines = found[0] @ found[1].mT
    closer = cosines > rl.diagonal(cosines)[:, None]
    return [int(count) for count in closer.sum(1).tolist()]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, default=[DOCUMENTS], help="files and folders")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--pair-steps", type=int, default=600, help="the last steps, with headings and texts")
    parser.add_argument("--batch", type=int, default=16, help="pieces of a step")
    parser.add_argument("--length", type=int, default=64, help="tokens of a piece")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vocab", type=int, default=1024, help="tokens of the vocabulary")
    parser.add_argument("--width", type=int, default=128, help="hidden size")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--context", type=int, default=64, help="positions of the model")
    parser.add_argument(
        "--gguf", nargs="*", default=["Q8_0"], choices=FILE_TYPES, help="block types of the GGUF files"
    )
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
        # Small models learn sooner from larger weights than the paper's.
        initializer_range=0.05,
    )
    model = Bert(config).to(args.device)
    count = sum(p.numel() for p in model.parameters())
    print(f"{len(text):,} tokens of {len(sections)} sections, {count:,} parameters, {args.device}")
    sizes = (args.steps, args.pair_steps, args.batch, args.length)
    train(model, rl.tensor(text), coded, *sizes, args.lr, args.seed)
    found = ranks(model, coded, args.length)
    first, five = (100 * sum(rank < count for rank in found) / len(found) for count in (1, 5))
    print(f"of {len(found)} headings {first:.0f} % find their text first, {five:.0f} % among five")
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
