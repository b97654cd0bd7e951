"""Fits a line to noisy points by gradient descent: tensors, autograd, a layer, a loss and an optimizer."""

from __future__ import annotations

import rushlight as rl
from rushlight import nn


def main() -> None:
    """Fit the line and check its slope and offset."""
    rl.manual_seed(0)
    x = rl.linspace(-1.0, 1.0, 200).reshape(200, 1)
    y = 3.0 * x - 0.5 + 0.05 * rl.randn(200, 1)

    model = nn.Linear(1, 1)
    loss_of = nn.MSELoss()
    optimizer = rl.optim.SGD(model.parameters(), lr=0.2)
    for step in range(101):
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step:3}  loss {loss.item():.5f}")

    slope, offset = model.weight.item(), model.bias.item()
    print(f"y = {slope:.2f} * x + {offset:.2f}")
    assert abs(slope - 3.0) < 0.05
    assert abs(offset + 0.5) < 0.05


if __name__ == "__main__":
    main()
