"""A Wasserstein GAN with gradient penalty: the gradient of a gradient's norm."""

import numpy as np
import torch
import torch.nn as nn

from material import blobs, fill


def mlp(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, 24), nn.Softplus(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, outputs)
    )


def gradient_penalty(critic, real, fake, alpha):
    between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(between)
    (gradients,) = torch.autograd.grad(
        outputs=scores,
        inputs=between,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def main(device="cpu", steps=6):
    rng = np.random.default_rng(6)

    def draw(*shape):
        return torch.from_numpy(rng.normal(size=shape).astype(np.float32)).to(device)

    data = torch.from_numpy(blobs()).to(device)
    critic, generator = fill(mlp(2, 1), 1).to(device), fill(mlp(3, 2), 2).to(device)
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-2, betas=(0.0, 0.9))
    opt_g = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.0, 0.9))
    out = {"critic": [], "penalty": [], "generator": []}
    for step in range(steps):
        real = data[step % 4 * 32 : step % 4 * 32 + 32]
        alpha = torch.from_numpy(rng.uniform(size=(real.size(0), 1)).astype(np.float32)).to(device)
        fake = generator(draw(real.size(0), 3)).detach()
        penalty = gradient_penalty(critic, real, fake, alpha.expand_as(real))
        loss = critic(fake).mean() - critic(real).mean() + 10.0 * penalty
        opt_c.zero_grad()
        loss.backward()
        opt_c.step()
        out["critic"].append(loss.item())
        out["penalty"].append(penalty.item())
        value = -critic(generator(draw(32, 3))).mean()
        opt_g.zero_grad()
        value.backward()
        opt_g.step()
        out["generator"].append(value.item())
    return out


if __name__ == "__main__":
    print(main())
