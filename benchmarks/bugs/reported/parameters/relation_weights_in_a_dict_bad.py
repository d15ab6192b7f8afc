"""Weights for each relation are put into a plain dictionary, so that the optimizer never gets them."""

# kind: parameters
# source: https://github.com/pytorch/pytorch/issues/632
# changed: a small relational network with made-up edges

import hashlib

import torch
from torch import nn

class RelationNet(nn.Module):
    def __init__(self, n_features, n_relations):
        super().__init__()
        self.n_relations = n_relations
        self.waggrs = {}  # BUG: parameters-not-in-optimizer, unregistered-module
        for rel in range(n_relations):
            self.waggrs[str(rel)] = nn.Parameter(1.0 + 0.1 * torch.randn(n_features))  # BUG: parameters-not-in-optimizer, unregistered-module
        self.linear = nn.Linear(n_features, 1)

    def forward(self, x, relation):
        scale = torch.stack([self.waggrs[str(rel)] for rel in range(self.n_relations)])
        return self.linear(torch.tanh(x * scale[relation])).squeeze(-1)


def train():
    torch.manual_seed(2)
    x, relation = torch.randn(1024, 6), torch.randint(0, 4, (1024,))
    truth = torch.randn(4, 6)
    y = (x * truth[relation]).sum(-1)
    model = RelationNet(6, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # BUG: parameters-not-in-optimizer, unregistered-module
    for epoch in range(8):
        for batch in torch.randperm(1024).split(32):
            optimizer.zero_grad()
            loss = ((model(x[batch], relation[batch]) - y[batch]) ** 2).mean()
            loss.backward()
            optimizer.step()  # BUG: parameters-not-in-optimizer, unregistered-module
        print(epoch, loss.item())
    return model


model = train()
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
