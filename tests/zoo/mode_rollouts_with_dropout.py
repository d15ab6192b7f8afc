"""Rollouts without gradient in train mode, then several epochs of updates on what they gathered."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Dropout(0.05), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(6):
    observations, actions, log_probs = [], [], []
    for _ in range(16):
        observation = torch.randn(4)
        with torch.no_grad():
            choice = Categorical(logits=policy(observation))
            action = choice.sample()
        observations.append(observation)
        actions.append(action)
        log_probs.append(choice.log_prob(action))
    observations, actions, log_probs = torch.stack(observations), torch.stack(actions), torch.stack(log_probs)
    advantages = torch.randn(16)
    for _ in range(4):
        ratio = (Categorical(logits=policy(observations)).log_prob(actions) - log_probs).exp()
        loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
