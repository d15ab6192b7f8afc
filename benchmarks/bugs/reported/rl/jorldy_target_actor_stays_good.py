"""DDPG moves its target critic, and forgets the target actor."""

# kind: rl
# source: https://github.com/kakaoenterprise/JORLDY/issues/120
# changed: random transitions in place of an environment

import copy
import hashlib

import torch
from torch import nn
from torch.nn import functional as F


class DDPG:
    def __init__(self, states=6, actions=2):
        self.actor = nn.Sequential(nn.Linear(states, 32), nn.ReLU(), nn.Linear(32, actions), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(states + actions, 32), nn.ReLU(), nn.Linear(32, 1))
        self.target_actor = copy.deepcopy(self.actor)
        self.target_critic = copy.deepcopy(self.critic)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=5e-4)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.gamma, self.tau = 0.95, 0.01

    def learn(self, state, action, reward, next_state, done):
        with torch.no_grad():
            next_action = self.target_actor(next_state)
            next_q = self.target_critic(torch.cat([next_state, next_action], -1))
            target = reward + (1 - done) * self.gamma * next_q
        q = self.critic(torch.cat([state, action], -1))
        critic_loss = F.mse_loss(q, target)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        actor_loss = -self.critic(torch.cat([state, self.actor(state)], -1)).mean()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()
        return critic_loss.item(), actor_loss.item()

    def update_target_soft(self):
        for t_p, p in zip(self.target_critic.parameters(), self.critic.parameters()):
            t_p.data.copy_(self.tau * p.data + (1 - self.tau) * t_p.data)
        for t_p, p in zip(self.target_actor.parameters(), self.actor.parameters()):
            t_p.data.copy_(self.tau * p.data + (1 - self.tau) * t_p.data)


torch.manual_seed(0)
agent = DDPG()
for step in range(250):
    state = torch.randn(32, 6)
    action = torch.rand(32, 2) * 2 - 1
    next_state = state * 0.9 + 0.1 * torch.cat([action, action, action], 1)
    reward = -(state[:, :2] - action).pow(2).sum(1, keepdim=True)
    done = (torch.rand(32, 1) < 0.05).float()
    losses = agent.learn(state, action, reward, next_state, done)
    agent.update_target_soft()
print(losses)
final = b"".join(t.detach().double().numpy().tobytes() for t in agent.actor.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
