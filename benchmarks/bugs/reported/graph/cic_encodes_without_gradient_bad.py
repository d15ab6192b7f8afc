"""Observations are encoded under no_grad, so that the encoder and its optimizer never learn."""

# kind: graph
# source: https://github.com/rll-research/cic/issues/5
# changed: random observations, and a contrastive loss written out

import hashlib

import torch
from torch import nn
from torch.nn import functional as F


class Agent:
    def __init__(self):
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 16))
        self.cic = nn.ModuleDict({"query": nn.Linear(4, 8), "key": nn.Linear(32, 8)})
        self.encoder_opt = torch.optim.Adam(self.encoder.parameters(), lr=1e-3)
        self.cic_optimizer = torch.optim.Adam(self.cic.parameters(), lr=1e-3)

    def compute_cpc_loss(self, obs, next_obs, skill):
        query = F.normalize(self.cic["query"](skill), dim=1)
        key = F.normalize(self.cic["key"](torch.cat([obs, next_obs], 1)), dim=1)
        return F.cross_entropy(query @ key.T / 0.5, torch.arange(len(query)))

    def update(self, obs, next_obs, skill):
        with torch.no_grad():  # BUG: graph-cut, step-without-backward, backward-misses-optimizer
            obs = self.encoder(obs)  # BUG: graph-cut, step-without-backward, backward-misses-optimizer
            next_obs = self.encoder(next_obs)  # BUG: graph-cut, step-without-backward, backward-misses-optimizer
        loss = self.compute_cpc_loss(obs, next_obs, skill)
        self.encoder_opt.zero_grad(set_to_none=True)
        self.cic_optimizer.zero_grad(set_to_none=True)
        loss.backward()  # BUG: graph-cut, step-without-backward, backward-misses-optimizer
        self.cic_optimizer.step()
        self.encoder_opt.step()  # BUG: graph-cut, step-without-backward, backward-misses-optimizer
        return loss.item()


torch.manual_seed(0)
agent = Agent()
for step in range(150):
    obs, skill = torch.randn(32, 20), torch.rand(32, 4)
    value = agent.update(obs, obs + F.pad(skill, (0, 16)), skill)
print(value)
final = b"".join(t.detach().double().numpy().tobytes() for t in agent.encoder.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
