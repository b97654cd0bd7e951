"""Continues a text with a language model: a folder as on a model hub, or a GGUF file.

Needs the package `tokenizers`.

python generate.py model --prompt "The virtual GPU" --device rocm:0
python generate.py model/model-Q4K.gguf --temperature 0
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hub import build, load_folder, load_gguf
from llama import Cache, Llama
from tokenizers import Tokenizer

import rushlight as rl

DTYPES = {"float32": rl.float32, "float16": rl.float16, "bfloat16": rl.bfloat16}


class Sampler:
    """Draws a token from logits.

    Parameters
    ----------
    temperature
        Divides the logits; 0 takes the greatest one.
    top_k
        How many of the most probable tokens may be drawn; 0 for all.
    top_p
        The most probable tokens that together have this probability may be drawn.
    penalty
        Logits of tokens in the text are divided by it where positive, else multiplied (Keskar et al. 2019).
    seed
        The start of the random numbers.
    """

    def __init__(
        self,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        penalty: float = 1.0,
        seed: int = 0,
    ) -> None:
        fits = 1e-6 <= temperature < math.inf or temperature == 0.0, top_k >= 0, 0.0 < top_p <= 1.0
        if not (all(fits) and 0.0 < penalty < math.inf):
            raise ValueError(
                "temperature is 0 or at least 1e-6, top_k at least 0, top_p is in (0, 1], penalty above 0"
            )
        self.temperature, self.top_k, self.top_p, self.penalty = temperature, top_k, top_p, penalty
        self.generator = rl.Generator().manual_seed(seed)

    def probabilities(self, logits: rl.Tensor, text: Sequence[int]) -> rl.Tensor:
        """Compute the probabilities of the next token of a text from its logits, a vector."""
        if self.penalty != 1.0 and text:
            seen = rl.tensor(sorted(set(text)))
            old = logits[seen]
            logits = logits.clone()
            logits[seen] = rl.where(old > 0, old / self.penalty, old * self.penalty)
        if self.temperature == 0.0:
            return (rl.arange(logits.shape[0]) == logits.argmax()).to(rl.float32)
        # Sorted, so that both limits keep a first part.
        order = rl.argsort(logits, descending=True)
        p = rl.softmax(logits[order] / self.temperature, 0)
        keep = rl.cumsum(p, 0) - p < self.top_p
        if self.top_k:
            keep = keep & (rl.arange(p.shape[0]) < self.top_k)
        p = rl.where(keep, p, 0.0)
        found = rl.zeros_like(p)
        found[order] = p / p.sum()
        return found

    def __call__(self, logits: rl.Tensor, text: Sequence[int]) -> int:
        """Draw the next token of a text."""
        p = self.probabilities(logits.to("cpu").to(rl.float32), text)
        if self.temperature == 0.0:
            return int(p.argmax().item())
        return int(rl.multinomial(p, 1, generator=self.generator).item())


def generate(
    model: Llama, prompt: Sequence[int], count: int, sampler: Sampler, use_cache: bool = True
) -> Iterator[int]:
    """Yield up to `count` tokens that continue a prompt. The end of a text is the last one.

    Without a cache all tokens are computed again for each new one, with the same result.
    """
    device = model.model.cos.device
    text = list(prompt)
    room = model.config.max_position_embeddings - len(text)
    if room <= 0:
        context = model.config.max_position_embeddings
        raise ValueError(f"a prompt of {len(text)} tokens leaves no room in a context of {context}")
    count = min(count, room)
    cache = Cache(model, 1, len(text) + count) if use_cache else None
    new = text
    for _ in range(count):
        with rl.no_grad():
            logits = model(rl.tensor([new if use_cache else text]).to(device), cache)
        token = sampler(logits[0, -1], text)
        text.append(token)
        new = [token]
        yield token
        if token in model.config.ends:
            return


def texts(tokenizer: Tokenizer, tokens: Iterator[int], before: Sequence[int] = ()) -> Iterator[str]:
    """Yield the text of each token that follows those `before`. Bytes of a character wait for the rest of it.

    Some tokenizers drop the space before the first token that they decode, so the last ones are repeated.
    """
    held = list(before[-8:])
    known = len(held)
    for token in tokens:
        held.append(token)
        old, text = tokenizer.decode(held[:known]), tokenizer.decode(held)
        if len(text) > len(old) and not text.endswith("\ufffd"):
            yield text[len(old) :]
            held = held[known:]
            known = len(held)
    yield tokenizer.decode(held)[len(tokenizer.decode(held[:known])) :]


def show_progress(name: str, done: int, of: int) -> None:
    """Show on one line which tensor is loaded."""
    if sys.stderr.isatty():
        print(f"\r\x1b[Kloading {done}/{of} {name}", end="\n" if done == of else "", file=sys.stderr)


def load(path: Path, device: str, dtype: rl.DType = rl.float32) -> tuple[Llama, Tokenizer]:
    """Load a folder or a GGUF file."""
    config, weights, text = load_folder(path) if path.is_dir() else load_gguf(path)
    tokenizer = Tokenizer.from_str(text)
    tokens = tokenizer.get_vocab_size()
    if tokens > config.vocab_size:
        raise ValueError(f"{path}: a tokenizer of {tokens} tokens, but a model of {config.vocab_size}")
    return build(config, weights, device, dtype, show_progress), tokenizer


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("model", type=Path, help="a folder, or a GGUF file")
    parser.add_argument("--prompt", default="The virtual GPU", help="the text to continue")
    parser.add_argument("--count", type=int, default=100, help="the most tokens to generate")
    parser.add_argument("--device", default="cpu", help="cpu, rocm:0 or cuda:0")
    parser.add_argument("--dtype", default="float32", choices=DTYPES, help="of what is not quantized")
    parser.add_argument("--temperature", type=float, default=0.8, help="0 takes the most probable token")
    parser.add_argument("--top-k", type=int, default=40, help="0 for all tokens")
    parser.add_argument("--top-p", type=float, default=0.95, help="1 for all tokens")
    parser.add_argument("--penalty", type=float, default=1.1, help="against repetitions; 1 for none")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    parser.add_argument("--no-cache", action="store_true", help="compute all tokens again for each new one")
    args = parser.parse_args()
    if not args.model.exists():
        parser.error(f"{args.model}: no such folder or file")
    if args.count < 0 or args.seed < 0:
        parser.error("--count and --seed are at least 0")
    try:
        Sampler(args.temperature, args.top_k, args.top_p, args.penalty, args.seed)
    except ValueError as e:
        parser.error(str(e))
    return args


def main() -> None:
    """Load a model and print its text as it comes."""
    args = arguments()
    model, tokenizer = load(args.model, args.device, DTYPES[args.dtype])
    prompt = tokenizer.encode(args.prompt).ids
    if not prompt:
        if model.config.bos_token_id is None:
            raise SystemExit("an empty prompt, and the model has no token for the beginning of a text")
        prompt = [model.config.bos_token_id]
    if len(prompt) >= model.config.max_position_embeddings:
        context = model.config.max_position_embeddings
        raise SystemExit(f"a prompt of {len(prompt)} tokens leaves no room in a context of {context}")
    sampler = Sampler(args.temperature, args.top_k, args.top_p, args.penalty, args.seed)
    moments = [time.perf_counter()]

    def timed() -> Iterator[int]:
        for token in generate(model, prompt, args.count, sampler, not args.no_cache):
            moments.append(time.perf_counter())
            yield token

    # The prompt comes with the first token, after notes on kernels that are compiled.
    before = args.prompt
    for text in texts(tokenizer, timed(), prompt):
        print(before + text, end="", flush=True)
        before = ""
    print()
    if len(prompt) + len(moments) - 1 == model.config.max_position_embeddings:
        print(f"the context of {model.config.max_position_embeddings} tokens is full", file=sys.stderr)
    # The first token takes the whole prompt; the others are one step each.
    steps, first = len(moments) - 2, moments[min(1, len(moments) - 1)]
    rate = f", then {steps / (moments[-1] - first):.1f} tokens/s" if steps > 0 else ""
    print(f"prompt of {len(prompt)} tokens: {first - moments[0]:.3f} s{rate}", file=sys.stderr)


if __name__ == "__main__":
    main()
