"""Logistic regression by hand: one weight matrix, its gradient by autograd, steps without an optimizer."""

import torch

from material import iris


def main(device="cpu", steps=60):
    x, y = iris()
    x = torch.as_tensor(x, device=device)
    y = torch.as_tensor(y).to(device, non_blocking=True)
    w = torch.zeros(x.size(1), 3, device=device, requires_grad=True)
    b = torch.zeros(3, device=device, requires_grad=True)
    losses = []
    for _ in range(steps):
        logits = torch.addmm(b, x, w)
        loss = logits.logsumexp(dim=1).sub(logits.gather(1, y.unsqueeze(dim=1)).squeeze(1)).mean()
        loss = loss.add(w.pow(2).sum().mul(1e-3))
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p.sub_(p.grad, alpha=0.5)
                p.grad.zero_()
        losses.append(loss.item())
    predicted = torch.argmax(x.mm(w) + b, dim=1)
    accuracy = predicted.eq(y).float().mean().item()
    confusion = torch.bincount(y * 3 + predicted, minlength=9).view(3, 3)
    return {
        "losses": losses,
        "accuracy": [accuracy],
        "confusion": confusion.cpu().tolist(),
        "norm": [w.norm().item(), torch.norm(b).item()],
    }


if __name__ == "__main__":
    print(main())
