"""Copies that will be moved later than this run lasts."""

import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)


def make() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))


class Agent:
    def __init__(self, every: int) -> None:
        self.net = make()
        self.target_net = copy.deepcopy(self.net)
        self.every, self.num_updates = every, 0

    def learned(self) -> None:
        self.num_updates += 1
        if self.num_updates % self.every == 0:
            self.target_net.load_state_dict(self.net.state_dict())


agent, policy = Agent(every=1000), make()
swa, swa_start = AveragedModel(policy), 500
optimizer = torch.optim.Adam([*policy.parameters(), *agent.net.parameters()], lr=1e-3)
for step in range(80):
    x = torch.randn(16, 6)
    with torch.no_grad():
        goal = x[:, :4] + 0.9 * agent.target_net(x)
    loss = (agent.net(x) - goal).square().mean() + (policy(x) - goal).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    agent.learned()
    if step >= swa_start:
        swa.update_parameters(policy)
