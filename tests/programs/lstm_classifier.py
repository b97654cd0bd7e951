"""An LSTM that reads handwritten digits row by row."""

import torch
import torch.nn as nn

from material import digits, fill


class LSTMClassifier(nn.Module):
    def __init__(self, inputs=28, hidden=24, layers=2, classes=10):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(inputs, hidden, layers, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, x):
        h0 = torch.zeros(2 * self.layers, x.size(0), self.hidden, device=x.device)
        c0 = h0.new_zeros(h0.size())
        out, (h, _) = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :] + h[-1].repeat(1, 2))


def main(device="cpu", steps=6):
    x, y = digits(64)
    x, y = torch.from_numpy(x).squeeze(1).to(device), torch.from_numpy(y).to(device)
    model = fill(LSTMClassifier()).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for step in range(steps):
        at = slice(step % 4 * 16, step % 4 * 16 + 16)
        loss = criterion(model(x[at]), y[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        logits = model(x[:4])
    return {"losses": losses, "logits": logits.cpu().tolist()}


if __name__ == "__main__":
    print(main())
