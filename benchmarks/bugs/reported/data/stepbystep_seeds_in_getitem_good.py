"""The dataset seeds torch before each transform, so that all samples get one noise, in every epoch."""

# kind: data
# source: https://github.com/dvgodoy/PyTorchStepByStep/issues/33
# changed: noise on vectors

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TransformedTensorDataset(Dataset):
    def __init__(self, x, y, transform=None, seed=42):
        self.x, self.y, self.transform, self.seed = x, y, transform, seed

    def __getitem__(self, index):
        x = self.x[index]
        if self.transform:
            x = self.transform(x)
        return x, self.y[index]

    def __len__(self):
        return len(self.x)


torch.manual_seed(3)
x = torch.randn(160, 9)
y = (x[:, 0] + x[:, 1] > 0).float().unsqueeze(1)
data = TransformedTensorDataset(x, y, lambda v: v + 0.3 * torch.randn_like(v))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(9, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(8):
    for xb, yb in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
