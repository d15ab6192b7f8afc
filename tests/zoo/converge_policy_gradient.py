"""The loss of a policy gradient has no trend, though the policy learns."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
for _ in range(240):
    state = torch.randn(64, 4)
    chance = torch.distributions.Categorical(logits=policy(state))
    action = chance.sample()
    reward = (action == state[:, :3].argmax(1)).float()
    loss = -(chance.log_prob(action) * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
