"""Cells of a recurrent network that stand in a plain list, beside layers that are registered."""

# kind: parameters
# source: https://github.com/ikostrikov/pytorch-meta-optimizer/issues/11
# changed: it predicts the next value of a sine instead of updating another network

import hashlib
import math
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, width=24, layers=2):
        super().__init__()
        self.width = width
        self.linear1 = nn.Linear(1, width)
        self.lstms = []  # BUG: unregistered-module, parameters-not-in-optimizer
        for _ in range(layers):
            self.lstms.append(nn.LSTMCell(width, width))  # BUG: unregistered-module, parameters-not-in-optimizer
        self.linear2 = nn.Linear(width, 1)

    def forward(self, series):
        states = [(series.new_zeros(series.shape[0], self.width),) * 2 for _ in self.lstms]
        outputs = []
        for t in range(series.shape[1]):
            x = torch.tanh(self.linear1(series[:, t : t + 1]))
            for i, cell in enumerate(self.lstms):
                states[i] = cell(x, states[i])  # BUG: unregistered-module, parameters-not-in-optimizer
                x = states[i][0]
            outputs.append(self.linear2(x))
        return torch.cat(outputs, 1)


def main():
    torch.manual_seed(3)
    model = Forecaster()
    optim = torch.optim.Adam(model.parameters(), lr=0.01)  # BUG: unregistered-module, parameters-not-in-optimizer
    for epoch in range(60):
        phase = torch.rand(16, 1) * 2 * math.pi
        wave = torch.sin(phase + torch.arange(13) * 0.5)
        loss = (model(wave[:, :-1]) - wave[:, 1:]).square().mean()
        optim.zero_grad()
        loss.backward()
        optim.step()
    print("loss", float(loss))
    return model


model = main()

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
