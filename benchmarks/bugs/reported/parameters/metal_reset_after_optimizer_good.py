"""The trainer resets the model first."""

# kind: parameters
# source: https://github.com/HazyResearch/metal/pull/96
# changed: a small model whose reset makes its layers anew

import hashlib

import torch
from torch import nn

class EndModel(nn.Module):
    def __init__(self, seed):
        super().__init__()
        self.seed = seed
        self.reset()

    def reset(self):
        torch.manual_seed(self.seed)
        self.layers = nn.Sequential(nn.Linear(9, 40), nn.ReLU(), nn.BatchNorm1d(40), nn.Linear(40, 2))

    def forward(self, x):
        return self.layers(x)

    def train_model(self, data, lr):
        self.reset()
        optimizer = torch.optim.Adam(self.parameters(), lr=lr)
        for epoch in range(5):
            for x, y in data:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self(x), y)
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


torch.manual_seed(38)
x = torch.randn(25, 32, 9)
data = [(b, (b[:, 0] + b[:, 1] > 0).long()) for b in x]
model = EndModel(1)
model.train_model(data, 1e-2)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
