"""Trains on the virtual AMD GPU, and on the CPU from the same seed: the losses agree step by step.

Needs an AMD GPU, the package rushlight-vgpu, or RUSHLIGHT_ROCM_PATH with the folder that `make vgpu`
prints.
"""

from __future__ import annotations

import rushlight as rl
from rushlight import nn


def train(device: str) -> list[float]:
    """Train a small network on a parabola and return the losses."""
    rl.manual_seed(0)
    x = rl.linspace(-1.0, 1.0, 64).reshape(64, 1).to(device)
    y = x * x
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    optimizer = rl.optim.AdamW(model.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> None:
    """Train on both devices and compare."""
    if not rl.rocm.is_available():
        rl.testing.virtual_rocm("gfx1100")
    print(rl.rocm.device_name(0))
    gpu, cpu = train("rocm:0"), train("cpu")
    for step in (0, 20, 40, 59):
        print(f"step {step:2}  GPU {gpu[step]:.6f}  CPU {cpu[step]:.6f}")
    assert gpu[-1] < gpu[0] / 10
    assert all(abs(a - b) < 1e-4 for a, b in zip(gpu, cpu, strict=True))


if __name__ == "__main__":
    main()
