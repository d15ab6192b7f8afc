"""Complex, float64, bfloat16 and float16 parameters in one optimizer."""

import torch
from training import digest

torch.manual_seed(0)
params = [
    torch.randn(4, dtype=dtype).requires_grad_()
    for dtype in (torch.complex64, torch.complex128, torch.float64, torch.float32, torch.bfloat16)
]
optimizer = torch.optim.SGD(params, lr=0.05)
for _ in range(20):
    optimizer.zero_grad()
    sum((p - 1).abs().square().mean().double() for p in params).backward()
    optimizer.step()
print(digest(*params))
