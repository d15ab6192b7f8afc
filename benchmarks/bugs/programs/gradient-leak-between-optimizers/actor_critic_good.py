"""DDPG-like update: the actor's loss runs through the critic."""

import hashlib

import torch
import torch.nn as nn


class Agent:
    def __init__(self, obs=3, act=1):
        self.actor = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(obs + act, 32), nn.ReLU(), nn.Linear(32, 1))
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def update(self, obs, action, reward):
        q = self.critic(torch.cat([obs, action], dim=1))
        critic_loss = nn.functional.mse_loss(q, reward)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        actor_loss = -self.critic(torch.cat([obs, self.actor(obs)], dim=1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        return critic_loss.item(), actor_loss.item()


torch.manual_seed(31)
agent = Agent()
for t in range(30):
    obs = torch.randn(64, 3)
    action = torch.rand(64, 1) * 2 - 1
    reward = -(action - obs[:, :1].tanh()).pow(2)
    losses = agent.update(obs, action, reward)
    if t % 10 == 0:
        print(t, losses)
models = (agent.actor, agent.critic)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
