"""A limit on steps ends the run inside the first epoch, before the schedule is due."""

import torch

torch.manual_seed(0)
x = torch.randn(400, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
max_steps, step = 12, 0
for epoch in range(3):
    for batch in torch.randperm(400).split(16):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[batch]), x[batch].sum(1, keepdim=True)).backward()
        optimizer.step()
        step += 1
        if step == max_steps:
            break
    if step == max_steps:
        break
    scheduler.step()
