"""OneCycle with total_steps for more epochs than are run."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fit(model, loader, num_epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=1e-2, epochs=num_epochs, steps_per_epoch=len(loader)
    )
    for epoch in range(num_epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        print(epoch, loss.item())


torch.manual_seed(7)
x = torch.randn(150, 3)
net = nn.Sequential(nn.Linear(3, 24), nn.SiLU(), nn.Linear(24, 1))
fit(net, DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=15, shuffle=True), 4)
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
