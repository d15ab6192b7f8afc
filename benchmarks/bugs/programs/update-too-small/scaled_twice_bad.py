"""The rate is divided by the number of samples, though the loss is a mean already."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(640, 10)
data = TensorDataset(x, x[:, :4].argmax(1))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 4))
base_lr = 1e-3
optimizer = torch.optim.SGD(model.parameters(), lr=base_lr / len(data) / 16)  # BUG: update-too-small
for epoch in range(5):
    for inputs, labels in loader:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # BUG: update-too-small
    print(epoch, round(loss.item(), 3))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
