"""Threads train models of their own, one after the other and side by side."""

import threading

import torch
from torch.nn import functional
from training import digest

results = {}


def work(seed):
    draw = torch.Generator().manual_seed(seed)
    weight = torch.randn(8, 3, generator=draw).div(3).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(25):
        x = torch.randn(16, 8, generator=draw)
        optimizer.zero_grad()
        functional.cross_entropy(x @ weight, x[:, :3].argmax(1)).backward()
        optimizer.step()
    results[seed] = digest(weight)


for group in (range(1), range(1, 4), range(4, 6)):
    threads = [threading.Thread(target=work, args=(seed,)) for seed in group]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(sorted(results.items()))
