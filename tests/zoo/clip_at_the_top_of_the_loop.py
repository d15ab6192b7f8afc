"""The step of the previous batch is taken at the top of the loop, so that the first clip sees nothing."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
pending = False
for _ in range(12):
    x = torch.randn(16, 4)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if pending:
        optimizer.step()
        optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    pending = True
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
