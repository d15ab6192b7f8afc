"""State dicts that are loaded where they, or some of them, come from, and change something or are meant to."""

import copy
import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))


def train(model, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


torch.manual_seed(0)
policy = build()
target = copy.deepcopy(policy)
for _ in range(3):  # a copy that follows, at once or slowly
    train(policy)
    target.load_state_dict(policy.state_dict())
    own, new = target.state_dict(), policy.state_dict()
    for name in own:
        own[name] = 0.9 * own[name] + 0.1 * new[name] if own[name].is_floating_point() else new[name]
    target.load_state_dict(own)

own = target.state_dict()  # changed in place, and loaded to make sure
for name, value in policy.state_dict().items():
    if value.is_floating_point():
        own[name].mul_(0.9).add_(value, alpha=0.1)
target.load_state_dict(own)

own = policy.state_dict()  # some weights are taken over
own.update({name: value for name, value in target.state_dict().items() if name.startswith("3.")})
policy.load_state_dict(own)

own = policy.state_dict()  # statistics only
own["1.running_mean"] = torch.zeros(8)
policy.load_state_dict(own)
train(policy)

file = io.BytesIO()  # through a file
torch.save(policy.state_dict(), file)
file.seek(0)
policy.load_state_dict(torch.load(file))
policy.load_state_dict({name: value.clone() for name, value in policy.state_dict().items()})

print(policy.load_state_dict(policy.state_dict()))  # does it fit?


class Migrating(nn.Module):
    """Old names are renamed while it loads, and statistics are kept."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 1)
        self.register_load_state_dict_pre_hook(self.rename)
        self.num_loaded = 0

    def rename(self, module, state, *args):
        self.num_loaded += 1

    def forward(self, x):
        return self.out(x)


model = Migrating()
model.load_state_dict(model.state_dict())
train(model)
