"""A few micro-batches of a window that a longer run would fill, and a worker whose weights another one moves."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Linear(6, 3)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(6):  # a smoke test
    x = torch.randn(8, 6)
    (F.cross_entropy(model(x), x[:, :3].argmax(1)) / 16).backward()
    if (i + 1) % 16 == 0:
        optimizer.step()
        optimizer.zero_grad()

server, worker = torch.nn.Linear(6, 3), torch.nn.Linear(6, 3)
optimizer = torch.optim.SGD(worker.parameters(), lr=0.1)
for _ in range(16):  # gradients are averaged elsewhere, and weights come back
    worker.load_state_dict(server.state_dict())
    optimizer.zero_grad()
    x = torch.randn(8, 6)
    F.cross_entropy(worker(x), x[:, :3].argmax(1)).backward()
    with torch.no_grad():
        server.weight.add_(torch.randn(3, 6), alpha=1e-3)
