"""Models and optimizers come and go; each must be freed at once."""

import weakref

import torch
from training import digest, make_net, train

torch.manual_seed(0)
freed = []
for _ in range(4):
    model = make_net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train(model, optimizer, 8)
    state = next(iter(optimizer.state.values()))["exp_avg"]
    known = [weakref.ref(thing) for thing in (optimizer, state, model, model[0], model[0].weight, model[0].weight.grad)]
    result = digest(model)
    del optimizer, model, state
    freed.append([ref() is None for ref in known])
print(freed, result)
