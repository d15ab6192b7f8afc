"""One line backwards every task's loss; heads step at once, the encoder once all tasks are through."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.Tanh())
heads = [nn.Linear(16, 2) for _ in range(3)]
of_encoder = torch.optim.Adam(encoder.parameters(), lr=1e-3)
of_heads = [torch.optim.SGD(head.parameters(), lr=0.05) for head in heads]


def task_step(task: int, x: torch.Tensor) -> None:
    loss = nn.functional.cross_entropy(heads[task](encoder(x)), (x[:, task] > 0).long()) / len(heads)
    loss.backward()
    of_heads[task].step()
    of_heads[task].zero_grad()


for _ in range(30):
    for task in range(len(heads)):
        task_step(task, torch.randn(16, 6))
    of_encoder.step()
    of_encoder.zero_grad()
