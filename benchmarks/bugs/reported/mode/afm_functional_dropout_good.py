"""F.dropout is called without training=self.training."""

# kind: mode
# source: https://github.com/rixwew/pytorch-fm/issues/21
# changed: an attentional factorization machine on made-up fields

import hashlib
import itertools

import torch
import torch.nn.functional as F
from torch import nn


class AFM(nn.Module):
    def __init__(self, fields=5, size=20, dim=12):
        super().__init__()
        self.embedding = nn.Embedding(fields * size, dim)
        self.register_buffer("offsets", torch.arange(fields) * size)
        self.attention = nn.Linear(dim, dim)
        self.projection = nn.Linear(dim, 1)
        self.fc = nn.Linear(dim, 1)
        self.pairs = list(zip(*itertools.combinations(range(fields), 2)))

    def forward(self, x):
        e = self.embedding(x + self.offsets)
        inner = e[:, list(self.pairs[0])] * e[:, list(self.pairs[1])]
        scores = F.softmax(self.projection(F.relu(self.attention(inner))), dim=1)
        scores = F.dropout(scores, p=0.1, training=self.training)
        return self.fc((scores * inner).sum(1)).squeeze(1)


torch.manual_seed(0)
x = torch.randint(0, 20, (1200, 5))
y = ((x[:, 0] + x[:, 1]) % 2).float()
model = AFM()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(4):
    model.train()
    for idx in torch.randperm(1000).split(40):
        loss = criterion(model(x[idx]), y[idx])
        model.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, "valid", criterion(model(x[1000:]), y[1000:]).item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
