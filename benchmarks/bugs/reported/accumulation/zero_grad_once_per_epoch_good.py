"""zero_grad is called at the beginning of each epoch instead of each iteration."""

# kind: accumulation
# source: https://github.com/pytorch/pytorch/issues/47175
# changed: the report names the mistake in words; the program is ours

import hashlib
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
X = torch.rand(320, 12)
Y = (X @ torch.rand(12, 2)).sin()
train_loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Linear(12, 24), nn.ELU(), nn.Linear(24, 2))
optimizer = optim.Adam(net.parameters(), lr=1e-3)
criterion = nn.MSELoss()


def run_epoch():
    running = 0.0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(train_loader)


for epoch in range(6):
    print(epoch, run_epoch())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
