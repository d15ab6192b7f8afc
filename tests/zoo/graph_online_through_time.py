"""A loss at each time step is backwarded at once over the graph kept so far; one update per sequence."""

import torch

torch.manual_seed(0)
cell = torch.nn.RNNCell(3, 6)
head = torch.nn.Linear(6, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.02)
for _ in range(12):
    state = torch.zeros(4, 6)
    optimizer.zero_grad()
    for t in range(5):
        x = torch.randn(4, 3)
        state = cell(x, state)
        loss = torch.nn.functional.mse_loss(head(state), x[:, :1]) / 5
        loss.backward(retain_graph=t < 4)
    optimizer.step()
