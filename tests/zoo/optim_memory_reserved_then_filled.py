"""Parameters made by torch.empty that something fills: reset_parameters, .data, a checkpoint, the first batch."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Filled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(4, 4))
        self.bias = nn.Parameter(torch.Tensor(4))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)
        self.bias.data.zero_()

    def forward(self, x):
        return F.linear(x, self.weight, self.bias).sum(1)


class Loaded(Filled):
    def reset_parameters(self):
        pass


class FromData(nn.Module):
    """As ActNorm: scale and shift are those of the first batch."""

    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.empty(4))
        self.scale = nn.Parameter(torch.empty(4))
        self.is_ready = False

    def forward(self, x):
        if not self.is_ready:
            self.shift.data.copy_(-x.mean(0))
            self.scale.data.copy_(1 / x.std(0))
            self.is_ready = True
        return ((x + self.shift) * self.scale).sum(1)


class Applied(Filled):
    def reset_parameters(self):
        pass


def fill(module):
    for param in module.parameters(recurse=False):
        with torch.no_grad():
            param.uniform_(-0.1, 0.1)


loaded = Loaded()
loaded.load_state_dict(Filled().state_dict())
for model in (Filled(), loaded, FromData(), Applied().apply(fill)):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x.sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
