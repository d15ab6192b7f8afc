"""Advantage actor-critic on a little chain world."""

import hashlib
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

GAMMA = 0.95


class Chain:
    """Walk right to the end of five cells."""

    def reset(self):
        self.position, self.time = 0, 0
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.position), 5).float()

    def step(self, action):
        move = action if random.random() > 0.1 else 1 - action
        self.position = max(0, self.position + (1 if move == 1 else -1))
        self.time += 1
        done = self.position == 4 or self.time == 20
        return self.observe(), 1.0 if self.position == 4 else -0.05, done


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 24)
        self.actor = nn.Linear(24, 2)
        self.critic = nn.Linear(24, 1)

    def forward(self, obs):
        h = torch.tanh(self.body(obs))
        return Categorical(logits=self.actor(h)), self.critic(h)


def compute_returns(rewards):
    R, out = 0.0, []
    for r in reversed(rewards):
        R = r + GAMMA * R
        out.insert(0, R)
    return torch.tensor(out)


random.seed(2)
torch.manual_seed(2)
env, net = Chain(), ActorCritic()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

for episode in range(25):
    log_probs, values, rewards, done = [], [], [], False
    obs = env.reset()
    while not done:
        dist, value = net(obs)
        action = dist.sample()
        obs, reward, done = env.step(action.item())
        log_probs.append(dist.log_prob(action))
        values.append(value)
        rewards.append(reward)

    returns = compute_returns(rewards)
    log_probs = torch.stack(log_probs)
    values = torch.cat(values)
    advantage = returns - values
    actor_loss = -(log_probs * advantage.detach()).mean()
    critic_loss = advantage.pow(2).mean()
    loss = actor_loss + 0.5 * critic_loss

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 5 == 0:
        print(f"episode {episode}: return {sum(rewards):.2f}")

final = b"".join(t.detach().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
