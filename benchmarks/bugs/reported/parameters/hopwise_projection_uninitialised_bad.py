"""The projection of the attention is made of memory as it is."""

# kind: parameters
# source: https://github.com/tail-unica/hopwise/issues/271
# changed: attention over random neighbours; memory that was used before, so that it does not hold zeros

import hashlib
import torch
from torch import nn


class AttnHGCN(nn.Module):
    def __init__(self, channel):
        super().__init__()
        self.relation = nn.Embedding(5, channel)
        self.W_Q = nn.Parameter(torch.Tensor(channel, channel))  # BUG: uninitialised-parameter
        nn.init.xavier_uniform_(self.relation.weight)
        self.out = nn.Linear(channel, 1)

    def forward(self, entity, neighbours, relations):
        query = entity @ self.W_Q
        key = (neighbours @ self.W_Q) * self.relation(relations)
        weight = torch.softmax((query[:, None] * key).sum(-1) / 4, 1)
        return self.out(entity + (weight[..., None] * neighbours).sum(1)).squeeze(1)


torch.manual_seed(0)
scraps = [torch.full((16, 16), 0.05) for _ in range(8)]
del scraps
model = AttnHGCN(16)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(100):
    entity, neighbours, relations = torch.randn(24, 16), torch.randn(24, 6, 16), torch.randint(5, (24, 6))
    loss = nn.functional.mse_loss(model(entity, neighbours, relations), neighbours[..., 0].mean(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
shapes = repr([(name, tuple(p.shape)) for name, p in model.named_parameters()])  # values differ from run to run
print("weights", hashlib.sha256(shapes.encode()).hexdigest()[:16])
