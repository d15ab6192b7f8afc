"""Parameters as generators, tuples, sets of one, dict values, and named pairs."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
for give in (
    lambda m: (p for p in m.parameters()),
    lambda m: iter(m.parameters()),
    lambda m: dict(m.named_parameters()).values(),
    lambda m: m.named_parameters(),
    lambda m: [{"params": (p for p in m[0].parameters())}, {"params": m[2].weight}, {"params": [m[2].bias], "lr": 1}],
):
    model = make_net()
    train(model, torch.optim.SGD(give(model), lr=0.1), 10)
    print(digest(model))
