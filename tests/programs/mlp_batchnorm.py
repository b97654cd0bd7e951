"""An MLP with BatchNorm and Dropout on handwritten digits: a training loop with epochs and evaluation."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from material import digits, fill


class MLP(nn.Module):
    def __init__(self, hidden=64, classes=10):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(784, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(inplace=True),
            nn.Dropout(p=0.0),
            nn.Linear(hidden, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(inplace=True),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.layers(x)


def evaluate(model, loader, device):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            _, predicted = torch.max(model(x), dim=1)
            total += y.size(0)
            correct += (predicted == y).sum().item()
    return correct / total


def main(device="cpu", steps=16):
    device = torch.device(device)
    torch.manual_seed(0)
    x, y = digits(400)
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    loader = DataLoader(data, batch_size=50, shuffle=False, num_workers=0, pin_memory=False)
    model = fill(MLP()).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    losses, done = [], 0
    while done < steps:
        model.train()
        for images, labels in loader:
            if done == steps:
                break
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True).long()
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(images), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            losses.append(loss.item())
            done += 1
        scheduler.step()
    with torch.no_grad():
        probabilities = F.softmax(model(data.tensors[0][:4].to(device)), dim=-1)
    values, indices = probabilities.topk(k=3, dim=1)
    return {
        "losses": losses,
        "accuracy": [evaluate(model, loader, device)],
        "lr": scheduler.get_last_lr(),
        "top": values.cpu().tolist(),
        "classes": indices.cpu().tolist(),
        "mean": [model.layers[2].running_mean.mean().item()],
        "parameters": [sum(p.numel() for p in model.parameters() if p.requires_grad)],
    }


if __name__ == "__main__":
    print(main())
