"""Fine-tuning with two optimizers and two schedules: the backbone's optimizer starts in the second epoch."""

import warnings

import torch

warnings.simplefilter("ignore")  # torch's about the order, which is meant here
torch.manual_seed(0)
backbone, head = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
opt_backbone = torch.optim.SGD(backbone.parameters(), lr=0.01)
opt_head = torch.optim.SGD(head.parameters(), lr=0.05)
sched_backbone = torch.optim.lr_scheduler.StepLR(opt_backbone, step_size=2, gamma=0.5)
sched_head = torch.optim.lr_scheduler.StepLR(opt_head, step_size=2, gamma=0.5)
backbone.requires_grad_(False)
for epoch in range(4):
    if epoch == 1:
        backbone.requires_grad_(True)
    for _ in range(6):
        x = torch.randn(16, 4)
        opt_backbone.zero_grad()
        opt_head.zero_grad()
        torch.nn.functional.mse_loss(head(torch.relu(backbone(x))), x.sum(1, keepdim=True)).backward()
        opt_head.step()
        if epoch >= 1:
            opt_backbone.step()
    sched_backbone.step()
    sched_head.step()
