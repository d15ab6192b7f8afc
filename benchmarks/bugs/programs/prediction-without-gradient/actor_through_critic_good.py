"""A deterministic actor that is trained through its critic."""

import copy
import hashlib

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
old_actor, old_critic = copy.deepcopy(actor), copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def follow(old, new):
    with torch.no_grad():
        for a, b in zip(old.parameters(), new.parameters(), strict=True):
            a.lerp_(b, 0.01)


for _ in range(60):
    state, action, reward = torch.randn(32, 3), torch.rand(32, 1) * 2 - 1, torch.randn(32, 1)
    following = 0.9 * state + 0.1 * torch.randn(32, 3)
    with torch.no_grad():
        target = reward + 0.9 * old_critic(torch.cat([following, old_actor(following)], 1))
    critic_loss = nn.functional.mse_loss(critic(torch.cat([state, action], 1)), target)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    wanted = actor(state)
    value = critic(torch.cat([state, wanted], 1))
    actor_loss = -value.mean() + 1e-3 * wanted.pow(2).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    follow(old_actor, actor)
    follow(old_critic, critic)
final = b"".join(t.detach().numpy().tobytes() for net in (actor, critic) for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
