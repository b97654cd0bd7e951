"""A DCGAN on handwritten digits: transposed convolutions, two optimizers, labels by `fill_`."""

import numpy as np
import torch
import torch.nn as nn

from material import digits, fill


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


def generator(nz=8, ngf=4):
    return nn.Sequential(
        nn.ConvTranspose2d(nz, ngf * 2, 7, 1, 0, bias=False),
        nn.BatchNorm2d(ngf * 2),
        nn.ReLU(True),
        nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
        nn.BatchNorm2d(ngf),
        nn.ReLU(True),
        nn.ConvTranspose2d(ngf, 1, 4, 2, 1, bias=False),
        nn.Tanh(),
    )


def discriminator(ndf=4):
    return nn.Sequential(
        nn.Conv2d(1, ndf, 4, 2, 1, bias=False),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
        nn.BatchNorm2d(ndf * 2),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(ndf * 2, 1, 7, 1, 0, bias=False),
        nn.Sigmoid(),
    )


def main(device="cpu", steps=5):
    rng = np.random.default_rng(2)
    images = torch.from_numpy(digits(32)[0]).to(device).mul(2).sub_(1)
    g, d = generator().to(device), discriminator().to(device)
    g.apply(weights_init)
    d.apply(weights_init)
    fill(g, 3)
    fill(d, 4)
    criterion = nn.BCELoss()
    opt_d = torch.optim.Adam(d.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_g = torch.optim.Adam(g.parameters(), lr=2e-4, betas=(0.5, 0.999))
    out = {"d": [], "g": [], "real": [], "fake": []}
    for step in range(steps):
        real = images[step % 4 * 8 : step % 4 * 8 + 8]
        size = real.size(0)
        noise = torch.tensor(rng.normal(size=(size, 8, 1, 1)), dtype=torch.float, device=device)
        d.zero_grad()
        label = torch.full((size,), 1.0, dtype=torch.float, device=device)
        output = d(real).view(-1)
        loss_real = criterion(output, label)
        loss_real.backward()
        out["real"].append(output.mean().item())
        fake = g(noise)
        label.fill_(0.0)
        output = d(fake.detach()).view(-1)
        loss_fake = criterion(output, label)
        loss_fake.backward()
        opt_d.step()
        g.zero_grad()
        label.fill_(1.0)
        output = d(fake).view(-1)
        loss_g = criterion(output, label)
        loss_g.backward()
        opt_g.step()
        out["d"].append((loss_real + loss_fake).item())
        out["g"].append(loss_g.item())
        out["fake"].append(output.mean().item())
    with torch.no_grad():
        sample = g(torch.ones(2, 8, 1, 1, device=device))
    out["sample"] = sample.mean(dim=(2, 3)).flatten().tolist()
    return out


if __name__ == "__main__":
    print(main())
