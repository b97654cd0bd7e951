"""Training that is interrupted, saved and resumed: an unbroken run gives the same numbers."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from material import digits, fill


def build(device):
    model = nn.Sequential(
        nn.Conv2d(1, 4, 5, stride=3),
        nn.BatchNorm2d(4),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(4 * 8 * 8, 10),
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, amsgrad=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=20)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, x, y, first, last):
    losses = []
    for step in range(first, last):
        at = slice(step % 4 * 16, step % 4 * 16 + 16)
        loss = F.cross_entropy(model(x[at]), y[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def main(device="cpu", steps=6):
    x, y = digits(64)
    x, y = torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)
    model, optimizer, scheduler = build(device)
    fill(model)
    half = steps // 2
    losses = train(model, optimizer, scheduler, x, y, 0, half)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")
        torch.save(
            {
                "epoch": half,
                "model_state_dict": model.state_dict(),
                "optimizer_state_dict": optimizer.state_dict(),
                "scheduler_state_dict": scheduler.state_dict(),
                "rng": torch.get_rng_state(),
                "losses": losses,
            },
            path,
        )
        unbroken = train(model, optimizer, scheduler, x, y, half, steps)
        torch.manual_seed(99)
        model, optimizer, scheduler = build(device)
        saved = torch.load(path, map_location=device, weights_only=True)
    model.load_state_dict(saved["model_state_dict"])
    optimizer.load_state_dict(saved["optimizer_state_dict"])
    scheduler.load_state_dict(saved["scheduler_state_dict"])
    torch.set_rng_state(saved["rng"].cpu())
    resumed = train(model, optimizer, scheduler, x, y, saved["epoch"], steps)
    assert resumed == unbroken, "the resumed run has the bits of the unbroken one"
    return {"losses": saved["losses"] + resumed, "lr": [optimizer.param_groups[0]["lr"]]}


if __name__ == "__main__":
    print(main())
