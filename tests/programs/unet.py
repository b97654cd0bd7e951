"""A UNet that finds the strokes of noisy digits: skip connections, upsampling, a Dice loss."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from material import digits, fill


class DoubleConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1, padding_mode="reflect", bias=False),
            nn.GroupNorm(2, outputs),
            nn.SiLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding="same", bias=False),
            nn.GroupNorm(2, outputs),
            nn.SiLU(inplace=True),
        )

    def forward(self, x):
        return self.block(x)


class UNet(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.down1 = DoubleConv(1, width)
        self.down2 = DoubleConv(width, 2 * width)
        self.bottom = DoubleConv(2 * width, 4 * width)
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.conv1 = DoubleConv(4 * width, 2 * width)
        self.up2 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.conv2 = DoubleConv(3 * width, width)
        self.out = nn.Conv2d(width, 1, kernel_size=1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.bottom(F.max_pool2d(b, 2))
        up = self.up1(c)
        dy, dx = b.size(2) - up.size(2), b.size(3) - up.size(3)
        up = F.pad(up, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        up = self.conv1(torch.cat([b, up], dim=1))
        return self.out(self.conv2(torch.cat([a, self.up2(up)], dim=1)))


def dice(logits, target, eps=1e-6):
    p = logits.sigmoid().flatten(1)
    t = target.flatten(1)
    return 1 - ((2 * (p * t).sum(1) + eps) / (p.sum(1) + t.sum(1) + eps)).mean()


def main(device="cpu", steps=4):
    rng = np.random.default_rng(5)
    clean = torch.from_numpy(digits(16)[0])
    noise = torch.from_numpy(rng.normal(size=clean.shape).astype("float32"))
    x = clean.lerp(noise, 0.2).clamp_(0, 1).to(device)
    target = torch.where(clean > 0.5, torch.ones_like(clean), torch.zeros_like(clean)).to(device)
    model = fill(UNet()).to(device=device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    losses = []
    for step in range(steps):
        at = slice(step % 2 * 8, step % 2 * 8 + 8)
        logits = model(x[at])
        loss = F.binary_cross_entropy_with_logits(logits, target[at]) + dice(logits, target[at])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        mask = model(x[:2]).sigmoid_()
    intersection = (mask.gt(0.5) & target[:2].bool()).sum().item()
    return {"losses": losses, "mask": mask.mean(dim=[1, 2]).cpu().tolist(), "inside": [intersection]}


if __name__ == "__main__":
    print(main())
