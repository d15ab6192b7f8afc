"""Hogwild: two processes train one shared model."""

import torch
import torch.multiprocessing as mp
from torch import nn


def work(rank, model):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(10):
        x = torch.randn(16, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
model = nn.Linear(4, 1)
model.share_memory()
context = mp.get_context("fork")
processes = [context.Process(target=work, args=(rank, model)) for rank in range(2)]
for process in processes:
    process.start()
for process in processes:
    process.join()
work(2, model)
