"""One optimizer trains policy and critic on a sum in which the policy's advantage moves the critic, too."""

# kind: rl
# source: https://github.com/astariul/encode-attend-navigate-pytorch/issues/2
# changed: the best of a few cities in place of a tour

import hashlib
import torch
from torch import nn

torch.manual_seed(4)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
        self.critic = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, cities):
        return self.policy(cities).squeeze(-1), self.critic(cities.flatten(1)).squeeze(-1)


model = Agent()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for episode in range(150):
    cities = torch.rand(64, 5, 2)
    scores, value = model(cities)
    dist = torch.distributions.Categorical(logits=scores)
    city = dist.sample()
    reward = -cities[torch.arange(64), city].norm(dim=1)
    advantage = reward - value
    policy_loss = -(advantage * dist.log_prob(city)).mean()  # BUG: gradient-through-target, advantage-with-gradient
    critic_loss = (reward - value).square().mean()
    loss = policy_loss + critic_loss  # BUG: gradient-through-target, advantage-with-gradient
    optimizer.zero_grad()
    loss.backward()  # BUG: gradient-through-target, advantage-with-gradient
    optimizer.step()
print(reward.mean().item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
