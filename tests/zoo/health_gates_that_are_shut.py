"""Gates, a sigmoid at the output and binary codes sit in the flat part of their function on purpose."""

import torch
from torch import nn

torch.manual_seed(0)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate, self.open = nn.Linear(8, 16), nn.Linear(8, 16), nn.Sigmoid()
        self.code, self.bend = nn.Linear(16, 16), nn.Tanh()
        self.out, self.probability = nn.Linear(16, 1), nn.Sigmoid()
        nn.init.constant_(self.gate.bias, 8.0)

    def forward(self, x):
        x = x + 0.0
        hidden = self.value(x) * self.open(self.gate(x))
        hidden = self.bend(self.code(hidden))
        return self.probability(self.out(hidden))


class GatedWithoutModules(Gated):
    def forward(self, x):
        hidden = self.value(x) * torch.sigmoid(self.gate(x))
        return torch.sigmoid(self.out(torch.tanh(self.code(hidden))))


for net in (Gated(), GatedWithoutModules()):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(80):
        x = torch.randn(64, 8)
        loss = nn.functional.binary_cross_entropy(net(x), (x[:, :1] > 0).float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
