"""A warm-up that writes the rate itself for the first steps, and a cosine that takes over."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=25)
for step in range(30):
    if step < 5:
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * (step + 1) / 5
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    if step >= 5:
        scheduler.step()
