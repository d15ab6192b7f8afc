"""The validation set is taken out of the set that is trained on."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
x = torch.randn(300, 7)
data = TensorDataset(x, (x[:, 0] > 0).long())
val_set = Subset(data, range(240, 300))
train_loader = DataLoader(Subset(data, range(240)), batch_size=20, shuffle=True)
val_loader = DataLoader(val_set, batch_size=60)
model = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    model.train()
    for inputs, labels in train_loader:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(sum(nn.functional.cross_entropy(model(a), b).item() for a, b in val_loader))

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
