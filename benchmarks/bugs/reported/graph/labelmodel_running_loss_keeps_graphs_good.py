"""running_loss adds up losses that still carry their graphs."""

# kind: graph
# source: https://github.com/BatsResearch/labelmodels/issues/4
# changed: a small classifier of random votes

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
votes = torch.randint(-1, 2, (800, 12)).float()
labels = (votes.sum(1) > 0).long()
model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(4):
    running_loss = 0.0
    for batch, target in DataLoader(TensorDataset(votes, labels), batch_size=20, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch), target)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    print(epoch, float(running_loss) / 40)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
