"""Proximal policy optimization of a cart that is pushed to the middle of a track."""

import copy

import numpy as np
import torch
import torch.backends.cudnn as cudnn
from torch import nn
from torch.distributions import Categorical, Independent, Normal, kl_divergence
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from material import fill

cudnn.benchmark = True
cudnn.deterministic = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.set_float32_matmul_precision("high")


class ActorCritic(nn.Module):
    def __init__(self, size=2, hidden=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.gear = nn.Linear(hidden, 3)
        self.push = nn.Linear(hidden, 1)
        self.log_std = nn.Parameter(torch.zeros(1))
        self.value = nn.Linear(hidden, 1)

    def forward(self, x):
        h = checkpoint(self.body, x, use_reentrant=False)
        push = Normal(self.push(h), self.log_std.exp().expand_as(self.push(h)))
        return Categorical(logits=self.gear(h)), Independent(push, 1), self.value(h).squeeze(-1)


def advantages(rewards, values, gamma=0.95, lam=0.9):
    out, last = torch.zeros_like(rewards), 0.0
    for t in reversed(range(rewards.shape[0] - 1)):
        delta = rewards[t] + gamma * values[t + 1] - values[t]
        out[t] = last = delta + gamma * lam * last
    return out


def main(device="cpu", steps=4):
    rng = np.random.default_rng(5)
    model = fill(ActorCritic()).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, eps=1e-5)
    losses, entropies, divergences = [], [], []
    for _ in range(steps):
        old = copy.deepcopy(model)
        state, states, gears, pushes = np.array([1.0, 0.0]), [], [], []
        for _ in range(33):
            states.append(state.copy())
            gear, push = int(rng.integers(3)), float(np.clip(rng.normal(), -2, 2))
            gears.append(gear)
            pushes.append([push])
            state = np.array([state[0] + 0.1 * state[1], 0.9 * state[1] + 0.1 * (gear + 1) * push])
        x = torch.tensor(np.array(states), dtype=torch.float32, device=device)
        gear = torch.LongTensor(gears).to(device, non_blocking=True)
        push = torch.FloatTensor(pushes).to(device, non_blocking=True)
        with torch.no_grad():
            picks, pushed, values = old(x)
            before = picks.log_prob(gear) + pushed.log_prob(push)
            gain = advantages(-x[:, 0].abs(), values)
            returns = gain + values
            gain = (gain - gain.mean()) / (gain.std(correction=1) + 1e-8)
        data = TensorDataset(x[:-1], gear[:-1], push[:-1], before[:-1], gain[:-1], returns[:-1])
        for bx, bg, bp, bl, ba, br in DataLoader(data, batch_size=16):
            with torch.autocast(torch.device(device).type, enabled=False):
                picks, pushed, value = model(bx)
                ratio = (picks.log_prob(bg) + pushed.log_prob(bp) - bl).exp()
                clipped = torch.clamp(ratio, 0.8, 1.2) * ba
                entropy = picks.entropy().mean() + pushed.entropy().mean()
                loss = -torch.min(ratio * ba, clipped).mean() + 0.5 * nn.functional.mse_loss(value, br)
                loss = loss - 0.01 * entropy
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
            entropies.append(entropy.item())
        with torch.no_grad():
            picks, pushed, _ = model(x)
            old_picks, old_pushed, _ = old(x)
            kl = kl_divergence(old_picks, picks) + kl_divergence(old_pushed, pushed)
            divergences.append(kl.mean().item())
    return {
        "losses": losses,
        "entropies": entropies,
        "divergences": divergences,
        "greedy": picks.probs.argmax(-1).tolist(),
        "elements": x.shape.numel(),
    }
