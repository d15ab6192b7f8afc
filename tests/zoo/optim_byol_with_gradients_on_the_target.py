"""Self-distillation in one module whose averaged target gets gradients and is moved by the program."""

import copy

import torch
from torch import nn

torch.manual_seed(0)


class Byol(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.online = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
        self.predict = nn.Linear(8, 8)
        self.target = copy.deepcopy(self.online)

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return 2 - 2 * nn.functional.cosine_similarity(self.predict(self.online(left)), self.target(right)).mean()


model = Byol()
optimizer = torch.optim.Adam([*model.online.parameters(), *model.predict.parameters()], lr=1e-3)
for _ in range(12):
    x = torch.randn(16, 8)
    model.zero_grad()
    model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(model.target.parameters(), model.online.parameters(), strict=True):
            slow.lerp_(fast, 0.01)
