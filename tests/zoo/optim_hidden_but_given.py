"""Layers in a plain list whose parameters the program gives to the optimizer itself."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(8, 16), nn.Linear(16, 3)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers[1](self.layers[0](x).relu())


model = Net()
optimizer = torch.optim.Adam([p for layer in model.layers for p in layer.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
