"""A binary output block ends in a sigmoid, and its default loss applies one more."""

# kind: loss
# source: https://github.com/NVIDIA-Merlin/models/pull/1175
# changed: a small click model on random features

import hashlib

import torch
from torch import nn


class BinaryOutput(nn.Module):
    def __init__(self, width, loss=None):
        super().__init__()
        self.to_call = nn.Linear(width, 1)
        self.output_activation = nn.Sigmoid()
        self.default_loss = loss or nn.BCELoss()

    def forward(self, inputs):
        return self.output_activation(self.to_call(inputs))


class ClickModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.users = nn.Embedding(50, 8)
        self.items = nn.Embedding(80, 8)
        self.mlp = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.output = BinaryOutput(32)

    def forward(self, users, items):
        return self.output(self.mlp(torch.cat([self.users(users), self.items(items)], 1)))

    def training_step(self, users, items, clicked):
        return self.output.default_loss(self(users, items), clicked.float().unsqueeze(1))


torch.manual_seed(0)
model = ClickModel()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(150):
    users, items = torch.randint(0, 50, (64,)), torch.randint(0, 80, (64,))
    loss = model.training_step(users, items, (users + items) % 3 == 0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
