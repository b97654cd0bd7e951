"""A small ResNet on handwritten digits, trained by SGD with a cosine schedule."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from material import digits, fill


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, blocks, widths=(8, 16), classes=10):
        super().__init__()
        self.inputs = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2, padding=1, ceil_mode=True),
        )
        self.stages = nn.ModuleList(
            self._stage(width, count, stride=1 if i == 0 else 2)
            for i, (width, count) in enumerate(zip(widths, blocks))
        )
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(widths[-1], classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.constant_(module.weight, 1)
                nn.init.constant_(module.bias, 0)

    def _stage(self, width, count, stride):
        layers = []
        for i in range(count):
            layers.append(BasicBlock(self.inputs, width, stride if i == 0 else 1))
            self.inputs = width * BasicBlock.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
        return self.fc(torch.flatten(self.pool(x), 1))


def main(device="cpu", steps=6):
    x, y = digits(96)
    x, y = torch.tensor(x).to(device), torch.tensor(y).to(device)
    x = (x - x.mean()).div_(x.std())
    model = fill(ResNet([1, 1])).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    losses = []
    model.train()
    for step in range(steps):
        at = torch.arange(16, device=device).add(16 * step).remainder(96)
        images = torch.flip(x[at], dims=[3]) if step % 2 else x[at].clone()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), y[at])
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        logits = model(x[:4])
    return {
        "losses": losses,
        "logits": logits.cpu().tolist(),
        "gradient": [model.stem[0].weight.grad.abs().max().item()],
        "keys": [len(model.state_dict())],
    }


if __name__ == "__main__":
    print(main())
