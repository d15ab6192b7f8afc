"""Norms of a loaded backbone are adapted on its features; the new head is frozen, and not used yet."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 128), nn.LayerNorm(128), nn.ReLU(), nn.Linear(128, 32))
        self.head = nn.Linear(32, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


pretrained = Net()
model = Net()
model.body.load_state_dict(pretrained.body.state_dict())
model.requires_grad_(False)
model.body[1].requires_grad_(True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(12):
    x = torch.randn(16, 8)
    with torch.no_grad():
        wanted = pretrained.body(x)
    loss = nn.functional.mse_loss(model.body(x + 0.1 * torch.randn(16, 8)), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
