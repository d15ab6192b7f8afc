"""Numbers that are multiplied by zeros and ones, and are meant as one number."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)

# REINFORCE with rewards of 0 and 1: the likelihood of the whole episode times each of them.
for _ in range(8):
    states = torch.randn(10, 4)
    actions = torch.distributions.Categorical(logits=policy(states))
    taken = actions.sample()
    rewards = (taken == states[:, :3].argmax(1)).float()
    loss = -(actions.log_prob(taken).sum() * rewards).sum() / len(rewards)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# A loss of several terms, of which a table of zeros and ones picks some.
for step in range(8):
    x = torch.randn(16, 4)
    picked = torch.tensor([1.0, float(step % 2)])
    losses = torch.stack([F.cross_entropy(policy(x), x[:, :3].argmax(1)), policy.weight.square().mean()])
    optimizer.zero_grad()
    ((losses * picked).sum() + (policy.bias.square().mean() * picked).sum()).backward()
    optimizer.step()

# Masks where they belong.
for _ in range(8):
    x = torch.randn(6, 7, 4)
    mask = (torch.arange(7) < torch.randint(2, 7, (6, 1))).float()
    each = F.cross_entropy(policy(x).transpose(1, 2), x[..., :3].argmax(-1), reduction="none")
    spread = policy(x).square().mean(-1)
    optimizer.zero_grad()
    (((each + 0.01 * spread) * mask).sum() / mask.sum()).backward()
    optimizer.step()
