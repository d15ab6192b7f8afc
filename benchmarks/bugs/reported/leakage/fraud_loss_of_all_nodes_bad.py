"""The loss is taken over all nodes of the graph, those of the test with them."""

# kind: leakage
# source: https://github.com/waittim/graph-fraud-detection/issues/3
# changed: two propagations over a random graph, without a graph library
# gap: no DataLoader: which samples are trained on is known from that alone

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
    l = loss_fn(pred, labels)  # BUG: validated-on-training-data
    optimizer.zero_grad()
    l.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        pred = model(adjacency, features)
        acc = (pred[test_mask].argmax(1) == labels[test_mask]).float().mean()  # BUG: validated-on-training-data
print(acc.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
