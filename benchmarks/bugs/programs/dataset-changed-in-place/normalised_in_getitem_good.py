"""A data set that normalises a copy of its images."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, num):
        self.images = torch.rand(num, 1, 6, 6) * 255
        self.labels = (self.images.mean((1, 2, 3)) > 127).long()

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return (image - 127.5) / 64, self.labels[index]


torch.manual_seed(0)
train_loader = DataLoader(Images(192), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(5):
    for images, labels in train_loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
