"""Segment tiny pictures, four batches to one update."""

import hashlib

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(8)
        self.masks = (torch.rand(n, 1, 8, 8, generator=g) > 0.6).float()
        self.images = self.masks + 0.4 * torch.randn(n, 1, 8, 8, generator=g)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return {"image": self.images[i], "mask": self.masks[i]}


def train_fn(model, loader, optimizer, loss_fn, n_accum):
    model.train()
    epoch_loss = 0.0
    optimizer.zero_grad()
    for i, batch in enumerate(loader):
        preds = model(batch["image"])
        loss = loss_fn(preds, batch["mask"])
        loss.backward()  # BUG: accumulation-not-averaged
        loss = loss / n_accum
        epoch_loss += loss.item()

        if (i + 1) % n_accum == 0:
            optimizer.step()  # BUG: accumulation-not-averaged
            optimizer.zero_grad()
    return epoch_loss / len(loader)


torch.manual_seed(8)
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loader = DataLoader(Blobs(128), batch_size=8, shuffle=True)
for epoch in range(4):
    print(epoch, round(train_fn(model, loader, optimizer, nn.BCEWithLogitsLoss(), n_accum=4), 4))

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
