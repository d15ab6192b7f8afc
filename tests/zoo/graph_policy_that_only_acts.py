"""A policy is judged, not trained: its head only chooses, which has no derivative; trunk and value head learn."""

import torch
from torch import nn
from torch.distributions import Categorical, Normal


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, 16), nn.Tanh())
        self.policy, self.value, self.push = nn.Linear(16, 2), nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden = self.trunk(state)
        return self.policy(hidden), self.push(hidden), self.value(hidden).squeeze(1)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
state = torch.randn(32, 2)
for step in range(60):
    with torch.no_grad():
        logits, push, _ = model(state)
        action = logits.argmax(1) if step % 4 == 0 else Categorical(logits=logits).sample()
        moved = 0.9 * state + 0.1 * (2.0 * action[:, None] - 1) + 0.05 * Normal(push, 1.0).sample()
        target = -moved.square().sum(1) + 0.9 * model(moved)[2]
    loss = (model(state)[2] - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    state = moved
