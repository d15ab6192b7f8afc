"""The best weights are kept as a reference to the live ones."""

# kind: best-weights
# source: https://github.com/thunlp/OpenKE/pull/131
# changed: a small knowledge-graph embedding on made-up triples, with its own trainer class

import hashlib
import copy
import torch
from torch import nn

torch.manual_seed(15)
triples = torch.stack([torch.randint(0, 50, (600,)), torch.randint(0, 4, (600,)), torch.randint(0, 50, (600,))], 1)


class TransE(nn.Module):
    def __init__(self):
        super().__init__()
        self.ent, self.rel = nn.Embedding(50, 16), nn.Embedding(4, 16)

    def forward(self, h, r, t):
        return (self.ent(h) + self.rel(r) - self.ent(t)).norm(dim=-1)


class Config:
    def __init__(self, model):
        self.trainModel = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.5)

    def loss(self, batch):
        h, r, t = batch.T
        fake = torch.randint(0, 50, t.shape)
        return torch.relu(1 + self.trainModel(h, r, t) - self.trainModel(h, r, fake)).mean()

    def valid(self):
        with torch.no_grad():
            return self.loss(triples[500:]).item()

    def train(self):
        best, best_model = float("inf"), None
        for epoch in range(12):
            for idx in torch.randperm(500).split(50):
                self.opt.zero_grad()
                self.loss(triples[idx]).backward()
                self.opt.step()
            hit = self.valid()
            if hit < best:
                best = hit
                best_model = copy.deepcopy(self.trainModel.state_dict())
        self.trainModel.load_state_dict(best_model)


model = TransE()
Config(model).train()

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
