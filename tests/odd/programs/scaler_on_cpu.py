"""GradScaler on the CPU, with unscale and clipping."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0, growth_interval=5)
norms = []
for _ in range(20):
    x, y = make_batch()
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        out = model(x)
    scaler.scale(functional.cross_entropy(out.float(), y)).backward()
    scaler.unscale_(optimizer)
    norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)))
    scaler.step(optimizer)
    scaler.update()
print(scaler.get_scale(), digest(norms), digest(model))
