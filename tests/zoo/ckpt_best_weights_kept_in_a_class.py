"""Early stopping that keeps copies, and whose last epoch is the best."""

import torch
from torch import nn

torch.manual_seed(0)


class EarlyStopping:
    def __init__(self) -> None:
        self.lowest, self.state = float("inf"), None

    def step(self, value: float, model: nn.Module) -> None:
        if value < self.lowest:
            self.lowest = value
            self.state = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}

    def restore(self, model: nn.Module) -> None:
        model.load_state_dict(self.state)


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
stopping = EarlyStopping()
for _ in range(4):
    for _ in range(6):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    stopping.step(loss.item(), model)
stopping.restore(model)
