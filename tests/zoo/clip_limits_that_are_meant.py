"""Limits that are meant: 0 holds one of two parts still, a tiny one comes first, and one only measures."""

import torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 16), torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
for step in range(60):
    x = torch.randn(32, 4)
    loss = torch.nn.functional.mse_loss(head(torch.tanh(body(x))), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    if step < 20:
        torch.nn.utils.clip_grad_norm_(body.parameters(), 0.0)
    torch.nn.utils.clip_grad_value_(head.parameters(), 1e-3 if step < 5 else 1.0)
    torch.nn.utils.clip_grad_norm_([*body.parameters(), *head.parameters()], float("inf"))
    optimizer.step()
