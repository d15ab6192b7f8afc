"""The backup of a deterministic policy gradient is computed with gradients on."""

import hashlib

import torch
from torch import nn


torch.manual_seed(1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, obs, action):
        return self.body(torch.cat([obs, action], dim=-1)).squeeze(-1)


critic, actor = Critic(), nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 2), nn.Tanh())
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(60):
    obs, following = torch.randn(32, 5), torch.randn(32, 5)
    action = actor(obs).detach() + 0.1 * torch.randn(32, 2)
    reward, done = obs[:, 0] * action[:, 0], (torch.rand(32) < 0.1).float()
    backup = reward + 0.99 * (1 - done) * critic(following, actor(following))  # BUG: gradient-through-target
    critic_loss = nn.functional.huber_loss(critic(obs, action), backup)  # BUG: gradient-through-target
    critic_opt.zero_grad()
    critic_loss.backward()  # BUG: gradient-through-target
    critic_opt.step()

    actor_loss = -critic(obs, actor(obs)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
final = b"".join(t.detach().float().numpy().tobytes() for t in critic.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
