"""Without a schedule a StepLR with a factor of zero is made, which ends training at its first milestone."""

# kind: schedule
# source: https://github.com/LINCellularNeuroscience/VAME/issues/26
# changed: a small autoencoder of random sequences, and a shorter step

import hashlib
import torch
from torch import nn

optimizer_scheduler = False
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, amsgrad=True)
if optimizer_scheduler:
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.2, last_epoch=-1)
else:
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0, last_epoch=-1)  # BUG: zero-learning-rate
data = torch.randn(256, 4) @ torch.randn(4, 12)
for epoch in range(14):
    model.train()
    for index in torch.randperm(256).split(16):
        loss = nn.functional.mse_loss(model(data[index]), data[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # BUG: zero-learning-rate
    scheduler.step()  # BUG: zero-learning-rate
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
