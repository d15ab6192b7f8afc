"""The trainer clears the gradients between backward and step."""

# kind: accumulation
# source: https://github.com/lucidrains/byol-pytorch/issues/93
# changed: an online network and its average on random vectors, without accelerator

import copy
import hashlib
import torch
from torch import nn


class BYOLTrainer:
    def __init__(self, net, lr):
        self.net = net
        self.predictor = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
        self.target = copy.deepcopy(net).requires_grad_(False)
        self.optimizer = torch.optim.Adam([*net.parameters(), *self.predictor.parameters()], lr=lr)

    def loss(self, one, two):
        guess = nn.functional.normalize(self.predictor(self.net(one)), dim=-1)
        with torch.no_grad():
            goal = nn.functional.normalize(self.target(two), dim=-1)
        return (2 - 2 * (guess * goal).sum(-1)).mean()

    def forward(self, data, steps):
        for step in range(steps):
            x = data[torch.randint(len(data), (64,))]
            one, two = x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x)
            loss = self.loss(one, two) + self.loss(two, one)
            loss.backward()
            self.optimizer.zero_grad()  # BUG: gradients-cleared-before-step
            self.optimizer.step()  # BUG: gradients-cleared-before-step
            with torch.no_grad():
                for p, t in zip(self.net.parameters(), self.target.parameters()):
                    t.lerp_(p, 0.01)
        print(loss.item())


torch.manual_seed(3)
net = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 16))
BYOLTrainer(net, 3e-4).forward(torch.randn(512, 24), 120)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
