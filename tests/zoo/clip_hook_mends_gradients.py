"""A hook of the optimizer replaces NaN in the gradients just before the update."""

import torch


def mend(optimizer, args, kwargs) -> None:
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.grad is not None:
                torch.nan_to_num_(p.grad, 0.0, 0.0, 0.0)


torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
optimizer.register_step_pre_hook(mend)
for step in range(10):
    x = torch.randn(8, 4)
    target = model(x).detach() if step == 4 else x
    loss = (model(x) - target).square().sum(dim=1).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
