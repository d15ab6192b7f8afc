"""The actor's loss goes through the critic, which has an optimizer of its own."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2), nn.Tanh())
critic = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt_actor = torch.optim.Adam(actor.parameters(), lr=1e-3)
opt_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(12):
    state = torch.randn(16, 4)
    action = actor(state).detach() + 0.1 * torch.randn(16, 2)
    opt_critic.zero_grad()
    value = critic(torch.cat([state, action], 1))
    nn.functional.mse_loss(value, -action.pow(2).sum(1, keepdim=True)).backward()
    opt_critic.step()
    opt_actor.zero_grad()
    (-critic(torch.cat([state, actor(state)], 1)).mean()).backward()
    opt_actor.step()
