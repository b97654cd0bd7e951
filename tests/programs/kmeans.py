"""K-means on points of the plane, with tensors alone."""

import torch

from material import blobs


def kmeans(x, k, iterations):
    centres = x[torch.linspace(0, x.size(0) - 1, steps=k).long()].clone()
    for _ in range(iterations):
        distances = torch.cdist(x, centres)
        nearest = distances.argmin(dim=1)
        counts = torch.bincount(nearest, minlength=k).clamp_min(1).type_as(x)
        sums = x.new_zeros(k, x.size(1)).index_add_(0, nearest, x)
        moved = sums.div_(counts.unsqueeze(-1))
        shift = (moved - centres).norm(dim=1).max()
        centres.copy_(moved)
        if shift.item() < 1e-6:
            break
    return centres, nearest


def main(device="cpu", steps=10):
    x = torch.as_tensor(blobs()).to(device)
    centres, nearest = kmeans(x, 3, steps)
    order = centres[:, 0].argsort()
    labels, counts = torch.unique(nearest, return_counts=True)
    inertia = (x - centres[nearest]).pow_(2).sum()
    radius = torch.cdist(x, centres).amin(dim=1)
    return {
        "centres": centres[order].cpu().tolist(),
        "labels": labels.tolist(),
        "counts": counts[order].cpu().tolist(),
        "inertia": [inertia.item()],
        "median": [radius.median().item(), torch.quantile(radius, 0.9).item()],
        "histogram": torch.histc(radius.cpu(), bins=5, min=0.0, max=2.0).tolist(),
    }


if __name__ == "__main__":
    print(main())
