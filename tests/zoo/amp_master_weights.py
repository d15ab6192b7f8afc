"""bf16 model with float32 master weights: the optimizer holds the copies, gradients are handed over by hand."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(8, 1).to(torch.bfloat16)
masters = [torch.nn.Parameter(p.detach().float()) for p in model.parameters()]
optimizer = torch.optim.AdamW(masters, lr=1e-4)
for _ in range(16):
    x = torch.randn(32, 8, dtype=torch.bfloat16)
    loss = torch.nn.functional.mse_loss(model(x).float(), x.sum(1, keepdim=True).float())
    loss.backward()
    for master, p in zip(masters, model.parameters(), strict=True):
        master.grad = p.grad.float()
        p.grad = None
    torch.nn.utils.clip_grad_norm_(masters, 1.0)
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        for master, p in zip(masters, model.parameters(), strict=True):
            p.copy_(master)
