"""REINFORCE with returns of any sign; the loss goes up and down and below zero."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
for _ in range(12):
    state, log_probs, rewards = torch.zeros(2), [], []
    for _ in range(10):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        state = (state + (action.float() * 2 - 1) * torch.tensor([0.3, -0.2]) + 0.1 * torch.randn(2)).clamp(-2, 2)
        rewards.append(1.0 - state.abs().sum().item())
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.95 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    loss = -(torch.stack(log_probs) * (returns - returns.mean())).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
