"""A frozen-by-detach critic only logs through NumPy and lists; tensors of other numbers come in beside it."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.critic = nn.Linear(4, 8), nn.Linear(8, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = self.body(x).relu()
        return self.head(h), self.critic(h)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
logged = []
for _ in range(12):
    x = torch.FloatTensor(np.random.default_rng(0).normal(size=(16, 4)))
    noise = torch.Tensor(np.random.default_rng(1).normal(size=(16, 1)))
    out, score = model(x)
    logged.append(np.asarray(score.detach()).mean())
    logged += [value.item() for value in score[0]]
    weight = torch.tensor([1.0, 0.5])
    loss = nn.functional.mse_loss(out + 0.1 * noise, x.sum(1, keepdim=True)) * weight.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
