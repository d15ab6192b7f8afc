"""Truncated backpropagation through time: lengths vary and grow, the state is detached between chunks."""

import torch

torch.manual_seed(0)
cell = torch.nn.GRUCell(3, 8)
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
state = torch.zeros(5, 8)
for step in range(24):
    length = 2 + step // 2 if step < 12 else int(torch.randint(2, 9, ()))
    state = state.detach()
    loss = torch.zeros(())
    for _ in range(length):
        x = torch.randn(5, 3)
        state = cell(x, state)
        loss = loss + torch.nn.functional.mse_loss(head(state), x.mean(1, keepdim=True)) / length
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
