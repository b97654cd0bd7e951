"""A WordPiece tokenizer as BERT has it, and batches of its tokens. Needs the package `tokenizers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import rushlight as rl

# Tokens 0 to 4, in the order of BERT's files.
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, _, CLS, SEP, MASK = range(5)


def bert_tokenizer(vocab: Mapping[str, int]) -> Tokenizer:
    """Make a WordPiece tokenizer with BERT's steps: lower case, no accents, words and punctuation."""
    tokenizer = Tokenizer(models.WordPiece(dict(vocab), unk_token="[UNK]"))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    ends = [(text, vocab[text]) for text in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return tokenizer


def train_tokenizer(texts: Sequence[str], vocab_size: int) -> Tokenizer:
    """Train a tokenizer with as many tokens, the special ones first."""
    tokenizer = bert_tokenizer({text: i for i, text in enumerate(SPECIAL)})
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def padded(texts: Sequence[Sequence[int]], device: str | rl.Device) -> tuple[rl.Tensor, rl.Tensor]:
    """Make tensors of the tokens of texts, and of where they have tokens."""
    lengths = [len(text) for text in texts]
    rows = [[*text, *[PAD] * (max(lengths) - len(text))] for text in texts]
    seen = rl.arange(max(lengths)) < rl.tensor(lengths)[:, None]
    return rl.tensor(rows).to(device), seen.to(device)
