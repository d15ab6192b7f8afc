"""Closures of each kind: positional, by keyword, LBFGS, one that returns a float."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
x, y = make_batch(64)
for make in (lambda p: torch.optim.LBFGS(p, max_iter=4), lambda p: torch.optim.SGD(p, lr=0.1), torch.optim.Adam):
    model = make_net()
    optimizer = make(model.parameters())
    calls = 0

    def closure():
        global calls
        calls += 1
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    losses = [float(optimizer.step(closure).detach()) for _ in range(6)]
    losses += [float(optimizer.step(closure=closure).detach()) for _ in range(6)]
    print(calls, losses[0], losses[-1], digest(model))
