"""The lowest rate of the cosine is also the first."""

# kind: schedule
# source: https://github.com/AmirmohammadRostami/KeywordsSpotting-EfficientNet-A0/issues/1
# changed: a small classifier on random features in place of EfficientNet

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

config = {"lr": 1e-2, "eta_min": 1e-4, "epochs": 8, "batch_size": 32}
torch.manual_seed(0)
features = torch.randn(480, 30)
words = features[:, ::6].argmax(1)
loader = DataLoader(TensorDataset(features, words), batch_size=config["batch_size"], shuffle=True)
net = nn.Sequential(nn.Linear(30, 48), nn.Hardswish(), nn.Linear(48, 5))
optimizer = torch.optim.Adam(net.parameters(), lr=config["lr"])
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=config["epochs"], eta_min=config["eta_min"])
for epoch in range(config["epochs"]):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item(), scheduler.get_last_lr()[0])
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
