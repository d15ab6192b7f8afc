"""Two views of actions, a gate beside a prediction, and an advantage whose gradient is cleared."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for _ in range(20):
    actions = torch.randn(32, 6)
    one, other = encoder(actions), encoder(actions + 0.1 * torch.randn(32, 6))
    spread = F.relu(1 - one.std(0)).mean() + F.relu(1 - other.std(0)).mean()
    loss = F.mse_loss(one, 0.9 * other) + spread
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

gate, candidate = nn.Linear(6, 2), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*gate.parameters(), *candidate.parameters()], lr=1e-3)
for _ in range(20):
    actions = torch.randn(32, 6)
    mixed = (1 - gate(actions).sigmoid()) * candidate(actions).tanh()
    optimizer.zero_grad()
    F.mse_loss(mixed, actions[:, :2].tanh()).backward()
    optimizer.step()

actor, critic = nn.Linear(6, 3), nn.Linear(6, 1)
for_actor = torch.optim.Adam(actor.parameters(), lr=1e-3)
for_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(20):
    states = torch.randn(32, 6)
    policy = torch.distributions.Categorical(logits=actor(states))
    action = policy.sample()
    rewards = states.gather(1, action[:, None]).squeeze(1)
    advantage = rewards - critic(states).squeeze(1)
    for_actor.zero_grad()
    (-policy.log_prob(action) * advantage).mean().backward()
    for_actor.step()
    for_critic.zero_grad()
    F.mse_loss(critic(states).squeeze(1), rewards).backward()
    for_critic.step()
