"""PPO: several epochs of mini-batches over one buffer, actor and critic with one optimizer."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


agent = ActorCritic()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
for _ in range(3):
    states = torch.randn(64, 3)
    with torch.no_grad():
        dist, values = agent(states)
        actions = dist.sample()
        old = dist.log_prob(actions)
    returns = torch.where(actions == (states[:, 0] > 0), 1.0, -1.0)
    advantage = returns - values
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for _ in range(4):
        for idx in torch.randperm(64).split(16):
            dist, value = agent(states[idx])
            ratio = (dist.log_prob(actions[idx]) - old[idx]).exp()
            clipped = ratio.clamp(0.8, 1.2)
            policy_loss = -torch.min(ratio * advantage[idx], clipped * advantage[idx]).mean()
            value_loss = (value - returns[idx]).pow(2).mean()
            loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
