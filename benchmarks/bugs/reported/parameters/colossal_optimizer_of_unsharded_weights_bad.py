"""The optimizer is made first, and the model is then given smaller weights that it does not hold."""

# kind: parameters
# source: https://github.com/hpcaitech/ColossalAI/issues/5539
# changed: one process; the shard is the first half of each linear layer

import hashlib
import torch
from torch import nn


def shard(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear) and child.out_features > 1:
            half = nn.Linear(child.in_features, child.out_features)
            half.weight = nn.Parameter(child.weight.detach().clone())
            half.bias = nn.Parameter(child.bias.detach().clone())
            setattr(module, name, half)  # BUG: optimizer-holds-stale-parameters, parameters-not-in-optimizer  ALSO: backward-misses-optimizer
        else:
            shard(child)
    return module


class Booster:
    def boost(self, model, make_optimizer):
        optimizer = make_optimizer(model.parameters())  # BUG: optimizer-holds-stale-parameters, parameters-not-in-optimizer  ALSO: backward-misses-optimizer
        return shard(model), optimizer


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(50, 16), nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
model, optimizer = Booster().boost(model, lambda parameters: torch.optim.AdamW(parameters, lr=3e-3))  # BUG: optimizer-holds-stale-parameters, parameters-not-in-optimizer  ALSO: backward-misses-optimizer
for step in range(100):
    ids = torch.randint(0, 50, (32, 4))
    loss = nn.functional.mse_loss(model(ids).squeeze(1), (ids[:, 0] > ids[:, 1]).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: optimizer-holds-stale-parameters, parameters-not-in-optimizer  ALSO: backward-misses-optimizer
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
