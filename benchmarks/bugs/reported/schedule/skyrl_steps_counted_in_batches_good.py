"""The schedule is as long as there are mini-batches."""

# kind: schedule
# source: https://github.com/NovaSky-AI/SkyRL/pull/873
# changed: a small classifier; each batch is trained on in four mini-batches

import hashlib
import torch
from torch import nn

num_batches, minibatches = 20, 4
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
num_training_steps = num_batches * minibatches
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / num_training_steps))
for batch in range(num_batches):
    x = torch.randn(128, 8)
    y = x[:, :4].argmax(1)
    for index in torch.arange(128).chunk(minibatches):
        loss = nn.functional.cross_entropy(model(x[index]), y[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
