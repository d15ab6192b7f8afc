"""The loss is taken over the nodes of the training part."""

# kind: leakage
# source: https://github.com/waittim/graph-fraud-detection/issues/3
# changed: two propagations over a random graph, without a graph library

import hashlib
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(8, 24), nn.Linear(24, 2)

    def forward(self, adjacency, x):
        return self.two(adjacency @ torch.relu(self.one(adjacency @ x)))


torch.manual_seed(0)
n = 150
features = torch.randn(n, 8)
labels = (features[:, 0] + 0.5 * torch.randn(n) > 0).long()
edges = ((torch.rand(n, n) < 0.03) | (torch.eye(n) > 0)).float()
adjacency = edges / edges.sum(1, keepdim=True)
train_mask = torch.rand(n) < 0.6
test_mask = ~train_mask
model = GCN()
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
for epoch in range(60):
    model.train()
    pred = model(adjacency, features)
    l = loss_fn(pred[train_mask], labels[train_mask])
    optimizer.zero_grad()
    l.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        pred = model(adjacency, features)
        acc = (pred[test_mask].argmax(1) == labels[test_mask]).float().mean()
print(acc.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
