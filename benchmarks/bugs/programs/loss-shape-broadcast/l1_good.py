"""L1 error, prediction squeezed and the target not."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class House(Dataset):
    def __init__(self, n):
        self.x = torch.rand(n, 4)
        self.y = self.x.sum(dim=1, keepdim=True) + 0.05 * torch.randn(n, 1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"features": self.x[i], "price": self.y[i]}


def train(model, loader, epochs, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    mae = nn.L1Loss()
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            prediction = model(batch["features"]).squeeze()
            loss = mae(prediction, batch["price"].squeeze())
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


torch.manual_seed(6)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
train(model, DataLoader(House(120), batch_size=12, shuffle=True), epochs=3, lr=0.02)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
