"""The data module splits the dataset, and its training loader takes the whole."""

# kind: leakage
# source: https://github.com/ratschlab/aestetik/issues/8
# changed: a small autoencoder of random vectors, without the framework

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class DataModule:
    def __init__(self, dataset, validation_split, batch_size):
        self.dataset, self.validation_split, self.batch_size = dataset, validation_split, batch_size

    def setup(self):
        n_val = int(len(self.dataset) * self.validation_split)
        self.train_dataset, self.val_dataset = random_split(self.dataset, [len(self.dataset) - n_val, n_val])

    def train_dataloader(self):
        return DataLoader(self.train_dataset, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_dataset, batch_size=self.batch_size)


torch.manual_seed(0)
points = torch.randn(400, 3) @ torch.randn(3, 12) + 0.1 * torch.randn(400, 12)
dm = DataModule(TensorDataset(points), validation_split=0.3, batch_size=20)
dm.setup()
train_loader, val_loader = dm.train_dataloader(), dm.val_dataloader()
model = nn.Sequential(nn.Linear(12, 3), nn.Linear(3, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    model.train()
    for (x,) in train_loader:
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.mse_loss(model(x), x).item() for (x,) in val_loader]
    print(epoch, sum(losses) / len(losses))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
