"""The critic's value is not detached in the policy loss, and gets the gradient of both losses."""

# kind: rl
# source: https://github.com/astariul/encode-attend-navigate-pytorch/pull/3
# changed: a bandit over random states in place of tours

import hashlib
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4))
critic = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
opt_actor = torch.optim.Adam(actor.parameters(), lr=3e-3)
opt_critic = torch.optim.Adam(critic.parameters(), lr=3e-3)

for step in range(120):
    states = torch.randn(64, 6)
    dist = Categorical(logits=actor(states))
    action = dist.sample()
    tour = -(states[:, :4].gather(1, action[:, None])).squeeze(1)
    predicted = critic(states).squeeze(1)
    delta = tour - predicted  # BUG: gradient-leak-between-optimizers, gradient-through-target
    actor_loss = (delta * dist.log_prob(action)).mean()  # BUG: gradient-leak-between-optimizers, gradient-through-target
    critic_loss = nn.functional.mse_loss(predicted, tour)

    opt_actor.zero_grad()
    opt_critic.zero_grad()
    actor_loss.backward(retain_graph=True)  # BUG: gradient-leak-between-optimizers, gradient-through-target
    critic_loss.backward()
    opt_actor.step()
    opt_critic.step()  # BUG: gradient-leak-between-optimizers, gradient-through-target
print(tour.mean().item(), critic_loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in critic.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
