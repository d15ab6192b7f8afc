"""OneCycleLR counts iterations, and is advanced once an epoch."""

# kind: schedule
# source: https://github.com/espnet/espnet/pull/3319
# changed: a frame classifier on random features in place of speech recognition

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
feats = torch.randn(480, 20)
frames = feats[:, :6].argmax(1)
loader = DataLoader(TensorDataset(feats, frames), batch_size=24, shuffle=True)
model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
max_epoch = 8
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, steps_per_epoch=len(loader), epochs=max_epoch)


def train_one_epoch():
    model.train()
    for speech, text in loader:
        loss = nn.functional.cross_entropy(model(speech), text)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


for epoch in range(max_epoch):
    print(epoch, train_one_epoch(), optimizer.param_groups[0]["lr"])
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
