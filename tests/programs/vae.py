"""A variational autoencoder on handwritten digits."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from material import digits, fill


class VAE(nn.Module):
    def __init__(self, latent=4):
        super().__init__()
        self.fc1 = nn.Linear(784, 48)
        self.mu = nn.Linear(48, latent)
        self.logvar = nn.Linear(48, latent)
        self.fc3 = nn.Linear(latent, 48)
        self.fc4 = nn.Linear(48, 784)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.mu(h), self.logvar(h).clamp(min=-8, max=8)

    def reparameterize(self, mu, logvar, noise):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        eps.copy_(noise)
        return eps.mul(std).add_(mu)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x, noise):
        mu, logvar = self.encode(x.view(-1, 784))
        return self.decode(self.reparameterize(mu, logvar, noise)), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x.view(-1, 784), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld, kld


def main(device="cpu", steps=12):
    rng = np.random.default_rng(1)
    x = torch.from_numpy(digits(128)[0]).to(device)
    model = fill(VAE()).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95))
    losses, divergences = [], []
    for step in range(steps):
        batch = x[step % 4 * 32 : step % 4 * 32 + 32]
        noise = torch.from_numpy(rng.normal(size=(32, 4)).astype(np.float32)).to(device)
        recon, mu, logvar = model(batch, noise)
        loss, kld = loss_function(recon, batch, mu, logvar)
        optimizer.zero_grad()
        loss.div(batch.size(0)).backward()
        optimizer.step()
        losses.append(loss.item() / len(batch))
        divergences.append(kld.item())
    with torch.no_grad():
        z = torch.stack([torch.linspace(-1, 1, steps=5, device=device)] * 4, dim=1)
        images = model.decode(z).view(5, 28, 28)
        grid = torch.cat(torch.unbind(images, dim=0), dim=1)
    return {
        "losses": losses,
        "divergences": divergences,
        "rows": grid.sum(dim=1).cpu().tolist(),
        "shape": list(grid.shape),
    }


if __name__ == "__main__":
    print(main())
