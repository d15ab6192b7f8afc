"""A re-entrant checkpoint runs a backward of its own inside the scaled one."""

import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
body, head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)
params = [*body.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(params, lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)


def block(hidden: torch.Tensor) -> torch.Tensor:
    return head(hidden.tanh()).float().mean()


for _ in range(10):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        out = checkpoint(block, body(x), use_reentrant=True)
        loss = out.square() + 0.1 * out
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    scaler.step(optimizer)
    scaler.update()
