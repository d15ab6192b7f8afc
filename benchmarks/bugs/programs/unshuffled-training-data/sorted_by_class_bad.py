"""A folder read class by class, and a loader without shuffle."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class ByFolder(Dataset):
    def __init__(self, num_classes=4, per_class=32):
        self.items = [(torch.randn(8) + label, label) for label in range(num_classes) for _ in range(per_class)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


torch.manual_seed(0)
train_loader = DataLoader(ByFolder(), batch_size=16)  # BUG: unshuffled-training-data
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
