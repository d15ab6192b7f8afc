"""The last states of both directions, (2, batch, hidden), are viewed as (batch, 2 * hidden)."""

# kind: batch-mixing
# source: https://github.com/PaccMann/paccmann_chemistry/issues/5
# changed: a classifier of made-up tokens with one LSTM layer

import hashlib
import torch
from torch import nn

torch.manual_seed(11)


class Sentiment(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * dim, 2)

    def forward(self, tokens):
        _, (h_n, _) = self.lstm(self.embedding(tokens))
        features = h_n.view(tokens.size(0), -1)  # BUG: samples-mixed-in-batch, view-in-place-of-transpose
        return self.fc(features)


model = Sentiment()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(80):
    tokens = torch.randint(30, (20, 9))
    label = (tokens[:, -1] > 14).long()
    loss = nn.functional.cross_entropy(model(tokens), label)  # BUG: samples-mixed-in-batch, view-in-place-of-transpose
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
