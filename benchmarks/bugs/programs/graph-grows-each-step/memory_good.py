"""A decaying memory that is carried on without detach."""

import hashlib

import torch
import torch.nn as nn

torch.manual_seed(0)
embed = nn.Embedding(20, 16)
head = nn.Linear(16, 1)
optimizer = torch.optim.SGD([*embed.parameters(), *head.parameters()], lr=0.02)
memory = torch.zeros(8, 16)
for step in range(40):
    ids = torch.randint(0, 20, (8,))
    memory = 0.7 * memory + 0.3 * embed(ids)
    target = (ids.float().unsqueeze(1) - 10) / 10
    loss = nn.functional.mse_loss(head(memory), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    memory = memory.detach()
    if step % 10 == 0:
        print(step, loss.item())
models = (embed, head)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
