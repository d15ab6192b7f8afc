"""The log-probability keeps a column for each action, and widens the critic's target."""

# kind: loss
# source: https://github.com/sunwuzhou03/reinforcement-learning-lab/issues/1
# changed: a replay buffer of random transitions; one critic and one actor
# gap: only one of the two is expanded, which is right where one prediction has several targets; torch itself warns

import hashlib
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class PolicyNet(nn.Module):
    def __init__(self, state=5, action=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(state, 32), nn.ReLU())
        self.mu, self.std = nn.Linear(32, action), nn.Linear(32, action)

    def forward(self, x):
        h = self.body(x)
        dist = Normal(self.mu(h), F.softplus(self.std(h)) + 1e-3)
        sample = dist.rsample()
        action = torch.tanh(sample)
        log_prob = dist.log_prob(sample) - torch.log(1 - action.pow(2) + 1e-7)
        return action, log_prob  # BUG: loss-shape-broadcast


class QNet(nn.Module):
    def __init__(self, state=5, action=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(state + action, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, s, a):
        return self.net(torch.cat([s, a], dim=1))


torch.manual_seed(0)
actor, critic = PolicyNet(), QNet()
target_critic = copy.deepcopy(critic)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
gamma, alpha, tau = 0.9, 0.05, 0.02
for update in range(80):
    states, actions = torch.randn(64, 5), torch.rand(64, 4) * 2 - 1
    rewards = -(states[:, :4] - actions).pow(2).sum(1, keepdim=True) / 4
    next_states = 0.8 * states + 0.2 * torch.randn(64, 5)
    with torch.no_grad():
        next_actions, log_prob = actor(next_states)
        td_target = rewards + gamma * (target_critic(next_states, next_actions) - alpha * log_prob)
    critic_loss = F.mse_loss(critic(states, actions), td_target.detach())  # BUG: loss-shape-broadcast
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    new_actions, log_prob = actor(states)
    actor_loss = torch.mean(alpha * log_prob - critic(states, new_actions))
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        for p, q in zip(critic.parameters(), target_critic.parameters()):
            q.lerp_(p, tau)
print(critic_loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in critic.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
