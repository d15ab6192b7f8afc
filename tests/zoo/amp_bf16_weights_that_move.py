"""bf16 weights with a rate large enough; warm-up from a tiny rate and decay to zero."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-2)
rates = [*(i / 12 for i in range(1, 13)), *(1 - i / 24 for i in range(24))]
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rates[min(step, len(rates) - 1)] ** 2)
for _ in range(len(rates)):
    x = torch.randn(32, 8, dtype=torch.bfloat16)
    loss = torch.nn.functional.mse_loss(model(x).float(), x.sum(1, keepdim=True).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
