"""The training set leaves out the last samples, and the validation set the first ones."""

# kind: leakage
# source: https://github.com/electronicarts/rig-inversion/issues/2
# changed: a regressor of random controls

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class ToyDataset(Dataset):
    def __init__(self, rig, mesh):
        self.rig, self.mesh = rig, mesh

    def __len__(self):
        return len(self.rig)

    def __getitem__(self, i):
        return self.rig[i], self.mesh[i]


torch.manual_seed(0)
rig = torch.rand(500, 6)
mesh = torch.sin(rig @ torch.randn(6, 9))
dataset = ToyDataset(rig[:-50], mesh[:-50])
validate_dataset = ToyDataset(rig[50:], mesh[50:])  # BUG: validated-on-training-data
loader = DataLoader(dataset, batch_size=25, shuffle=True)
validate_loader = DataLoader(validate_dataset, batch_size=50, shuffle=False)  # BUG: validated-on-training-data
model = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 9))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    model.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        total = sum(nn.functional.mse_loss(model(x), y).item() * len(x) for x, y in validate_loader)  # BUG: validated-on-training-data
    print(epoch, total / len(validate_dataset))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
