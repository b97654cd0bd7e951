"""A character transformer: causal attention, training on a text, sampling with temperature and top-k."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from material import fill, text


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1 = nn.LayerNorm(width)
        self.attn = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.ln2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.attn(self.ln1(x)).split(c, dim=2)
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(b, t, c))
        return x + self.mlp(self.ln2(x))


class CharTransformer(nn.Module):
    def __init__(self, vocabulary, context=32, width=32, heads=4, layers=2):
        super().__init__()
        self.context = context
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("at", torch.arange(context))

    def forward(self, ids, targets=None):
        t = ids.size(1)
        x = self.tokens(ids) + self.positions(self.at[:t])
        logits = self.head(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))

    @torch.no_grad()
    def generate(self, ids, count, temperature=1.0, top_k=None):
        for _ in range(count):
            logits, _ = self(ids[:, -self.context :])
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                values, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < values[:, [-1]]] = -float("inf")
            probabilities = F.softmax(logits, dim=-1)
            following = torch.multinomial(probabilities, num_samples=1)
            ids = torch.cat((ids, following), dim=1)
        return ids


def main(device="cpu", steps=8):
    source = text(2000)
    characters = sorted(set(source))
    codes = {c: i for i, c in enumerate(characters)}
    data = torch.tensor([codes[c] for c in source], dtype=torch.long, device=device)
    model = fill(CharTransformer(len(characters))).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(steps):
        starts = [(97 * step + 41 * i) % 1900 for i in range(8)]
        x = torch.stack([data[i : i + 32] for i in starts])
        y = torch.stack([data[i + 1 : i + 33] for i in starts])
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    torch.manual_seed(0)
    model.eval()
    sampled = model.generate(data[:4].unsqueeze(0), 20, temperature=0.8, top_k=5)
    # With top_k=1 sampling is the greedy choice, which both libraries make alike.
    greedy = model.generate(data[:4].unsqueeze(0), 20, top_k=1)[0].tolist()
    assert sampled.shape == (1, 24)
    assert all(0 <= i < len(characters) for i in sampled[0].tolist())
    return {"losses": losses, "greedy": greedy}


if __name__ == "__main__":
    print(main())
